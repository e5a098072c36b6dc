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
from fleet_pool.node.certificates import CannotSign, Store, is_valid, make_authority, make_request, obtain, sign
from fleet_pool.node.requests import CERTIFICATE, Answer
from fleet_pool.problems import Unreachable

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
    signed = sign(make_request(folder, name), authority, name, ["10.0.1.7", "127.0.0.1"])
    (folder / "node.crt").write_text(signed)
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


class Control:
    """A control node that answers at once, with the authority that a folder holds. silent: how often it does not.
    failing: how often S3 does not take the request."""

    def __init__(self, authority: Path, silent: int = 0, failing: int = 0) -> None:
        self.authority, self.silent, self.failing = authority, silent, failing
        self.requests: list[str] = []
        self.answers: list[Answer] = []

    def ask(self, kind: str, data: bytes) -> None:
        assert kind == CERTIFICATE
        self.failing -= 1
        if self.failing >= 0:
            raise Unreachable("S3 does not answer")
        self.requests.append(data.decode())
        self.silent -= 1
        if self.silent < 0:
            signed = sign(data.decode(), self.authority, "node", ["10.0.1.7"])
            self.answers.append(Answer(certificate=signed, refused=""))

    def answer(self) -> Answer | None:
        return self.answers[-1] if self.answers else None


def got(
    folder: Path,
    store: object,
    *,
    creates_authority: bool = False,
    control: Control | None = None,
    waits: list[float] | None = None,
) -> bool:
    def sleep(seconds: float) -> None:
        (waits if waits is not None else []).append(seconds)

    return obtain(
        folder,
        store,  # type: ignore[arg-type]
        stack="dev",
        name="node",
        addresses=["10.0.1.7"],
        asks=(lambda: control) if control else None,  # type: ignore[arg-type,return-value]
        creates_authority=creates_authority,
        sleep=sleep,
    )


def test_the_first_control_node_creates_the_authority_and_the_others_ask_it(tmp_path, capsys):
    store = Folder(tmp_path / "bucket")
    store.path.mkdir()
    assert got(tmp_path / "control0", store, creates_authority=True)
    waits: list[float] = []
    store.late, store.asked, control = 3, [], Control(store.path)
    assert got(tmp_path / "target1", store, control=control, waits=waits)
    assert len(waits) == 3
    assert set(store.asked) == {"authority.crt"}, "a node that asks never sees the authority's key"
    assert "waiting for the certificate" in capsys.readouterr().out
    same = {(tmp_path / name / "authority.crt").read_bytes() for name in ("control0", "target1")}
    assert len(same) == 1
    # nobody keeps the authority's key
    assert [path.parent for path in tmp_path.rglob("authority.key")] == [store.path]
    assert not got(tmp_path / "target1", store, control=control)  # it is valid: nothing is asked
    assert len(control.requests) == 1
    store.late = 0
    founded = (store.path / "authority.crt").read_bytes()
    assert got(tmp_path / "control0again", store, creates_authority=True)
    assert (store.path / "authority.crt").read_bytes() == founded


def test_a_request_is_sent_again_until_a_control_node_answers_and_says_why_it_waits(tmp_path, authority, capsys):
    store, control, waits = Folder(authority), Control(authority, silent=2, failing=1), []
    assert got(tmp_path / "node", store, control=control, waits=waits)
    assert len(control.requests) == 3
    every = certificates.ASK_AGAIN_S // certificates.WAIT_S
    assert len(waits) == 1 + 2 * every  # one for S3, and for two answers that did not come
    assert "S3 does not answer" in capsys.readouterr().out


def test_answers_that_are_not_for_this_node_s_key_or_authority_are_not_installed(tmp_path, authority, capsys):
    """Late answers to requests of an earlier life, of another authority, and refusals."""
    other = tmp_path / "other"
    other.mkdir()
    make_authority(other, "dev")
    folder = tmp_path / "node"
    folder.mkdir()
    mine = make_request(folder, "node")
    (tmp_path / "earlier").mkdir()
    wrong = [
        Answer(
            certificate=sign(make_request(tmp_path / "earlier", "node"), authority, "node", ["10.0.1.7"]), refused=""
        ),
        Answer(certificate=sign(mine, other, "node", ["10.0.1.7"]), refused=""),
        Answer(certificate="no certificate at all", refused=""),
        Answer(certificate="", refused="EC2 does not know it"),
    ]
    for answer in wrong:
        control = Control(authority, silent=1)
        control.answers = [answer]
        waits: list[float] = []
        assert got(folder, Folder(authority), control=control, waits=waits)
        assert len(waits) == certificates.ASK_AGAIN_S // certificates.WAIT_S, answer
        assert is_valid(folder)
        (folder / "node.crt").unlink()
    said = capsys.readouterr().out
    assert "for another key" in said
    assert "of another authority" in said
    assert "refused to sign: EC2 does not know it" in said


def test_only_the_instance_s_own_request_is_signed_and_what_it_says_of_addresses_does_not_count(tmp_path, authority):
    make_request(tmp_path, "i-0123456789abcdef0")
    with pytest.raises(CannotSign, match="names another"):
        sign(make_request(tmp_path, "i-0123456789abcdef0"), authority, "i-0fedcba9876543210", ["10.0.1.7"])
    with pytest.raises(CannotSign, match="openssl req"):
        sign("not a request", authority, "i-0123456789abcdef0", ["10.0.1.7"])
    words = ("-subj", "/CN=node", "-addext", "subjectAltName=IP:10.0.0.9", "-addext", "basicConstraints=CA:TRUE")
    asked = ["openssl", "req", "-new", "-key", str(tmp_path / "node.key"), *words]
    greedy = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    (tmp_path / "signed").write_text(sign(greedy, authority, "node", ["10.0.1.7"]))
    told = text_of(tmp_path / "signed")
    assert "IP Address:10.0.1.7" in told
    assert "10.0.0.9" not in told
    assert "CA:FALSE" in told
    # a request whose signature is of another key proves nothing
    body = greedy.splitlines()
    body[3] = body[3][::-1]
    with pytest.raises(CannotSign):
        sign("\n".join(body), authority, "node", ["10.0.1.7"])


def test_a_renewal_keeps_the_key(tmp_path, authority, monkeypatch):
    store = Folder(tmp_path / "bucket")
    store.path.mkdir()
    assert got(tmp_path / "node", store, creates_authority=True)
    before = {name: (tmp_path / "node" / name).read_bytes() for name in ("node.key", "node.crt")}
    due(monkeypatch)
    assert got(tmp_path / "node", store, control=Control(store.path))
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
    assert not got(tmp_path / "node", store, creates_authority=True, waits=waits)
    assert waits == []
    assert (tmp_path / "node/node.crt").read_bytes() == before
    assert "not renewed, trying again tomorrow" in capsys.readouterr().out
    # and where it asks control nodes, a minute
    assert not got(tmp_path / "node", store, control=Control(store.path, silent=99), waits=waits)
    assert sum(waits) == certificates.RENEWAL_WAIT_S
    assert (tmp_path / "node/node.crt").read_bytes() == before


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
        sign(make_request(folder, "node"), authority, "node", ["not-an-address"])


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
    assert got(tmp_path / "control1", bucket)
    same = {(tmp_path / name / "authority.crt").read_bytes() for name in ("control0", "control1")}
    assert len(same) == 1
    with pytest.raises(CannotSign, match="aws s3api"):
        Store(bucket="nothing-here", region="us-east-1").has_authority()
