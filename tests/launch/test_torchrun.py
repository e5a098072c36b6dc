"""torchrun on three nodes, one of which is lost: the run resumes on the node that replaces it, to the same weights."""

from __future__ import annotations

from pathlib import Path

from tests.launch.fleet import Fleet, Node
from tools.torch_cpu import FOLDER

JOB = Path(__file__).with_name("ddp.py")
STEPS = 30


def train(node: Node, name: str, pace_s: float):
    words = ("--nodes", "3", "--name", name, "--node-s", "4", "--grace-s", "10", "--folder", "/tmp", "--wait-min", "2")
    return node.launch(
        *words, "--", str(FOLDER / "bin" / "torchrun"), "--nproc-per-node", "1", str(JOB), str(STEPS), str(pace_s)
    )


def test_a_lost_node_costs_the_work_since_the_last_commit_and_nothing_else(torch: None, fleet: Fleet):
    for number in (1, 2, 3):
        fleet.add(number)
    whole = train(fleet.nodes[1], "whole", 0.0)
    said, _ = whole.communicate(timeout=240)
    assert whole.returncode == 0, said + fleet.nodes[1].agent.tail()

    broken = train(fleet.nodes[1], "broken", 0.3)
    fleet.wait_commit("broken", 10, 180)
    fleet.lose(3)
    fleet.add(4)
    said, _ = broken.communicate(timeout=240)
    assert broken.returncode == 0, said

    first, second = (fleet.record(f"launch/000002/000{n}/plan.json") for n in (1, 2))
    # below one switch, then by instance id
    assert [member["instance"] for member in first["members"]] == ["i-0002", "i-0001", "i-0003"]
    assert [member["instance"] for member in second["members"]] == ["i-0002", "i-0004", "i-0001"]
    assert first["commit"] is None
    assert 10 <= second["commit"] < STEPS
    lost = fleet.record("launch/000002/0001/result.json")
    assert lost["kind"] in ("lost", "failed")
    assert fleet.notes("broken", STEPS) == fleet.notes("whole", STEPS)
    # each rank's own output is in the bucket, and they all began where the COMMIT was
    logs = [fleet.output(2, 2, rank, "stdout.log") for rank in range(3)]
    assert all(f"rank {rank} of 3" in log for rank, log in enumerate(logs))
    assert all(f"begins at step {second['commit']}" in log for log in logs)
