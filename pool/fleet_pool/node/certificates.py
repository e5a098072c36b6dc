"""Mutual TLS of the pool: the stack's own certificate authority and a certificate for every node, by openssl.

The first control node creates the authority if there is none. Its key is in a folder of the artifact bucket that only
control nodes read; they sign their own certificates, and those of the other nodes on request (requests.py,
authority.py). Every node creates its own key, which never leaves it. docs/decisions/0006 says what that protects and
what not.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from fleet_pool.compat import frozen
from fleet_pool.node.requests import CERTIFICATE, Asker
from fleet_pool.problems import PoolProblem

AUTHORITY_DAYS = 3650  # longer than any stack exists
NODE_DAYS = 90
RENEW_DAYS = 30  # a daily timer renews this long before the end; the engine warns three days before it
CURVE = "prime256v1"
WAIT_S = 5
RENEWAL_WAIT_S = 60  # for a control node to answer; control nodes look every few seconds
ASK_AGAIN_S = 30  # a request may be lost, or refused while EC2 does not know the instance yet
OBJECTS = ("authority.key", "authority.crt")
KEYS = {"authority.key": "control/authority.key", "authority.crt": "authority/authority.crt"}  # in the artifact bucket
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
        return self.has(KEYS[OBJECTS[-1]])

    def has(self, key: str) -> bool:
        """Whether there is an object. Raises CannotSign if the bucket cannot be read."""
        count = _run(
            "aws",
            *("s3api", "list-objects-v2", "--region", self.region, "--bucket", self.bucket),
            *("--prefix", key, "--query", "length(Contents || `[]`)", "--output", "text"),
        )
        return count.strip() == "1"

    def fetch(self, name: str, path: Path) -> None:
        self.copy_from(KEYS[name], path)

    def upload(self, name: str, path: Path) -> None:
        self.copy_to(path, KEYS[name])

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


def make_request(folder: Path, name: str) -> str:
    """The request for a certificate of the key node.key in `folder`, as PEM; creates the key if needed. name: of the
    instance. A renewal keeps the key, so that the engine never reads a key and a certificate that do not match. Raises
    CannotSign.
    """
    key = folder / "node.key"
    if not key.exists():
        _run("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", f"ec_paramgen_curve:{CURVE}", "-out", str(key))
    return _run("openssl", "req", "-new", "-key", str(key), "-subj", f"/CN={name}"[:68])


def sign(request: str, authority: Path, name: str, addresses: Sequence[str]) -> str:
    """The certificate for a request, as PEM, for server and client use. authority: folder with its key. name: that the
    request must have. addresses: IP addresses that the certificate names; what the request says of them does not count.

    Raises CannotSign, also for a request that is not signed with its own key.
    """
    with tempfile.TemporaryDirectory(prefix="planner-") as made:
        asked, extensions = Path(made, "node.csr"), Path(made, "node.ext")
        asked.write_text(request, encoding="utf-8")
        said = _run("openssl", "req", "-in", str(asked), "-noout", "-subject", "-nameopt", "RFC2253").strip()
        if said != f"subject=CN={name}":
            raise CannotSign(f"the request of {name} names another: {said[:100]!r}")
        extensions.write_text(
            "basicConstraints=critical,CA:FALSE\n"
            "keyUsage=critical,digitalSignature\n"
            "extendedKeyUsage=serverAuth,clientAuth\n"
            f"subjectAltName={','.join(f'IP:{address}' for address in addresses)}\n"
        )
        return _run(
            "openssl",
            *("x509", "-req", "-sha256", "-in", str(asked), "-days", str(NODE_DAYS), "-extfile", str(extensions)),
            *("-CA", str(authority / OBJECTS[1]), "-CAkey", str(authority / OBJECTS[0])),
            # a random serial needs no file that control nodes would have to share
            *("-set_serial", f"0x{_serial()}"),
        )


def is_valid(folder: Path, days: int = RENEW_DAYS) -> bool:
    """Whether `folder` has a node certificate signed by the authority in it, valid for `days` more days."""
    return (folder / "node.key").exists() and _vouched(folder / "node.crt", folder / OBJECTS[1], days)


def obtain(
    folder: Path,
    store: Store,
    *,
    stack: str,
    name: str,
    addresses: Sequence[str],
    asks: Callable[[], Asker] | None,
    creates_authority: bool = False,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """Obtains or renews the node's certificate if needed; whether it did. asks: gives how this node asks the control
    nodes; None for a control node, which signs itself. creates_authority: whether it creates a missing authority.
    Raises CannotSign.

    A first certificate is waited for without limit, a renewal for a minute at most: the daemon's start waits for it.
    """
    if is_valid(folder):
        return False
    renews = is_valid(folder, days=0)
    folder.mkdir(parents=True, exist_ok=True)
    limit_s = None if not renews else 0 if asks is None else RENEWAL_WAIT_S
    # in memory if possible, so that the authority's key is never written to a disk
    with tempfile.TemporaryDirectory(prefix="planner-", dir=in_memory()) as made:
        authority = Path(made)

        def signs() -> str:
            why = fetch_error(authority, store)
            if why == NOT_YET and creates_authority and not renews:
                why = _created(authority, store, stack)
            return why or _installed(folder, authority, sign(make_request(folder, name), authority, name, addresses))

        asking = _Asking(folder, authority, store, name, asks) if asks else None
        waited = 0
        while why := asking.step(waited) if asking else signs():
            if limit_s is not None and waited >= limit_s:
                print(f"not renewed, trying again tomorrow: {why}", flush=True)
                return False
            if waited % 60 == 0:
                print(f"waiting for the certificate since {waited} s: {why}", flush=True)
            sleep(WAIT_S)
            waited += WAIT_S
    return True


class _Asking:
    """How a node that does not sign comes by its certificate, one step at a time."""

    def __init__(self, folder: Path, authority: Path, store: Store, name: str, asks: Callable[[], Asker]) -> None:
        self._folder, self._authority, self._store, self._name, self._asks = folder, authority, store, name, asks
        self._asker: Asker | None = None
        self._asked_at = -ASK_AGAIN_S

    def step(self, waited: int) -> str:
        """Asks or looks for the answer; "" once the certificate is there, else why it is not."""
        why = fetch_error(self._authority, self._store, OBJECTS[1:])
        if why:
            return why
        try:
            self._asker = self._asker or self._asks()
            if waited - self._asked_at >= ASK_AGAIN_S:
                self._asker.ask(CERTIFICATE, make_request(self._folder, self._name).encode())
                self._asked_at = waited
            answer = self._asker.answer()
        except PoolProblem as problem:
            return str(problem)
        if answer is None or not (answer.certificate or answer.refused):
            return "no control node has answered yet"
        if answer.refused:
            return f"a control node refused to sign: {answer.refused}"
        return _installed(self._folder, self._authority, answer.certificate)


def _installed(folder: Path, authority: Path, certificate: str) -> str:
    """Installs a certificate of this node's key, and the authority that signed it; "" or why it is not one. An answer
    to an earlier request, or of an earlier authority, is not."""
    new = folder / "node.new"
    new.write_text(certificate, encoding="utf-8")
    try:
        ours = _run("openssl", "pkey", "-in", str(folder / "node.key"), "-pubout")
        if _run("openssl", "x509", "-in", str(new), "-noout", "-pubkey") != ours:
            return "the newest answer of the control nodes is for another key"
        if not _vouched(new, authority / OBJECTS[1], RENEW_DAYS):
            return "the newest answer of the control nodes is out of date, or of another authority"
        shutil.copyfile(authority / OBJECTS[1], folder / OBJECTS[1])
        new.replace(folder / "node.crt")
    except CannotSign as error:
        return str(error)
    finally:
        new.unlink(missing_ok=True)
    return ""


def _vouched(certificate: Path, authority: Path, days: int) -> bool:
    """Whether the authority has signed the certificate, which is valid for `days` more days."""
    if not (certificate.exists() and authority.exists()):
        return False
    try:
        _run("openssl", "verify", "-CAfile", str(authority), str(certificate))
        _run("openssl", "x509", "-in", str(certificate), "-noout", "-checkend", str(days * 86_400))
    except CannotSign:
        return False
    return True


def in_memory() -> str | None:
    """A folder that is not on a disk, if there is one."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def fetch_error(folder: Path, store: Store, names: Sequence[str] = OBJECTS) -> str:
    """Fetches the authority, or of it what is named, into `folder`; "" or the reason why it could not."""
    try:
        if not store.has_authority():
            return NOT_YET
        for name in names:
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
