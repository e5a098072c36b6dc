"""Who may do what with the pool, by tokens that its proxies check: jobs use objects, administrators do everything.

The first control node creates the key pair and signs both tokens. Its private key and the administrator's token stay
in a folder of the artifact bucket that only control nodes read; every daemon gets the public key, and a job's user
reads the job's token. The engine's own format: JSON Web Tokens, RS256.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fleet_pool.node.certificates import WAIT_S, CannotSign, Store, in_memory

TOKEN_DAYS = 90
RENEW_DAYS = 30
# in the artifact bucket
PRIVATE, PUBLIC = "control/token.key", "authority/token.pub"
TOKENS = {"job": "authority/job.token", "admin": "control/admin.token"}
DAEMON_FILE = "daemon.env"
# bits of the engine (AIStore v1.5.0, api/apc/access.go): read, look, write and delete objects; look at and list buckets
# and the cluster. Not: move, promote, change or remove buckets, administer
JOB_ACCESS = 1 | 2 | 4 | 16 | 256 | 512 | 4096 | 8192
CLAIMS: Mapping[str, Mapping[str, Any]] = {
    # no cluster named: for any
    "job": {"sub": "job", "admin": False, "clusters": [{"id": "", "perm": str(JOB_ACCESS)}]},
    "admin": {"sub": "administrator", "admin": True, "clusters": []},
}


def make_keys(private: Path, public: Path) -> None:
    """Writes a new key pair. Raises CannotSign."""
    _run("openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", str(private))
    _run("openssl", "pkey", "-in", str(private), "-pubout", "-out", str(public))


def signed(kind: str, private: Path, now_s: float, days: int = TOKEN_DAYS) -> str:
    """A token of that kind, "job" or "admin". Raises CannotSign."""
    claims = {**CLAIMS[kind], "iss": "planner", "iat": int(now_s), "exp": int(now_s + days * 86_400)}
    head, body = (_text(json.dumps(each).encode()) for each in ({"alg": "RS256", "typ": "JWT"}, claims))
    signature = _run("openssl", "dgst", "-sha256", "-sign", str(private), given=f"{head}.{body}".encode())
    return f"{head}.{body}.{_text(signature)}"


def days_left(path: Path, now_s: float) -> float:
    """Of the token in a file; 0 for a missing or unreadable one."""
    try:
        body = json.loads(path.read_text(encoding="utf-8"))["token"].split(".")[1]
        return (json.loads(base64.urlsafe_b64decode(body + "=="))["exp"] - now_s) / 86_400
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        return 0.0


def daemon_environment(public: Path) -> str:
    """The daemons' environment file: the public key as the engine takes it, in one line."""
    lines = public.read_text(encoding="utf-8").splitlines()
    return f'AIS_AUTHN_PUBLIC_KEY="{"".join(line for line in lines if not line.startswith("-----"))}"\n'


def obtain(
    folder: Path,
    store: Store,
    *,
    signs: bool,
    administers: bool,
    now: Callable[[], float] = time.time,
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[str, ...]:
    """Obtains or renews what a node needs, and returns which tokens changed. signs: the first control node, which signs
    them; the others wait without limit for the first ones. administers: whether root here operates the pool, as on
    control nodes.

    Raises CannotSign if the first ones cannot be signed. A renewal does not wait: it is tried again the next day.
    """
    kinds = ("job", "admin") if administers else ("job",)
    due = tuple(kind for kind in kinds if days_left(folder / f"{kind}.token", now()) < RENEW_DAYS)
    if not due and (folder / DAEMON_FILE).exists():
        return ()
    folder.mkdir(parents=True, exist_ok=True)
    has_all = all(days_left(folder / f"{kind}.token", now()) > 0 for kind in kinds) and (folder / DAEMON_FILE).exists()
    waited = 0
    while True:
        why = _signed_here(folder, store, due, now()) if signs else _fetched(folder, store, due)
        if not why:
            return due
        if has_all:
            print(f"tokens are not renewed, trying again tomorrow: {why}", flush=True)
            return ()
        if waited % 60 == 0:
            print(f"waiting for the pool's tokens since {waited} s: {why}", flush=True)
        sleep(WAIT_S)
        waited += WAIT_S


def _signed_here(folder: Path, store: Store, kinds: tuple[str, ...], now_s: float) -> str:
    """Signs and uploads; "" or the reason why it could not."""
    try:
        # in memory if possible, so that the private key is never written to a disk
        with tempfile.TemporaryDirectory(prefix="planner-", dir=in_memory()) as made:
            private, public = Path(made, "token.key"), Path(made, "token.pub")
            if store.has(PRIVATE):
                store.copy_from(PRIVATE, private)
                store.copy_from(PUBLIC, public)
            else:
                make_keys(private, public)
                store.copy_to(public, PUBLIC)  # the private key last, so that the public one exists wherever it does
                store.copy_to(private, PRIVATE)
            _write(folder / DAEMON_FILE, daemon_environment(public), 0o644)
            for kind in kinds:
                path = folder / f"{kind}.token"
                _write(path, json.dumps({"token": signed(kind, private, now_s)}), 0o600)
                store.copy_to(path, TOKENS[kind])
    except (CannotSign, OSError) as error:
        return str(error)
    return ""


def _fetched(folder: Path, store: Store, kinds: tuple[str, ...]) -> str:
    """Fetches; "" or the reason why it could not."""
    try:
        with tempfile.TemporaryDirectory(prefix="planner-") as made:
            for kind in kinds:
                new = Path(made, kind)
                store.copy_from(TOKENS[kind], new)
                _write(folder / f"{kind}.token", new.read_text(encoding="utf-8"), 0o600)
            public = Path(made, "token.pub")
            store.copy_from(PUBLIC, public)
            _write(folder / DAEMON_FILE, daemon_environment(public), 0o644)
    except (CannotSign, OSError) as error:
        return str(error)
    return ""


def _write(path: Path, text: str, mode: int) -> None:
    """In one step, never readable by more than `mode` says."""
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:
        file.write(text)
    new.chmod(mode)
    new.replace(path)


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _run(*command: str, given: bytes = b"") -> bytes:
    done = subprocess.run(command, input=given, capture_output=True, check=False)
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise CannotSign(f"{' '.join(command[:2])}: {lines[-1] if lines else f'exit code {done.returncode}'}")
    return done.stdout
