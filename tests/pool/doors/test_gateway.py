"""The gateway, asked by boto3 and curl themselves."""

from __future__ import annotations

import http.client
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from fleet_pool.client.errors import Unavailable
from fleet_pool.client.folder import Folder
from fleet_pool.doors.gateway import Gateway

from tests.infra.node.test_scripts import need

DATA = os.urandom(3 * 2**20 + 7)


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Gateway]:
    with Gateway(Folder(tmp_path / "train"), "train", port=0, staging=str(tmp_path)) as made:
        threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield made
        made.shutdown()


@pytest.fixture
def s3(gateway: Gateway):
    options = Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1})
    keys = {"aws_access_key_id": "unused", "aws_secret_access_key": "unused", "region_name": "us-east-1"}
    return boto3.client("s3", endpoint_url=f"http://127.0.0.1:{gateway.server_port}", config=options, **keys)


def test_boto3_writes_reads_lists_and_removes(s3):
    s3.put_object(Bucket="train", Key="set/a b&<é>.tar", Body=DATA)
    s3.put_object(Bucket="train", Key="set/deep/empty", Body=b"")
    assert s3.get_object(Bucket="train", Key="set/a b&<é>.tar")["Body"].read() == DATA
    assert s3.get_object(Bucket="train", Key="set/deep/empty")["Body"].read() == b""
    assert s3.head_object(Bucket="train", Key="set/a b&<é>.tar")["ContentLength"] == len(DATA)
    for asked, expected in (("bytes=5-9", DATA[5:10]), ("bytes=3145730-", DATA[3145730:]), ("bytes=-3", DATA[-3:])):
        answer = s3.get_object(Bucket="train", Key="set/a b&<é>.tar", Range=asked)
        assert (answer["ResponseMetadata"]["HTTPStatusCode"], answer["Body"].read()) == (206, expected)
    listed = s3.list_objects_v2(Bucket="train", Prefix="set/")["Contents"]
    assert {each["Key"]: each["Size"] for each in listed} == {"set/a b&<é>.tar": len(DATA), "set/deep/empty": 0}
    level = s3.list_objects_v2(Bucket="train", Prefix="set/", Delimiter="/")
    assert [each["Prefix"] for each in level["CommonPrefixes"]] == ["set/deep/"]
    assert [each["Key"] for each in level["Contents"]] == ["set/a b&<é>.tar"]
    s3.delete_object(Bucket="train", Key="set/deep/empty")
    assert s3.list_objects_v2(Bucket="train", Prefix="set/deep/")["KeyCount"] == 0


@pytest.mark.parametrize(
    ("ask", "code"),
    [
        (lambda s3: s3.get_object(Bucket="train", Key="none"), "NoSuchKey"),
        (lambda s3: s3.get_object(Bucket="other", Key="a"), "NoSuchBucket"),
        (lambda s3: s3.get_object(Bucket="train", Key="a", Range="bytes=9-"), "InvalidRange"),
        (lambda s3: s3.put_object(Bucket="train", Key="a//b", Body=b"1"), "AccessDenied"),
        (lambda s3: s3.create_multipart_upload(Bucket="train", Key="a"), "NotImplemented"),
        (lambda s3: s3.get_object_tagging(Bucket="train", Key="a"), "NotImplemented"),
    ],
)
def test_what_it_cannot_do_it_says_as_s3_would(s3, ask, code):
    s3.put_object(Bucket="train", Key="a", Body=b"1")
    with pytest.raises(ClientError) as caught:
        ask(s3)
    assert caught.value.response["Error"]["Code"] == code


def test_a_body_is_no_request_and_a_tag_is_not_the_object(gateway, s3):
    s3.put_object(Bucket="train", Key="kept", Body=b"1")
    client = http.client.HTTPConnection("127.0.0.1", gateway.server_port, timeout=10)
    hidden = b"DELETE /train/kept HTTP/1.1\r\n\r\n"
    for ask in (("POST", "/train/a", hidden), ("PUT", "/other/a", hidden), ("DELETE", "/train/kept?tagging", None)):
        client.request(*ask)
        assert client.getresponse().read().startswith(b"<?xml")
    client.request("PUT", "/train/new?x-id=PutObject", b"2")  # as AWS's SDKs for Go and JavaScript do
    assert client.getresponse().read() == b""
    client.request("GET", "/train/kept", headers={"Range": "bytes=0-99"})
    answer = client.getresponse()
    assert (answer.status, answer.read()) == (206, b"1")
    listed = s3.list_objects_v2(Bucket="train", StartAfter="kept")["Contents"]
    assert [each["Key"] for each in listed] == ["new"]
    client.close()


def test_a_store_that_does_not_answer_is_no_missing_object(gateway, s3, monkeypatch):
    def down(key, *, fresh=False):
        raise Unavailable("neither pool nor S3 answers")

    monkeypatch.setattr(gateway.store, "size", down)
    with pytest.raises(ClientError, match="neither pool nor S3 answers"):
        s3.get_object(Bucket="train", Key="a")


def test_curl_reads_a_shard_and_an_upload_that_is_cut_writes_nothing(gateway, tmp_path):
    url = f"http://127.0.0.1:{gateway.server_port}/train/a.tar"
    gateway.store.write("a.tar", DATA)
    words = [need("curl", "curl"), "-sL", "--fail", "--max-time", "20"]
    assert subprocess.run([*words, url], capture_output=True, check=True).stdout == DATA
    (tmp_path / "file").write_bytes(DATA)
    cut = [*words, "--limit-rate", "100k", "--max-time", "1", "-T", str(tmp_path / "file"), f"{url}.cut"]
    assert subprocess.run(cut, capture_output=True).returncode
    assert [entry.key for entry in gateway.store.entries("")] == ["a.tar"]


def test_rclone_copies_lists_and_renames_through_it(gateway, tmp_path):
    kind = {"TYPE": "s3", "PROVIDER": "Other", "FORCE_PATH_STYLE": "true", "NO_CHECK_BUCKET": "true"}
    kind |= {
        "ACCESS_KEY_ID": "unused",
        "SECRET_ACCESS_KEY": "unused",
        "ENDPOINT": f"http://127.0.0.1:{gateway.server_port}",
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environment = {**kept, **{f"RCLONE_CONFIG_POOL_{name}": value for name, value in kind.items()}}

    def rclone(*words: str) -> str:
        command = [
            need("rclone", "rclone"),
            "--config",
            "/dev/null",
            "--s3-upload-cutoff",
            "5G",
            "--retries",
            "1",
            *words,
        ]
        return subprocess.run(command, env=environment, capture_output=True, check=True, timeout=60).stdout.decode()

    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a").write_bytes(DATA)
    (tmp_path / "in" / "b").write_bytes(b"b")
    rclone("copy", str(tmp_path / "in"), "pool:train/set")
    assert sorted(rclone("lsf", "pool:train/set").split()) == ["a", "b"]
    rclone("copy", "pool:train/set", str(tmp_path / "out"))
    assert (tmp_path / "out" / "a").read_bytes() == DATA
    rclone("deletefile", "pool:train/set/b")
    assert [entry.key for entry in gateway.store.entries("")] == ["set/a"]
