"""Mutual TLS of the pool: the stack's own certificate authority and a certificate for every node, by openssl.

The first control node creates the authority if there is none and stores it in the artifact bucket, which is encrypted
and readable by the stack's roles only. Every node creates its own key, which never leaves it, signs its certificate
with the authority, and discards the authority's key. docs/decisions/0006 says what that protects and what not.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from fleet_pool.compat import frozen

AUTHORITY_DAYS = 3650  # longer than any stack exists
NODE_DAYS = 90
RENEW_DAYS = 30  # a daily timer renews this long before the end; the engine warns three days before it
CURVE = "prime256v1"
WAIT_S = 5
OBJECTS = ("authority.key", "authority.crt")
PREFIX = "authority/"
NOT_YET = "there is no authority yet; the first control node creates it"


class CannotSign(Exception):
    """openssl or the AWS CLI failed: the command and its error."""


@frozen
class Store:
    """The bucket that holds the authority, read and written with the AWS CLI."""

    bucket: str
    region: str

    def has_authority(self) -> bool:
        """Whether there is an authority. Raises CannotSign if the bucket cannot be read."""
        return self.has(f"{PREFIX}{OBJECTS[-1]}")

    def has(self, key: str) -> bool:
        """Whether there is an object. Raises CannotSign if the bucket cannot be read."""
        count = _run(
            "aws",
            *("s3api", "list-objects-v2", "--region", self.region, "--bucket", self.bucket),
            *("--prefix", key, "--query", "length(Contents || `[]`)", "--output", "text"),
        )
        return count.strip() == "1"

    def fetch(self, name: str, path: Path) -> None:
        self.copy_from(f"{PREFIX}{name}", path)

    def upload(self, name: str, path: Path) -> None:
        self.copy_to(path, f"{PREFIX}{name}")

    def copy_from(self, key: str, path: Path) -> None:
        self._copy(f"s3://{self.bucket}/{key}", str(path))

    def copy_to(self, path: Path, key: str) -> None:
        self._copy(str(path), f"s3://{self.bucket}/{key}")

    def _copy(self, source: str, target: str) -> None:
        _run("aws", "s3", "cp", "--only-show-errors", "--region", self.region, source, target)


def make_authority(folder: Path, stack: str) -> None:
    """Writes the authority's key and certificate to `folder`; it can sign certificates only. Raises CannotSign."""
    _run(
        "openssl",
        *("req", "-x509", "-newkey", "ec", "-pkeyopt", f"ec_paramgen_curve:{CURVE}", "-nodes", "-sha256"),
        *("-days", str(AUTHORITY_DAYS), "-subj", f"/CN=planner pool {stack}"[:64]),
        *("-addext", "basicConstraints=critical,CA:TRUE,pathlen:0"),
        *("-addext", "keyUsage=critical,keyCertSign,cRLSign"),
        *("-keyout", str(folder / OBJECTS[0]), "-out", str(folder / OBJECTS[1])),
    )


def make_certificate(folder: Path, authority: Path, name: str, addresses: Sequence[str]) -> None:
    """Writes node.crt for the key node.key in `folder`, creating the key if needed; for server and client use.

    name: of the daemon or the node. addresses: its IP addresses. A renewal keeps the key, so that the engine never
    reads a key and a certificate that do not match. Raises CannotSign.
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
        # a random serial needs no file that nodes would have to share
        *("-set_serial", f"0x{_serial()}"),
    )
    signed.replace(folder / "node.crt")
    request.unlink()
    extensions.unlink()


def is_valid(folder: Path, days: int = RENEW_DAYS) -> bool:
    """Whether `folder` has a node certificate signed by the authority in it, valid for `days` more days."""
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
    """Obtains or renews the node's certificate if needed; whether it did. creates_authority: whether this node creates
    a missing authority; other nodes wait for it without limit. Raises CannotSign.

    A renewal does not wait, because the daemon's start waits for this unit.
    """
    if is_valid(folder):
        return False
    renews = is_valid(folder, days=0)
    folder.mkdir(parents=True, exist_ok=True)
    # in memory if possible, so that the authority's key is never written to a disk
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="planner-", dir=memory) as made:
        authority = Path(made)
        if renews:
            why = _fetch_error(authority, store)
            if why:
                print(f"not renewed, trying again tomorrow: {why}", flush=True)
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
            print(f"waiting for the pool's authority since {waited} s: {why}", flush=True)
        sleep(WAIT_S)
        waited += WAIT_S


def _fetch_error(folder: Path, store: Store) -> str:
    """Fetches the authority into `folder`; "" or the reason why it could not."""
    try:
        if not store.has_authority():
            return NOT_YET
        for name in OBJECTS:
            store.fetch(name, folder / name)
    except CannotSign as error:
        return str(error)
    return ""


def _created(folder: Path, store: Store, stack: str) -> str:
    """Creates the authority in `folder` and uploads it; "" or the reason why it could not."""
    try:
        make_authority(folder, stack)
        for name in OBJECTS:  # the certificate last, so that the key exists wherever it does
            store.upload(name, folder / name)
    except CannotSign as error:
        return str(error)
    return ""


def _serial() -> str:
    return _run("openssl", "rand", "-hex", "16").strip()


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise CannotSign(f"{' '.join(command[:3])}: {lines[-1] if lines else f'exit code {done.returncode}'}")
    return done.stdout
