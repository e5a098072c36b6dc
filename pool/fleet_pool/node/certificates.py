"""Who may speak in the pool: an authority of the stack's own, and a certificate for every node, made by openssl.

The first control node makes the authority when there is none and keeps it in the artefact bucket, which is encrypted
and which only the stack's roles read. Every node makes its own key, which never leaves it, and signs its certificate
with the authority, whose key it then forgets. docs/decisions/0006 says what that protects and what it does not.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from fleet_pool.compat import frozen

AUTHORITY_DAYS = 3650  # longer than any stack is_valid
NODE_DAYS = 90
RENEW_DAYS = 30  # a daily timer renews before this; the engine warns three days before the end
CURVE = "prime256v1"
WAIT_S = 5
OBJECTS = ("authority.key", "authority.crt")
PREFIX = "authority/"
NOT_YET = "no authority yet: the first control node makes it"


class CannotSign(Exception):
    """openssl or the bucket said no: what was tried, and what it said."""


@frozen
class Store:
    """Where the authority lies: a bucket, by the AWS CLI."""

    bucket: str
    region: str

    def has_authority(self) -> bool:
        """Whether there is an authority. Raises CannotSign where the bucket cannot be asked."""
        told = _run(
            "aws",
            *("s3api", "list-objects-v2", "--region", self.region, "--bucket", self.bucket),
            *("--prefix", f"{PREFIX}{OBJECTS[-1]}", "--query", "length(Contents || `[]`)", "--output", "text"),
        )
        return told.strip() == "1"

    def fetch(self, name: str, path: Path) -> None:
        self._copy(f"s3://{self.bucket}/{PREFIX}{name}", str(path))

    def keep(self, name: str, path: Path) -> None:
        self._copy(str(path), f"s3://{self.bucket}/{PREFIX}{name}")

    def _copy(self, source: str, target: str) -> None:
        _run("aws", "s3", "cp", "--only-show-errors", "--region", self.region, source, target)


def make_authority(folder: Path, stack: str) -> None:
    """A key and a certificate that signs certificates and nothing else, in `folder`. Raises CannotSign."""
    _run(
        "openssl",
        *("req", "-x509", "-newkey", "ec", "-pkeyopt", f"ec_paramgen_curve:{CURVE}", "-nodes", "-sha256"),
        *("-days", str(AUTHORITY_DAYS), "-subj", f"/CN=planner pool {stack}"[:64]),
        *("-addext", "basicConstraints=critical,CA:TRUE,pathlen:0"),
        *("-addext", "keyUsage=critical,keyCertSign,cRLSign"),
        *("-keyout", str(folder / OBJECTS[0]), "-out", str(folder / OBJECTS[1])),
    )


def make_certificate(folder: Path, authority: Path, name: str, addresses: Sequence[str]) -> None:
    """node.crt for the key node.key in `folder`, which is made where it is not there; both ways, server and client.

    name: of the daemon or the node. addresses: IP addresses that others call it by. The key stays at a renewal, so
    that the engine never reads a pair that does not fit. Raises CannotSign.
    """
    key, request, signed = folder / "node.key", folder / "node.csr", folder / "node.new"
    if not key.exists():
        _run("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", f"ec_paramgen_curve:{CURVE}", "-out", str(key))
    _run("openssl", "req", "-new", "-key", str(key), "-subj", f"/CN={name}"[:68], "-out", str(request))
    extensions = folder / "node.ext"
    extensions.write_text(
        "basicConstraints=critical,CA:FALSE\n"
        "keyUsage=critical,digitalSignature\n"
        "extendedKeyUsage=serverAuth,clientAuth\n"
        f"subjectAltName={','.join(f'IP:{address}' for address in addresses)}\n"
    )
    _run(
        "openssl",
        *("x509", "-req", "-sha256", "-in", str(request), "-days", str(NODE_DAYS), "-extfile", str(extensions)),
        *("-CA", str(authority / OBJECTS[1]), "-CAkey", str(authority / OBJECTS[0]), "-out", str(signed)),
        # AWS gives no entropy problem, and a serial of its own needs no file that nodes would have to share
        *("-set_serial", f"0x{_serial()}"),
    )
    signed.replace(folder / "node.crt")
    request.unlink()
    extensions.unlink()


def is_valid(folder: Path, days: int = RENEW_DAYS) -> bool:
    """Whether there is a node certificate of the authority beside it, good for `days` more days."""
    certificate, authority = folder / "node.crt", folder / OBJECTS[1]
    if not (certificate.exists() and authority.exists() and (folder / "node.key").exists()):
        return False
    try:
        _run("openssl", "verify", "-CAfile", str(authority), str(certificate))
        _run("openssl", "x509", "-in", str(certificate), "-noout", "-checkend", str(days * 86_400))
    except CannotSign:
        return False
    return True


def obtain(
    folder: Path,
    store: Store,
    *,
    stack: str,
    name: str,
    addresses: Sequence[str],
    creates_authority: bool,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """The node's certificate where it has none that lasts; whether one was made. creates_authority: this node makes the
    authority where there is none; the others wait for it, however long that takes. Raises CannotSign.

    One that is only to be renewed waits for nobody, or a daemon whose start comes after this would wait with it.
    """
    if is_valid(folder):
        return False
    renews = is_valid(folder, days=0)
    folder.mkdir(parents=True, exist_ok=True)
    # in memory where the node has it: the authority's key touches no disk
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="planner-", dir=memory) as made:
        authority = Path(made)
        if renews:
            why = _fetch_error(authority, store)
            if why:
                print(f"not renewed, tomorrow again: {why}", flush=True)
                return False
        else:
            _authority(authority, store, stack, creates_authority, sleep)
        make_certificate(folder, authority, name, addresses)
        shutil.copyfile(authority / OBJECTS[1], folder / OBJECTS[1])
    return True


def _authority(folder: Path, store: Store, stack: str, creates_authority: bool, sleep: Callable[[float], None]) -> None:
    waited = 0
    while True:
        why = _fetch_error(folder, store)
        if why == NOT_YET and creates_authority:
            why = _created(folder, store, stack)
        if not why:
            return
        if waited % 60 == 0:
            print(f"waiting for the pool's authority, {waited} s: {why}", flush=True)
        sleep(WAIT_S)
        waited += WAIT_S


def _fetch_error(folder: Path, store: Store) -> str:
    """Nothing where the authority lies in `folder` now, else what keeps it from there."""
    try:
        if not store.has_authority():
            return NOT_YET
        for name in OBJECTS:
            store.fetch(name, folder / name)
    except CannotSign as error:
        return str(error)
    return ""


def _created(folder: Path, store: Store, stack: str) -> str:
    """The same of an authority that is made now."""
    try:
        make_authority(folder, stack)
        for name in OBJECTS:  # the certificate last: where it lies, the key lies
            store.keep(name, folder / name)
    except CannotSign as error:
        return str(error)
    return ""


def _serial() -> str:
    return _run("openssl", "rand", "-hex", "16").strip()


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        told = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise CannotSign(f"{' '.join(command[:3])}: {told[-1] if told else f'ended with {done.returncode}'}")
    return done.stdout
