"""The pool's tokens, by the real openssl; the bucket is a folder."""

from __future__ import annotations

import json
import stat
import subprocess
from pathlib import Path

import pytest
from fleet_pool.node import tokens
from fleet_pool.node.certificates import CannotSign
from fleet_pool.problems import UsageProblem
from fleet_pool.tokens import job_token, operator_token

from tests.infra.node.test_scripts import need

DAY = 86_400


@pytest.fixture(autouse=True)
def openssl() -> None:
    need("openssl", "openssl")


class Bucket:
    """As certificates.Store, in a folder. down: nothing answers."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.down = folder, False

    def has(self, key: str) -> bool:
        return self._path(key).exists()

    def copy_from(self, key: str, path: Path) -> None:
        if not self._path(key).exists():
            raise CannotSign(f"no {key}")
        path.write_bytes(self._path(key).read_bytes())

    def copy_to(self, path: Path, key: str) -> None:
        self._path(key).parent.mkdir(parents=True, exist_ok=True)
        self._path(key).write_bytes(path.read_bytes())

    def _path(self, key: str) -> Path:
        if self.down:
            raise CannotSign("S3 does not answer")
        return self.folder / key


class Slept(Exception):
    pass


def never(seconds: float) -> None:
    raise Slept


def text(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_the_first_control_node_signs_and_the_others_get_the_same(tmp_path):
    bucket, first, node, client = Bucket(tmp_path / "s3"), tmp_path / "c0", tmp_path / "n", tmp_path / "gpu"
    with pytest.raises(Slept):
        tokens.obtain(node, bucket, signs=False, administers=True, sleep=never)
    assert tokens.obtain(first, bucket, signs=True, administers=True, sleep=never) == ("job", "admin")
    assert tokens.obtain(node, bucket, signs=False, administers=True, sleep=never) == ("job", "admin")
    assert tokens.obtain(client, bucket, signs=False, administers=False, sleep=never) == ("job",)
    assert text(first) == text(node)
    assert sorted(text(client)) == ["daemon.env", "job.token"]
    assert {stat.S_IMODE((first / f"{kind}.token").stat().st_mode) for kind in ("job", "admin")} == {0o600}
    # the private key is in the folder that control nodes alone read, and nowhere else
    held = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()]
    assert [name for name in held if "key" in name] == ["s3/control/token.key"]
    assert tokens.obtain(first, bucket, signs=True, administers=True, sleep=never) == ()


def test_a_token_is_renewed_a_month_before_its_end_and_waits_for_nobody_then(tmp_path):
    bucket, first, node = Bucket(tmp_path / "s3"), tmp_path / "c0", tmp_path / "n"
    begin = 1_800_000_000.0

    def obtain(folder: Path, days: float) -> tuple[str, ...]:
        signs = folder == first
        return tokens.obtain(folder, bucket, signs=signs, administers=True, now=lambda: begin + days * DAY, sleep=never)

    for folder in (first, node):
        obtain(folder, 0)
    old = text(node)
    assert obtain(first, 59) == obtain(node, 59) == ()
    bucket.down = True
    assert obtain(first, 61) == obtain(node, 61) == ()
    bucket.down = False
    assert obtain(first, 61) == obtain(node, 62) == ("job", "admin")
    new = text(node)
    assert new["daemon.env"] == old["daemon.env"]  # the same key: running proxies know it
    assert tokens.days_left(node / "job.token", begin + 61 * DAY) == pytest.approx(90)
    bucket.down = True
    with pytest.raises(Slept):
        obtain(node, 200)  # its token has ended: nothing to go on with


def test_the_signature_is_openssl_s_own_and_the_claims_are_a_job_s(tmp_path):
    private, public = tmp_path / "key", tmp_path / "pub"
    tokens.make_keys(private, public)
    head, body, signature = tokens.signed("job", private, 1_800_000_000).split(".")
    decode = tokens.base64.urlsafe_b64decode
    (tmp_path / "signature").write_bytes(decode(signature + "=="))
    check = ["openssl", "dgst", "-sha256", "-verify", str(public), "-signature", str(tmp_path / "signature")]
    assert subprocess.run(check, input=f"{head}.{body}".encode(), capture_output=True).returncode == 0
    assert subprocess.run(check, input=f"{head}.{body}?".encode(), capture_output=True).returncode == 1
    claims = json.loads(decode(body + "=="))
    assert claims["admin"] is False
    assert claims["exp"] - claims["iat"] == tokens.TOKEN_DAYS * DAY
    administer = 1 << 17  # AceAdmin of api/apc/access.go
    changes_buckets = 1 << 10 | 1 << 11 | 1 << 14 | 1 << 15 | 1 << 16
    assert int(claims["clusters"][0]["perm"]) & (administer | changes_buckets) == 0


def test_a_program_shows_the_token_of_its_environment(tmp_path, monkeypatch):
    file = tmp_path / "job.token"
    file.write_text('{"token": "a.b.c"}')
    named = {"AIS_AUTHN_TOKEN_FILE": str(file)}
    assert (job_token({}), job_token(named)) == ("", "a.b.c")
    assert job_token({**named, "AIS_AUTHN_TOKEN": "d.e.f"}) == "d.e.f"
    assert operator_token(named) == "a.b.c"
    admin = tmp_path / "admin.token"
    admin.write_text('{"token": "g.h.i"}')
    monkeypatch.setattr("fleet_pool.tokens.ADMIN_FILE", str(admin))
    assert operator_token(named) == "g.h.i"
    assert job_token(named) == "a.b.c"
    for wrong in ("", "{}", "[]"):
        file.write_text(wrong)
        with pytest.raises(UsageProblem, match=r'needs \{"token"'):
            job_token(named)
    with pytest.raises(UsageProblem, match="No such file"):
        job_token({"AIS_AUTHN_TOKEN_FILE": str(tmp_path / "none")})
