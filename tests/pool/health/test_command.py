"""`planner-health` as a node runs it: verbs, exit codes, and what it leaves behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fleet_pool.health import collective, command, look, passes, records
from fleet_pool.health.halving import Pass

from infra.node.zipped import launch_file
from tests.cluster.bucket import bucket
from tests.pool.health import recordings as say
from tests.pool.health.node import FakeNode


@pytest.fixture
def node(fake: FakeNode, monkeypatch: pytest.MonkeyPatch) -> FakeNode:
    """One that nobody manages, with GPUs alone: the rest is this machine's own and well."""
    for name in list(os.environ):
        if name.startswith(("PLANNER_", "SLURM")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PLANNER_EXPECTED", "nvidia=8")
    monkeypatch.setenv("STATE_DIRECTORY", str(fake.state))
    monkeypatch.setattr(look, "KMSG", fake.kmsg)
    monkeypatch.setattr(look.ready, "since_boot_s", lambda: 1000.0)
    monkeypatch.setattr(command.acts, "SETTLE_S", 0.0)
    return fake


@pytest.mark.parametrize("verb", ["fast", "start", "deep"])
def test_a_well_node_takes_jobs(node: FakeNode, capsys, verb: str):
    assert command.main([verb]) == 0
    assert capsys.readouterr().out == "planner-health: takes jobs\n"
    levels = [call.split()[3] for call in node.calls("dcgmi")]
    assert levels == {"fast": [], "start": ["2"], "deep": ["3"]}[verb]


def test_a_sick_node_is_out_until_a_person_clears_it(node: FakeNode, capsys):
    node.kmsg.write_text(f"{say.record(9, say.xid(79, 'GPU has fallen off the bus.'))}\n")
    assert command.main(["fast"]) == 13
    said = capsys.readouterr().out
    assert "planner-health: replace xid: xid 79 on 0000:53:00 (GPU has fallen off the bus)\n" in said
    assert "gang of 1 waits (no price on this node)" in said
    assert command.main(["fast"]) == 13
    assert command.main(["clear"]) == 0
    assert command.main(["fast"]) == 0, "the error is still in the log, and dealt with"
    assert command.main(["clear"]) == 0
    assert capsys.readouterr().out.endswith("planner-health: the node was not out\n")


def test_a_dry_run_says_what_it_would_do(node: FakeNode, capsys):
    node.program("nvidia-smi", {"-q": say.smi(*map(say.gpu, say.BUSES[:7])), "nvlink": say.WELL_LINKS})
    assert command.main(["fast", "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "would replace: gpu-count: 7 of 8 GPUs" in said
    assert said.endswith("planner-health: takes jobs all the same\n")
    assert records.read(node.state / records.OUT) == {}


def test_watch_acts_on_an_error_as_it_comes_and_not_on_those_of_programs(node: FakeNode, capsys, monkeypatch):
    lines = iter(
        [
            *(say.record(number, say.xid(13)) for number in range(1000)),
            "",
            say.record(1000, say.xid(94)),
            say.record(1000, say.xid(94)),
            "",
            "",
        ]
    )
    monkeypatch.setattr(look, "records", lambda kmsg, follow: lines if follow else [])
    assert command.main(["watch"]) == 0
    said = capsys.readouterr().out
    assert "13" not in said.replace("0000:53:00", "")
    assert said.count("drained: xid: xid 94 on 0000:53:00 (contained memory error)") == 1
    assert len(node.calls("nvidia-smi -q")) == 1, "one look, for the evidence of one fault"


def test_a_start_waits_for_the_fabric_and_no_longer_than_it_may_take(node: FakeNode, capsys, monkeypatch):
    node.program("nvidia-smi", {"-q": say.smi(*(say.gpu(bus, fabric="In Progress") for bus in say.BUSES)), "": ""})
    up = iter([30.0] * 40)  # of every check of two looks, and between
    monkeypatch.setattr(look.ready, "since_boot_s", lambda: next(up, 301.0))
    waits: list[float] = []
    monkeypatch.setattr(command.time, "sleep", waits.append)
    assert command.main(["start"]) == 13
    assert command.SETTLE_PAUSE_S in waits
    assert "restart fabric: GPU 00000000:53:00.0: NVSwitch fabric is In Progress" in capsys.readouterr().out


def test_the_file_on_a_node_runs_it(node: FakeNode):
    """planner-launch.pyz is all that a node without a pool has of the package."""
    file = node.folder / "planner-launch.pyz"
    file.write_bytes(launch_file())
    program = [sys.executable, "-S", "-m", "fleet_pool.health.command", "fast"]
    environment = {**os.environ, "PYTHONPATH": str(file)}
    done = subprocess.run(program, cwd="/", env=environment, capture_output=True, text=True, check=False)
    assert "planner-health: takes jobs\n" in done.stdout, done.stdout + done.stderr


def test_without_gpus_there_is_nothing_to_watch(node: FakeNode, capsys, monkeypatch):
    monkeypatch.setenv("PLANNER_EXPECTED", "neuron=16")
    assert command.main(["watch"]) == 0
    assert "no NVIDIA GPUs" in capsys.readouterr().out


def test_wrong_facts_and_wrong_words_are_usage_errors(node: FakeNode, capsys, monkeypatch):
    monkeypatch.setenv("PLANNER_EXPECTED", "gpus=8")
    assert command.main(["fast"]) == 2
    assert "'gpus=8' in PLANNER_EXPECTED is unknown" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        command.main(["quick"])
    assert ended.value.code == 2
    monkeypatch.setenv("PLANNER_EXPECTED", "nvidia=8")
    assert command.main(["pair"]) == 2
    assert "no way to measure: start it in a Slurm allocation" in capsys.readouterr().err


SPEEDS = """#!/bin/sh
echo "srun $*" >> {calls}
case "$*" in
  *{slow}*) speed=9.5 ;;
  *) speed=41.6 ;;
esac
sed "s/BANDWIDTH/$speed/" {said}
"""


@pytest.fixture
def cluster(node: FakeNode, monkeypatch: pytest.MonkeyPatch) -> FakeNode:
    """Eight nodes in a Slurm allocation, whose srun and scontrol are stand-ins; n5 is slow."""
    names = [f"n{number}" for number in range(1, 9)]
    node.program("scontrol", {"show": "\n".join(names) + "\n", "": ""})
    node.program(collective.PROGRAM, {"": ""})
    (node.folder / "nccl").write_text(say.NCCL.format(0, "BANDWIDTH"))
    node.script("srun", SPEEDS.format(calls=node.folder / "calls", slow="n5", said=node.folder / "nccl"))
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[1-8]")
    return node


def test_the_slow_node_of_an_all_reduce_is_found_and_drained_on_demand(cluster: FakeNode, capsys, tmp_path: Path):
    log = tmp_path / "passes.jsonl"
    names = tuple(f"n{number}" for number in range(1, 9))
    for speed in (41.0, 42.0, 43.0):
        collective.keep(log, Pass(at_s=1.0, program=collective.PROGRAM, nodes=names, gb_s=speed))
    assert command.main(["all-reduce", "--log", str(log)]) == 13
    said = capsys.readouterr().out
    assert "usual: median 42.0, p5 41.1 GB/s of 3 passes" in said
    assert f"planner-health: n5: all-reduce: slow beside the others, see {log}\n" in said
    assert [call for call in cluster.calls("scontrol") if "update" in call] == []
    assert len(collective.kept(log)) == 3 + len(cluster.calls("srun"))
    assert command.main(["all-reduce", "--log", str(log), "--drain"]) == 13
    [drained] = [call for call in cluster.calls("scontrol") if "update" in call]
    assert drained.startswith("scontrol update NodeName=n5 State=DRAIN Reason=planner-health: all-reduce: slow")


def test_a_first_all_reduce_starts_the_log_and_accuses_nobody(cluster: FakeNode, capsys, tmp_path: Path):
    log = tmp_path / "passes.jsonl"
    assert command.main(["all-reduce", "--log", str(log)]) == 0
    assert "fewer than 3 earlier passes: nothing to compare with yet" in capsys.readouterr().out
    [line] = log.read_text().splitlines()
    assert json.loads(line)["gb_s"] == 9.5


def test_passes_of_nodes_that_are_gone_are_in_the_data_bucket(
    cluster: FakeNode, capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def all_reduce(name: str, slow: str = "nobody") -> int:
        """On a node that was launched a moment ago."""
        cluster.script("srun", SPEEDS.format(calls=cluster.folder / "calls", slow=slow, said=cluster.folder / "nccl"))
        return command.main(["all-reduce", "--log", str(tmp_path / name)])

    with bucket() as data:
        for name, value in data.environment().items():
            monkeypatch.setenv(name, value)
        assert [all_reduce(f"log-{number}") for number in range(3)] == [0, 0, 0]
        capsys.readouterr()
        assert all_reduce("log-3", slow="n5") == 13
        said = capsys.readouterr().out
        assert "usual: median 41.6, p5 41.6 GB/s of 3 passes" in said
        assert "planner-health: n5: all-reduce: slow beside the others" in said
        [key] = data.keys(passes.PREFIX)
        kept = json.loads(data.text(key))
        assert [one["gb_s"] for one in kept["passes"]] == [41.6, 41.6, 41.6, 9.5], "of all nodes, not of halves"
        assert kept["median_gb_s"] == 41.6
        assert kept["p5_gb_s"] == pytest.approx(9.5 + 0.15 * (41.6 - 9.5))
        monkeypatch.setenv("NCCL_NET", "Socket")
        assert all_reduce("log-4") == 0, "over another network nothing is known"
        assert len(data.keys(passes.PREFIX)) == 2
    assert all_reduce("log-3") == 0
    assert "passes in the data bucket are not known" in capsys.readouterr().out, "and its own log counts"


def test_pairs_find_the_slow_node_without_any_earlier_pass(cluster: FakeNode, capsys, tmp_path: Path):
    assert command.main(["pair", "--log", str(tmp_path / "log")]) == 13
    slow = [line for line in capsys.readouterr().out.splitlines() if "slow beside" in line]
    assert slow == [f"planner-health: n5: pair: slow beside the others, see {tmp_path / 'log'}"]
