"""Certificates made on the spot by openssl: an authority of the test's own, and what it vouches for."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path

from fleet_pool.node import tokens
from fleet_pool.node.config import Tls

from tests.pool.machine import run


class Authority:
    """A private authority in a folder. Its keys end with the test."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.certificate, self._key = folder, folder / "authority.crt", folder / "authority.key"
        folder.mkdir(parents=True)
        new = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
        run(*new, "-days", "2", "-subj", f"/CN={name}", "-keyout", self._key, "-out", self.certificate)

    def issue(self, name: str, addresses: Iterable[str] = (), *, days: int = 1) -> Tls:
        """A key and a certificate for both ends of a connection. A negative number of days: it has expired."""
        key, request, certificate = (self.folder / f"{name}.{end}" for end in ("key", "csr", "crt"))
        extensions = self.folder / f"{name}.ext"
        named = "".join(f",IP:{address}" for address in addresses)
        extensions.write_text(f"extendedKeyUsage=serverAuth,clientAuth\nsubjectAltName=DNS:{name}{named}\n")
        ask = ("openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
        run(*ask, "-subj", f"/CN={name}", "-keyout", key, "-out", request)
        sign = ("openssl", "x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self._key)
        run(*sign, "-CAcreateserial", "-days", str(days), "-extfile", extensions, "-out", certificate)
        return Tls(certificate=str(certificate), key=str(key), authority=str(self.certificate))


class Tokens:
    """What the first control node writes beside the certificates: the daemons' key and both tokens."""

    def __init__(self, folder: Path) -> None:
        self._private, public = folder / "token.key", folder / "token.pub"
        tokens.make_keys(self._private, public)
        (folder / tokens.DAEMON_FILE).write_text(tokens.daemon_environment(public))
        self.job, self.admin = self.signed("job"), self.signed("admin")
        for kind, token in (("job", self.job), ("admin", self.admin)):
            (folder / f"{kind}.token").write_text(json.dumps({"token": token}))

    def signed(self, kind: str, days: int = 1) -> str:
        """A negative number of days: it has expired."""
        return tokens.signed(kind, self._private, time.time(), days)
