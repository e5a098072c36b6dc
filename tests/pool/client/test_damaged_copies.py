"""A cached copy that decayed on its drive: found by whoever reads it, dropped, counted, and fetched from S3 again."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet_pool.client import Patience, Store, open_store
from fleet_pool.client.errors import Damaged, Refused, Unavailable
from fleet_pool.digests import PART_BYTES, index_key
from fleet_pool.operate.command import main
from fleet_pool.problems import Code

from tests.pool.client.conftest import endpoints, s3_of
from tests.pool.cluster import BUCKET, Cluster
from tests.pool.daemon import wait_until
from tests.pool.s3 import REGION

pytestmark = pytest.mark.real

SIZE = 3 * PART_BYTES + 4321


@pytest.fixture
def data_set(cluster: Cluster, request, monkeypatch) -> tuple[str, dict[str, bytes]]:
    """Objects that came to S3 by another way than the pool, their manifest, and the environment of the command."""
    monkeypatch.setenv("AIS_ENDPOINT", ",".join(endpoints(cluster)))
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", cluster.s3.endpoint)
    monkeypatch.setenv("PLANNER_POOL_SHARED", "")
    prefix = f"{request.node.originalname}/"
    objects = {f"{prefix}shard-{number}.tar": os.urandom(SIZE) for number in range(6)}
    for key, data in objects.items():
        cluster.s3.client().put_object(Bucket=BUCKET, Key=key, Body=data)
    assert main(["digest", BUCKET, "--prefix", prefix]) == Code.OK
    store = opened(cluster)
    for key in objects:
        store.read(key)
    return prefix, objects


def opened(cluster: Cluster, *prefixes: str) -> Store:
    return open_store(
        f"s3://{BUCKET}",
        pool=endpoints(cluster),
        region=REGION,
        s3_endpoint_url=cluster.s3.endpoint,
        digests=prefixes,
        patience=Patience(total_s=8),
    )


def copies_of(cluster: Cluster, key: str) -> list[Path]:
    name = Path(key).name
    paths = [path for node in cluster.nodes for drive in node.drives for path in Path(drive.mount).rglob(name)]
    return [path for path in paths if str(path).endswith(key)]


def copy_of(cluster: Cluster, key: str) -> Path:
    [found] = copies_of(cluster, key)
    return found


def flip(cluster: Cluster, key: str, at: int = 5_000) -> None:
    with copy_of(cluster, key).open("r+b") as file:
        file.seek(at)
        [byte] = file.read(1)
        file.seek(at)
        file.write(bytes([byte ^ 1]))


def zeros(cluster: Cluster, key: str) -> None:
    with copy_of(cluster, key).open("r+b") as file:
        file.write(bytes(SIZE))


def test_a_read_of_the_whole_or_of_a_part_is_right_and_the_copy_is_dropped(cluster, data_set, capsys):
    prefix, objects = data_set
    one, other, zeroed, well = list(objects)[:4]
    flip(cluster, one)
    flip(cluster, other, at=2 * PART_BYTES + 7)
    zeros(cluster, zeroed)
    unchecked = opened(cluster)
    assert unchecked.read(one) != objects[one], "the engine found it by itself: nothing was tried"
    store = opened(cluster, prefix)
    assert store.read(one) == objects[one]
    start, length = 2 * PART_BYTES - 10, 100
    assert store.read(other, start=start, length=length) == objects[other][start : start + length]
    assert store.read(zeroed, start=SIZE - 5) == objects[zeroed][-5:]
    assert store.read(well, start=1, length=SIZE) == objects[well][1:]
    assert store.counts.damaged == 3
    for key in objects:  # by a reader that checks nothing: the copies are right again
        assert unchecked.read(key) == objects[key]
    assert store.entries(prefix) == tuple(sorted(s3_entries(cluster, prefix), key=lambda entry: entry.key))
    capsys.readouterr()
    main(["status", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["damaged_copies"] >= 3
    [what] = [each["what"] for each in told["findings"] if "found damaged in the last 7 days" in each["what"]]
    assert any(f" of them on {node.id}" in what for node in cluster.nodes), what


def s3_entries(cluster: Cluster, prefix: str) -> list:
    return [entry for entry in s3_of(cluster).entries(prefix) if ".planner-digests" not in entry.key]


@pytest.fixture
def validating(cluster: Cluster) -> Iterator[None]:
    """The engine's own check of cached reads, which is off."""

    def check(on: bool) -> None:
        message = {"action": "set-bprops", "value": {"checksum": {"validate_warm_get": on}}}
        cluster.client()._asked(
            "PATCH", f"/v1/buckets/{BUCKET}?provider=aws", json.dumps(message).encode(), json_body=True
        )

    check(True)
    yield
    check(False)


def test_the_engine_s_own_check_takes_every_copy_for_damaged_if_the_etag_is_no_md5(cluster, data_set, validating):
    """docs/pool.md, `checksum.validate_warm_get`: it heals, and under KMS each read fetches the whole object again."""
    plain, encrypted = list(data_set[1])[:2]
    [object_] = [path for path in cluster.s3.folder.rglob(encrypted.rpartition("/")[2]) if encrypted in str(path)]
    os.setxattr(object_, b"user.etag", b"0123456789abcdef" * 2)  # where the S3 server keeps what it says of objects
    reader = opened(cluster)
    for key in (plain, encrypted):
        reader.read(key)
        cluster.client().evict([key])
        wait_until(lambda key=key: not copies_of(cluster, key), "an evicted copy", 20)
        assert reader.read(key) == data_set[1][key]
    flip(cluster, plain)
    for key, fetched in ((plain, True), (plain, False), (encrypted, True), (encrypted, True)):
        before = copy_of(cluster, key).stat().st_ino
        assert reader.read(key, start=7, length=9) == data_set[1][key][7:16]
        assert (copy_of(cluster, key).stat().st_ino != before) == fetched


def test_verify_heals_what_nobody_has_read(cluster, data_set, capsys):
    prefix, objects = data_set
    keys = list(objects)
    flip(cluster, keys[0], at=SIZE - 1)
    zeros(cluster, keys[1])
    capsys.readouterr()
    assert main(["verify", BUCKET, "--prefix", prefix, "--json"]) == Code.BLOCKER
    told = json.loads(capsys.readouterr().out)
    assert (told["objects"], told["healed"], told["broken"], told["failed"]) == (6, keys[:2], {}, {})
    assert main(["verify", BUCKET, "--prefix", prefix, "--gb-per-s", "0.01", "--json"]) == Code.OK
    told = json.loads(capsys.readouterr().out)
    assert told["seconds"] >= (6 * SIZE - 4 * SIZE) / 10e6
    for key in objects:
        assert opened(cluster).read(key) == objects[key]


def test_what_is_wrong_in_s3_is_said_and_never_read(cluster, data_set, capsys):
    prefix, objects = data_set
    key = next(iter(objects))
    cluster.s3.client().put_object(Bucket=BUCKET, Key=key, Body=bytes(SIZE))
    store = opened(cluster, prefix)
    assert store.read(key) == objects[key], "the cached copy is the right one"
    s3_only = open_store(
        f"s3://{BUCKET}", pool=(), region=REGION, s3_endpoint_url=cluster.s3.endpoint, digests=[prefix]
    )
    with pytest.raises(Damaged, match=r"from byte 0 on differs from the manifest in S3 itself.*planner pool digest"):
        s3_only.read(key)
    flip(cluster, key)
    capsys.readouterr()
    assert main(["verify", BUCKET, "--prefix", prefix]) == Code.BLOCKER
    assert f"BROKEN  {key}" in capsys.readouterr().out


def test_a_manifest_that_is_written_anew_counts_at_once(cluster, data_set):
    """The pool holds the index before, as of any key."""
    prefix, objects = data_set
    key = next(iter(objects))
    assert opened(cluster, prefix).read(key) == objects[key]
    changed = os.urandom(SIZE)
    s3_of(cluster).write(key, changed)
    assert main(["digest", BUCKET, "--prefix", prefix]) == Code.OK
    store = opened(cluster, prefix)
    assert store.read(key) == changed, "the copy of the old bytes was taken for right"
    assert store.counts.damaged == 1
    assert opened(cluster).read(key) == changed  # the pool has it again
    flip(cluster, key)
    cluster.s3.kill()
    later = opened(cluster, prefix)
    assert later.read(key, start=PART_BYTES, length=7) == changed[PART_BYTES : PART_BYTES + 7]
    with pytest.raises(Unavailable):  # the manifest is there without S3, and the first MiB is not right
        later.read(key, length=7)


def test_a_damaged_manifest_is_read_from_s3(cluster, data_set):
    prefix, objects = data_set
    opened(cluster, prefix).read(next(iter(objects)))
    path = copy_of(cluster, index_key(prefix))
    path.write_bytes(bytes(path.stat().st_size))
    flip(cluster, next(iter(objects)))
    assert opened(cluster, prefix).read(next(iter(objects))) == objects[next(iter(objects))]


def test_a_flipped_bit_in_a_manifest_s_index_is_found_and_verify_drops_it(cluster, data_set, capsys):
    """In the digest of a page: the page, which is right, must not be taken for the wrong one."""
    prefix, objects = data_set
    opened(cluster, prefix).read(next(iter(objects)))
    path = copy_of(cluster, index_key(prefix))
    flip(cluster, index_key(prefix), at=path.read_bytes().index(b'"pages"') + 200)
    flip(cluster, next(iter(objects)))
    assert opened(cluster, prefix).read(next(iter(objects))) == objects[next(iter(objects))]
    capsys.readouterr()
    assert main(["verify", BUCKET, "--prefix", prefix]) == Code.OK, "the manifest, too, comes from S3 again"


def test_data_that_was_changed_in_s3_is_no_damage_and_its_new_manifest_reaches_a_running_job(cluster, data_set):
    prefix, objects = data_set
    key, changed = next(iter(objects)), os.urandom(SIZE)
    store = opened(cluster, prefix)
    store.read(next(reversed(objects)))
    store.write(key, changed)
    assert main(["digest", BUCKET, "--prefix", prefix]) == Code.OK
    assert store.read(key) == changed
    assert store.counts.damaged == 0


def test_a_copy_that_was_cut_short_is_no_sickness_of_its_node_and_verify_has_it_removed(
    cluster, data_set, caplog, capsys
):
    """The engine refuses to read it and to drop it."""
    prefix, objects = data_set
    key = next(iter(objects))
    os.truncate(copy_of(cluster, key), PART_BYTES)
    three_hours_ago = time.time() - 3 * 3600
    os.utime(copy_of(cluster, key), (three_hours_ago, three_hours_ago))
    store = opened(cluster, prefix)
    for _ in range(6):
        assert store.read(key) == objects[key]
    assert store.counts.damaged >= 4
    assert "left alone" not in caplog.text
    assert caplog.text.count(f"copy of {key} was damaged and stays") == 1
    capsys.readouterr()
    assert main(["verify", BUCKET, "--prefix", prefix]) == Code.AWS
    assert "cut short" in capsys.readouterr().out
    wait_until(lambda: not copies_of(cluster, key), "the engine's clean-up", 20)
    assert opened(cluster).read(key) == objects[key]


def test_registering_writes_the_manifest_that_is_not_there(cluster, data_set, capsys):
    prefix, objects = data_set
    words = ["register", BUCKET, "--kind", "dataset", "--digest"]
    capsys.readouterr()
    assert main([*words, prefix]) == Code.OK
    assert capsys.readouterr().out.endswith(f"{prefix}: already has a digest manifest\n")
    more, data = f"{prefix}more/", next(iter(objects.values()))
    cluster.s3.client().put_object(Bucket=BUCKET, Key=f"{more}0.tar", Body=data)
    assert main([*words, more]) == Code.OK
    assert capsys.readouterr().out.endswith(f"{more}: digests of 1 object, 3.15 MB\n")
    assert opened(cluster).read(f"{more}0.tar") == data
    flip(cluster, f"{more}0.tar")
    assert opened(cluster, more).read(f"{more}0.tar") == data
    assert main(["register", BUCKET, "another", "--kind", "dataset", "--digest", more]) == Code.USAGE
    assert main([*words, prefix[:-1]]) == Code.USAGE
    assert "must end in a slash" in capsys.readouterr().err
    with pytest.raises(Refused, match="must end in a slash"):
        opened(cluster, prefix[:-1])


@pytest.mark.parametrize("verb", ["verify", "digest"])
def test_a_prefix_without_a_manifest_or_objects_is_a_usage_error(cluster, data_set, capsys, verb):
    assert main([verb, BUCKET, "--prefix", "nothing/"]) == Code.USAGE
    assert ("planner pool digest" if verb == "verify" else "no objects below") in capsys.readouterr().err
