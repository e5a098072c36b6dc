"""PyTorch itself: checkpoints of four processes that are killed, and data loaders that are stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from itertools import chain
from pathlib import Path

import pytest
from fleet_pool.client import Checkpoints, open_store
from fleet_pool.client.shards import Sample, pack

from tools.torch_cpu import PYTHON

pytestmark = pytest.mark.real
STEPS = 18


def said(job: subprocess.Popen[str]) -> dict[str, list[str]]:
    """What the job said at its begin and its end: [step, SHA-256 of all tensors, ...]."""
    out, errors = job.communicate(timeout=180)
    assert job.returncode == 0, errors[-3000:]
    return {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.startswith(("begins", "ends"))}


def kill(job: subprocess.Popen[str]) -> None:
    """As when a node loses its power: no process of the job lives on."""
    os.killpg(job.pid, signal.SIGSTOP)  # torchrun must not see its ranks die one by one
    listed = subprocess.run(["ps", "-eo", "pid,ppid"], capture_output=True, text=True, check=True).stdout
    children = {int(pid) for pid, parent in map(str.split, listed.splitlines()[1:]) if int(parent) == job.pid}
    for pid in (*children, job.pid):
        os.kill(pid, signal.SIGKILL)
    job.communicate(timeout=30)


def steps_in(store: Path) -> list[int]:
    return [int(path.parent.name.partition("-")[2]) for path in store.glob("run/step-*/COMMIT")]


def wait_for_step(store: Path, step: int) -> None:
    deadline = time.monotonic() + 120
    while max(steps_in(store), default=-1) < step:
        assert time.monotonic() < deadline, f"no COMMIT of step {step}"
        time.sleep(0.02)


@pytest.fixture
def staging(tmp_path: Path) -> Path:
    (tmp_path / "staging").mkdir()
    return tmp_path / "staging"


def test_four_killed_processes_end_with_the_tensors_of_four_that_were_not(torchrun, tmp_path, staging):
    options = ("--staging", str(staging), "--steps", str(STEPS))
    undisturbed = said(torchrun(4, "--store", str(tmp_path / "whole"), *options))
    store = tmp_path / "killed"
    for step in (3, 9):
        job = torchrun(4, "--store", str(store), *options, "--pace-s", "0.15")
        wait_for_step(store, step)
        time.sleep(0.31)  # the next save has begun or will have
        kill(job)
        assert max(steps_in(store)) < STEPS
    last = said(torchrun(4, "--store", str(store), *options))
    assert int(last["begins"][0]) >= 9
    assert last["ends"] == undisturbed["ends"]
    assert list(staging.iterdir()) == []  # killed or not, nothing staged is left


def test_what_four_processes_saved_two_and_three_restore_to_the_bit(torchrun, tmp_path, staging):
    store = tmp_path / "store"
    four = said(torchrun(4, "--store", str(store), "--staging", str(staging), "--steps", "6"))
    commit = Checkpoints(open_store(str(store)), "run").newest()[0]
    assert commit is not None
    assert (commit.step, commit.world_size, commit.notes["world"]) == (6, 5, 4)  # four shards, and the metadata
    assert commit.notes["ranks"] == [{"rank": rank} for rank in range(4)]
    for processes in (1, 2, 3):
        fewer = said(torchrun(processes, "--store", str(store), "--staging", str(staging), "--steps", "6"))
        assert fewer["begins"][:2] == four["ends"] == fewer["ends"]


def test_one_flipped_bit_in_s3_means_the_step_before_and_is_said(torchrun, tmp_path, staging):
    store = tmp_path / "store"
    options = ("--store", str(store), "--staging", str(staging), "--steps")
    said(torchrun(2, *options, "6"))
    notes = Checkpoints(open_store(str(store)), "run").restore(at_most=3).commit.notes
    for shard in (0, 2):  # a rank's, then the metadata
        said(torchrun(2, *options, "6"))
        commit = Checkpoints(open_store(str(store)), "run").newest()[0]
        assert commit.step == 6
        file = store / commit.shards[shard].key
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 4
        file.write_bytes(data)
        again = said(torchrun(2, *options, "3"))
        assert again["begins"][:2] == ["3", notes["whole"]]


def test_what_fails_in_a_save_is_an_exception_that_jobs_catch(torch, tmp_path):
    script = f"""
from fleet_pool.client import open_store
from fleet_pool.doors.torch_checkpoint import TorchCheckpoints
saved = TorchCheckpoints(open_store({str(tmp_path / "store")!r}), "run", staging={str(tmp_path / "gone")!r})
for save in (lambda: saved.save(1, {{"a": 1}}), lambda: (saved.save_async(2, {{"a": 1}}), saved.wait())):
    try:
        save()
    except FileNotFoundError:
        print("caught")
saved.close()
try:
    saved.expire(keep=1)
except Exception as error:
    print(error)
"""
    done = subprocess.run([str(PYTHON), "-c", script], env=torch, capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines()[:2] == ["caught", "caught"], done.stderr[-3000:]
    assert "closed" in done.stdout.splitlines()[2]


def test_torch_s_own_fsspec_writer_and_reader_use_the_pool_too(torch, tmp_path):
    program = f"""
import fsspec, torch, torch.distributed.checkpoint as dcp
from fleet_pool.doors.filesystem import PoolFileSystem
from torch.distributed.checkpoint._fsspec_filesystem import FsspecReader, FsspecWriter
fsspec.register_implementation("fleet", PoolFileSystem)
options = {{"folder": {str(tmp_path)!r}}}
state = {{"w": torch.arange(1000.0), "step": 7}}
dcp.save(state, storage_writer=FsspecWriter("fleet://train/run/step-7", **options), no_dist=True)
read = {{"w": torch.zeros(1000), "step": 0}}
dcp.load(read, storage_reader=FsspecReader("fleet://train/run/step-7", **options), no_dist=True)
assert read["step"] == 7 and torch.equal(read["w"], state["w"])
"""
    done = subprocess.run([str(PYTHON), "-c", program], env=torch, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_a_loader_goes_on_after_the_last_batch_it_gave_whoever_reads_ahead(loader, tmp_path):
    store, samples = open_store(str(tmp_path)), 0
    for shard in range(7):
        count = 5 + 3 * shard
        store.write(
            f"set/{shard}.tar",
            pack(Sample(name=f"{n}", files={"cls": str(samples + n).encode()}) for n in range(count)),
        )
        samples += count
    for workers in (0, 3):
        whole = loader(tmp_path, workers, 1000)["seen"]
        assert sorted(chain(*whole)) == list(range(samples))
        for batches in (1, 11, 25):
            first = loader(tmp_path, workers, batches)
            assert first["seen"] + loader(tmp_path, workers, 1000, first["state"])["seen"] == whole
            others = loader(tmp_path, 2, 1000, first["state"])["seen"]
            assert sorted(chain(*first["seen"], *others)) == list(range(samples))
