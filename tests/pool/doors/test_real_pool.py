"""The doors on the real engine over a real S3 server, nodes lost meanwhile."""

from __future__ import annotations

import sysconfig
import time
from pathlib import Path

import pandas as pd
import pyarrow.dataset as ds
from fleet_pool.client import Checkpoints
from fleet_pool.doors.filesystem import PoolFileSystem

from tests.pool.client.conftest import cluster, endpoints, environment, s3_of, standing_cluster
from tests.pool.cluster import BUCKET, Cluster
from tests.pool.doors.test_torch import kill, said
from tests.pool.s3 import REGION

__all__ = ["cluster", "environment", "standing_cluster"]


def test_pandas_and_pyarrow_read_and_write_while_a_node_is_lost(cluster: Cluster):
    options = {"pool": endpoints(cluster), "region": REGION, "s3_endpoint_url": cluster.s3.endpoint}
    frames = [pd.DataFrame({"value": range(n, n + 1000)}) for n in range(24)]
    for number, frame in enumerate(frames):
        if number == 8:
            cluster.nodes[1].kill()
        frame.to_parquet(f"fleet://{BUCKET}/doors/set/{number}.parquet", storage_options=options)
    fs = PoolFileSystem(**options)
    table = ds.dataset(f"{BUCKET}/doors/set", filesystem=fs, format="parquet").to_table()
    assert sorted(table.column("value").to_pylist()) == sorted(value for frame in frames for value in frame["value"])
    for number, frame in enumerate(frames):
        read = pd.read_parquet(f"fleet://{BUCKET}/doors/set/{number}.parquet", storage_options=options)
        pd.testing.assert_frame_equal(read, frame)
    assert len(s3_of(cluster).entries("doors/set/")) == len(frames)


def test_a_folder_that_the_console_made_is_no_file(cluster: Cluster):
    cluster.s3.client().put_object(Bucket=BUCKET, Key="console/", Body=b"")
    options = {"pool": endpoints(cluster), "region": REGION, "s3_endpoint_url": cluster.s3.endpoint}
    fs = PoolFileSystem(**options)
    fs.pipe(f"{BUCKET}/console/a", b"1")
    assert fs.find(f"{BUCKET}/console") == fs.ls(f"{BUCKET}/console", detail=False) == [f"{BUCKET}/console/a"]
    fs.rm(f"{BUCKET}/console", recursive=True)
    assert s3_of(cluster).entries("console/") == ()


def test_four_processes_killed_beside_a_lost_node_resume_to_equal_tensors(torchrun, cluster: Cluster, tmp_path: Path):
    words = ["--store", f"s3://{BUCKET}", "--s3-endpoint-url", cluster.s3.endpoint, "--staging", str(tmp_path)]
    words += ["--pool", *endpoints(cluster), "--steps", "9", "--prefix"]
    around = {**cluster.s3.environment, "AFTER_TORCH": sysconfig.get_path("purelib")}  # the engine's SDK
    undisturbed = said(torchrun(4, *words, "doors/whole", **around))
    job = torchrun(4, *words, "doors/killed", "--pace-s", "0.3", **around)
    saved, deadline = Checkpoints(s3_of(cluster), "doors/killed"), time.monotonic() + 120
    while saved.newest()[0] is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    cluster.nodes[2].kill()
    time.sleep(0.5)
    kill(job)
    last = said(torchrun(4, *words, "doors/killed", **around))
    assert int(last["begins"][0]) in (3, 6)
    assert last["ends"] == undisturbed["ends"]
