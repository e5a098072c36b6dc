"""What nodes are asked, and what becomes of answers: of nodes here that say what real programs say."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from planner.acceptance.ask import FOLDER, POOL, S3, WITHOUT_EFA, Asked, bench_command, measured
from planner.account.commands import Member, Said
from tests.acceptance.test_found import report

IDS = ("i-1", "i-2", "i-3")
ASKED = Asked(run="r", sizes=(1_000_000,), checkpoint_bytes=0, storage=POOL, gpus=8, tcp=True)
# as fleet_pool.health.command prints it, below the launcher's own lines
PASS = "planner-launch: run 4 on 3 nodes\n"
PASS += "planner-health: usual: median 305.0, p5 290.1 GB/s of 7 passes\n"
PASS += "planner-health:   {gb:.1f} GB/s over 3 nodes: i-1 i-2 i-3\n"


class Nodes:
    """answer: (node, command) -> what it says."""

    def __init__(self, answer: Callable[[str, str], Said], ids: Sequence[str] = IDS) -> None:
        self.answer, self.ids = answer, ids
        self.asked: list[tuple[tuple[str, ...], str]] = []

    def members(self) -> tuple[Member, ...]:
        return tuple(Member(id=id, host=f"10.0.0.{n}") for n, id in enumerate(self.ids))

    def run(self, ids: Sequence[str], command: str, limit_s: float) -> dict[str, Said]:
        self.asked.append((tuple(ids), command))
        return {id: self.answer(id, command) for id in ids}


def said(out: str, *, well: bool = True, err: str = "") -> Said:
    return Said(well=well, out=out, err=err)


def well(id: str, command: str) -> Said:
    if "planner-ready" in command:
        return said("planner-bucket=data-1\nplanner-ready: ready\n")
    if " bench " in command:
        rates = {f"10.0.0.{n}": 1e8 for n in range(3)}
        return said(f"{json.dumps(report(id, rates))}\n", err="1000000: 0.010 GB written\n")
    if " pair " in command:
        return said("planner-health: i-2: pair: slow beside the others, see /tmp/r-efa.jsonl\n", well=False)
    return said(PASS.format(gb=10.5 if WITHOUT_EFA in command else 310.0))


def test_everything_is_asked_of_all_nodes_and_jobs_start_at_one():
    nodes = Nodes(well)
    found, bucket = measured(nodes, ASKED)
    assert bucket == "data-1"
    assert (found.all_reduce, found.tcp, found.slow_pairs) == (310.0, 10.5, ("i-2",))
    assert found.usual == "median 305.0, p5 290.1 GB/s of 7 passes"
    assert len(found.parts) == 1
    assert found.why == {}
    assert [len(ids) for ids, _ in nodes.asked] == [3, 3, 1, 1, 1]


def test_the_bench_is_the_same_words_on_every_node():
    command = bench_command(IDS, ASKED)
    assert '--me "$PLANNER_INSTANCE" --run r --of i-1,i-2,i-3' in command
    assert "--checkpoint-bytes" not in command


def test_a_node_that_is_not_ready_takes_no_part():
    def one_is_not(id: str, command: str) -> Said:
        if id == "i-2" and "planner-ready" in command:
            return said("planner-ready: FAIL gpus\nplanner-ready: not ready: gpus: 7 of 8\n", well=False)
        return well(id, command)

    nodes = Nodes(one_is_not)
    found, _ = measured(nodes, ASKED)
    assert found.not_ready == {"i-2": "planner-ready: not ready: gpus: 7 of 8"}
    assert nodes.asked[1][0] == ("i-1", "i-3")
    assert "--nodes 2" in nodes.asked[2][1]


@pytest.mark.parametrize(
    ("broken", "what", "why"),
    [
        (
            said("", well=False, err="planner-pool bench: node 2 did not come\n"),
            " bench ",
            "i-1: planner-pool bench: node",
        ),
        (said("half a li", well=False), " bench ", "i-1: half a li"),
        (said("sh: 1: torchrun: not found\n", well=False), "torchrun", "sh: 1: torchrun: not found"),
    ],
)
def test_what_a_node_cannot_measure_is_said_and_the_rest_is_measured(broken: Said, what: str, why: str):
    found, _ = measured(Nodes(lambda id, command: broken if what in command else well(id, command)), ASKED)
    assert any(text.startswith(why) for text in found.why.values())
    assert (found.parts == ()) is (what == " bench ")
    assert (found.all_reduce is None) is (what == "torchrun")


def test_a_stack_without_nodes_or_without_gpus():
    found, bucket = measured(Nodes(well, ids=()), ASKED)
    assert (found.nodes, bucket) == ((), "")
    assert found.why["bench"] == "no node is in service"
    found, _ = measured(Nodes(well), replace(ASKED, gpus=0))
    assert found.why == {"all-reduce": "it was left out"}


def test_a_checkpoint_that_is_still_in_the_file_system_is_no_restore_from_s3():
    nodes = Nodes(lambda id, command: not_cold(id) if " --me " in command else well(id, command))
    found, _ = measured(nodes, replace(ASKED, storage=FOLDER, folder="/fsx", linked="checkpoints"))
    assert "bench_command folder /fsx --linked checkpoints --me" in nodes.asked[1][1]
    assert found.why["cold"] == "S3 does not have 3 of 8 files after 600 s"
    assert len(found.parts) == 1


def not_cold(id: str) -> Said:
    one = report(id, {"": 1e8})
    one["parts"][0]["not_cold"] = "S3 does not have 3 of 8 files after 600 s"
    return said(json.dumps(one))


def test_in_slurm_a_job_takes_all_nodes_or_none():
    nodes = Nodes(well)
    found, _ = measured(nodes, replace(ASKED, storage=S3, slurm=True))
    assert found.all_reduce == 310.0
    assert "salloc --quiet --exclusive --immediate=60" in nodes.asked[2][1]
    assert "--nodes=3 planner-launch --nodes 3" in nodes.asked[2][1]
    assert "--name acceptance-r" in nodes.asked[2][1]
