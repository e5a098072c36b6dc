"""The pool's authority and certificates, by the real openssl; the bucket by the AWS CLI over a real S3 API."""

from __future__ import annotations

import os
import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fleet_pool.node import certificates
from fleet_pool.node.certificates import CannotSign, Store, is_valid, make_authority, make_certificate, obtain

from tests.infra.node.machine import AWS
from tests.infra.node.test_scripts import need


@pytest.fixture(autouse=True)
def openssl() -> None:
    need("openssl", "openssl")


def text_of(certificate: Path) -> str:
    command = ["openssl", "x509", "-in", str(certificate), "-noout", "-text"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    folder = tmp_path / "authority"
    folder.mkdir()
    make_authority(folder, "dev")
    return folder


def node(tmp_path: Path, authority: Path, name: str = "i-0123456789abcdef0") -> Path:
    folder = tmp_path / name
    folder.mkdir()
    make_certificate(folder, authority, name, ["10.0.1.7", "127.0.0.1"])
    (folder / "authority.crt").write_bytes((authority / "authority.crt").read_bytes())
    return folder


def test_a_node_s_certificate_serves_both_ways_for_its_own_address(tmp_path, authority):
    folder = node(tmp_path, authority)
    told = text_of(folder / "node.crt")
    assert "IP Address:10.0.1.7, IP Address:127.0.0.1" in told
    assert "TLS Web Server Authentication, TLS Web Client Authentication" in told
    assert "CA:FALSE" in told
    assert "CA:TRUE, pathlen:0" in text_of(authority / "authority.crt")
    assert sorted(path.name for path in folder.iterdir()) == ["authority.crt", "node.crt", "node.key"]
    assert is_valid(folder)
    assert is_valid(folder, days=certificates.NODE_DAYS - 1)
    assert not is_valid(folder, days=certificates.NODE_DAYS + 1)


def test_a_certificate_of_another_authority_is_not_valid(tmp_path, authority):
    folder, other = node(tmp_path, authority), tmp_path / "other"
    other.mkdir()
    make_authority(other, "dev")
    (folder / "authority.crt").write_bytes((other / "authority.crt").read_bytes())
    assert not is_valid(folder)


def test_python_s_own_tls_takes_the_pair_and_checks_the_address(tmp_path, authority):
    folder = node(tmp_path, authority)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(folder / "node.crt", folder / "node.key")
    server.load_verify_locations(folder / "authority.crt")
    server.verify_mode = ssl.CERT_REQUIRED
    client = ssl.create_default_context(cafile=str(folder / "authority.crt"))
    client.load_cert_chain(folder / "node.crt", folder / "node.key")
    assert handshake(server, client, "10.0.1.7") is None
    with pytest.raises(ssl.SSLCertVerificationError, match="IP address mismatch"):
        handshake(server, client, "10.0.1.8")
    with pytest.raises(ssl.SSLError):
        handshake(server, ssl.create_default_context(cafile=str(folder / "authority.crt")), "10.0.1.7")


def handshake(server: ssl.SSLContext, client: ssl.SSLContext, name: str) -> None:
    """Both ends in memory, with the first bytes after it, which carry a refusal in TLS 1.3. Raises SSLError."""
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [server.wrap_bio(up, down, server_side=True), client.wrap_bio(down, up, server_hostname=name)]
    done = [False, False]
    for _ in range(12):
        for number in (1, 0):
            try:
                if not done[number]:
                    ends[number].do_handshake()
                    done[number] = True
            except ssl.SSLWantReadError:
                pass
    assert all(done)


@dataclass
class Folder:
    """A store in a folder. late: how often it says that there is nothing yet."""

    path: Path
    late: int = 0
    asked: list[str] = field(default_factory=list)

    def has_authority(self) -> bool:
        self.late -= 1
        return self.late < 0 and (self.path / "authority.crt").exists()

    def fetch(self, name: str, path: Path) -> None:
        self.asked.append(name)
        path.write_bytes((self.path / name).read_bytes())

    def upload(self, name: str, path: Path) -> None:
        (self.path / name).write_bytes(path.read_bytes())


def got(folder: Path, store: object, *, creates_authority: bool, waits: list[float] | None = None) -> bool:
    def sleep(seconds: float) -> None:
        (waits if waits is not None else []).append(seconds)

    return obtain(
        folder,
        store,  # type: ignore[arg-type]
        stack="dev",
        name=folder.name,
        addresses=["10.0.1.7"],
        creates_authority=creates_authority,
        sleep=sleep,
    )


def test_the_first_control_node_creates_the_authority_and_the_others_use_it(tmp_path, capsys):
    store = Folder(tmp_path / "bucket")
    store.path.mkdir()
    assert got(tmp_path / "control0", store, creates_authority=True)
    waits: list[float] = []
    store.late = 3
    assert got(tmp_path / "target1", store, creates_authority=False, waits=waits)
    assert len(waits) == 3
    assert "waiting for the pool's authority" in capsys.readouterr().out
    same = {(tmp_path / name / "authority.crt").read_bytes() for name in ("control0", "target1")}
    assert len(same) == 1
    # nobody keeps the authority's key
    assert not list(tmp_path.glob("*/authority.key")) or [p.parent for p in tmp_path.glob("*/authority.key")] == [
        store.path
    ]
    store.late = 0
    assert not got(tmp_path / "target1", store, creates_authority=False)  # it is_valid: nothing is asked
    store.late = 0
    founded = (store.path / "authority.crt").read_bytes()
    assert got(tmp_path / "control0again", store, creates_authority=True)
    assert (store.path / "authority.crt").read_bytes() == founded


def test_a_renewal_keeps_the_key(tmp_path, authority, monkeypatch):
    store = Folder(tmp_path / "bucket")
    store.path.mkdir()
    assert got(tmp_path / "node", store, creates_authority=True)
    before = {name: (tmp_path / "node" / name).read_bytes() for name in ("node.key", "node.crt")}
    due(monkeypatch)
    assert got(tmp_path / "node", store, creates_authority=False)
    assert (tmp_path / "node/node.key").read_bytes() == before["node.key"]
    assert (tmp_path / "node/node.crt").read_bytes() != before["node.crt"]


def due(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every certificate is good, and to be renewed."""
    far = certificates.NODE_DAYS + 1
    monkeypatch.setattr(certificates, "is_valid", lambda folder, days=far: is_valid(folder, days=days))


def test_a_renewal_does_not_wait(tmp_path, monkeypatch, capsys):
    """The daemon starts after it: with a certificate that is still good it need not wait until S3 is back."""
    store = Folder(tmp_path / "bucket")
    store.path.mkdir()
    assert got(tmp_path / "node", store, creates_authority=True)
    before = (tmp_path / "node/node.crt").read_bytes()
    due(monkeypatch)
    waits: list[float] = []
    store.late = 1
    assert not got(tmp_path / "node", store, creates_authority=False, waits=waits)
    assert waits == []
    assert (tmp_path / "node/node.crt").read_bytes() == before
    assert "not renewed, trying again tomorrow" in capsys.readouterr().out


def test_a_renewal_creates_no_second_authority(tmp_path, monkeypatch):
    """Every other node's certificate would be refused by the one that did, and its by all of them."""
    store = Folder(tmp_path / "bucket")
    store.path.mkdir()
    assert got(tmp_path / "node", store, creates_authority=True)
    for name in certificates.OBJECTS:
        (store.path / name).unlink()
    due(monkeypatch)
    assert not got(tmp_path / "node", store, creates_authority=True)
    assert list(store.path.iterdir()) == []


def test_an_error_of_openssl_is_reported(tmp_path, authority):
    folder = tmp_path / "node"
    folder.mkdir()
    with pytest.raises(CannotSign, match="openssl x509"):
        make_certificate(folder, authority, "node", ["not-an-address"])


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Store]:
    """A bucket of moto's server, and an AWS CLI that knows it."""
    real = need("aws", "awscli")
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/aws").write_text(AWS.format(real=real, endpoint=f"http://{host}:{port}"))
    (tmp_path / "bin/aws").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    command = ["aws", "s3api", "create-bucket", "--bucket", "artefacts", "--region", "us-east-1"]
    subprocess.run(command, check=True, capture_output=True)
    yield Store(bucket="artefacts", region="us-east-1")
    server.stop()


@pytest.mark.thorough
def test_the_authority_lies_in_the_bucket_and_is_made_once(bucket, tmp_path):
    assert not bucket.has_authority()
    assert got(tmp_path / "control0", bucket, creates_authority=True)
    assert bucket.has_authority()
    assert got(tmp_path / "target1", bucket, creates_authority=False)
    same = {(tmp_path / name / "authority.crt").read_bytes() for name in ("control0", "target1")}
    assert len(same) == 1
    with pytest.raises(CannotSign, match="aws s3api"):
        Store(bucket="nothing-here", region="us-east-1").has_authority()
