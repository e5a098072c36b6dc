"""Three agents with real processes and a bucket in memory: what happens when nodes and commands fail."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet_pool.launch import decision, shipping
from fleet_pool.launch.follow import ask_to_stop
from fleet_pool.problems import Code, Unreachable

from tests.launch.memory import Fleet, run_of

ENDED = "launch/000001/ended.json"


@pytest.fixture
def three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fleet]:
    monkeypatch.setattr(decision, "SETTLE_S", 2.0)  # time for all of them to fail, on a busy machine
    monkeypatch.setattr(shipping, "EVERY_S", 0.1)
    fleet = Fleet(tmp_path, monkeypatch)
    for number in (1, 2, 3):
        fleet.add(number)
    yield fleet
    fleet.close()


def shell(script: str, **others):
    return run_of("sh", "-c", script, **others)


def output(fleet: Fleet, attempt: int, rank: int) -> str:
    prefix = f"launch-logs/000001/{attempt:04d}/node-{rank:04d}/console."
    return b"".join(fleet.bucket.objects[key] for key in fleet.bucket.list(prefix).keys).decode()


def test_every_node_runs_the_command_once_and_knows_its_rank(three):
    three.launch(shell("echo $NODE_RANK of $NNODES at $PET_RDZV_ENDPOINT $GREETING", environment={"GREETING": "hi"}))
    assert three.take_turns(ENDED)["code"] == 0
    for rank in range(3):
        assert output(three, 1, rank) == f"{rank} of 3 at 127.0.0.1:29401 hi\n"


def test_the_worst_exit_code_is_the_run_s(three):
    three.launch(shell("exit $((NODE_RANK * 7))", restarts=0))
    ended = three.take_turns(ENDED)
    assert ended == {"attempt": 1, "code": 14, "why": "failed: rank 2 (i-3): exit code 14"}


def test_a_failure_ends_the_others_too_whose_codes_do_not_count(three):
    """Rank 1 fails, the others would wait for ever; killed they have a higher code."""
    three.launch(shell('[ "$NODE_RANK" = 1 ] && exit 3; sleep 600', restarts=0))
    assert three.take_turns(ENDED)["code"] == 3


def test_a_command_that_fails_the_same_way_each_time_is_not_started_for_ever(three):
    three.launch(shell("exit 5", restarts=2))
    assert three.take_turns(ENDED) == {"attempt": 3, "code": 5, "why": "failed: rank 0 (i-1): exit code 5"}


def test_with_new_commits_in_between_it_is_started_as_often_as_needed(three):
    """It fails four times; each time a step was committed before."""
    script = '[ "$PLANNER_ATTEMPT" -gt 4 ] || exit 5'
    three.launch(shell(script, restarts=0))
    for attempt in range(1, 5):
        three.take_turns(f"launch/000001/{attempt:04d}/plan.json")
        three.bucket.write(f"checkpoints/toy/step-{attempt:012d}/COMMIT", b"{}")
        three.bucket.write(f"checkpoints/toy/step-{attempt + 1:012d}/shard-0", b"not committed")
    assert three.take_turns(ENDED)["attempt"] == 5
    assert three.bucket.read_json("launch/000001/0005/plan.json")["commit"] == 4


def test_a_lost_node_is_replaced_by_one_that_comes_later(three):
    three.launch(shell('[ "$PLANNER_ATTEMPT" = 2 ] || sleep 600'))
    three.take_turns("launch/000001/0001/plan.json")
    three.lose(2)
    result = three.take_turns("launch/000001/0001/result.json")
    assert result["kind"] == "lost"
    assert "i-2 (rank 1) has not answered" in result["why"]
    three.add(4)
    assert three.take_turns(ENDED)["code"] == 0
    plan = three.bucket.read_json("launch/000001/0002/plan.json")
    assert [member["instance"] for member in plan["members"]] == ["i-1", "i-3", "i-4"]


def test_a_node_that_found_itself_sick_offers_itself_no_more(three, capsys):
    three.launch(shell('[ "$PLANNER_ATTEMPT" = 2 ] || exit 7'))
    three.take_turns("launch/000001/0001/plan.json")
    three.sick[2] = "gpus: 7 of 8 GPUs"
    three.add(4)
    assert three.take_turns(ENDED)["code"] == 0
    plan = three.bucket.read_json("launch/000001/0002/plan.json")
    assert [member["instance"] for member in plan["members"]] == ["i-1", "i-3", "i-4"]
    assert "offers itself to no attempt: gpus: 7 of 8 GPUs" in capsys.readouterr().out


def test_rank_0_is_no_special_node(three):
    three.launch(shell('[ "$PLANNER_ATTEMPT" = 2 ] || sleep 600'))
    three.take_turns("launch/000001/0001/plan.json")
    three.lose(1)
    three.add(4)
    assert three.take_turns(ENDED)["code"] == 0


def test_a_node_whose_agent_was_started_again_comes_twice_and_counts_once(three):
    three.launch(shell('[ "$PLANNER_ATTEMPT" = 2 ] || sleep 600'))
    three.take_turns("launch/000001/0001/plan.json")
    three.lose(2)
    three.add(2)
    assert three.take_turns(ENDED)["code"] == 0
    plan = three.bucket.read_json("launch/000001/0002/plan.json")
    assert [member["instance"] for member in plan["members"]] == ["i-1", "i-2", "i-3"]


def test_a_node_that_never_comes_ends_the_run_with_the_names_of_those_that_came(three):
    three.launch(shell("true", nodes=4, wait_s=3.0))
    ended = three.take_turns(ENDED)
    assert ended["code"] == Code.BLOCKER
    assert ended["why"].endswith("3 of 4 nodes came within 0.05 min: i-1, i-2, i-3")


def test_ranks_that_say_nothing_for_long_hang(three):
    three.launch(shell("sleep 600", hang_s=0.5, restarts=0))
    ended = three.take_turns(ENDED)
    assert ended["code"] == Code.BLOCKER
    assert ended["why"].startswith("hung: no node has written output")


def test_a_stopped_run_may_save_and_ends_everywhere(three):
    three.launch(shell('trap "echo saved; exit 0" TERM; echo ready; while :; do sleep 0.05; done'))
    for rank in range(3):
        three.take_turns(f"launch-logs/000001/0001/node-{rank:04d}/console.00000")
    ask_to_stop(three.bucket, 1)  # type: ignore[arg-type]
    assert three.take_turns(ENDED)["code"] == Code.INTERRUPTED
    for agent in three.agents.values():
        agent.turn()
    assert all(output(three, 1, rank).endswith("saved\n") for rank in range(3))


def test_a_command_that_is_not_there_is_127_and_says_so(three):
    three.launch(run_of("/no/such/program", restarts=0))
    assert three.take_turns(ENDED)["code"] == 127
    assert "cannot start /no/such/program" in output(three, 1, 2)


def test_nodes_leave_a_run_alone_that_has_been_silent_for_days(three):
    three.launch(shell("true"))
    three.bucket.age_s = 7200.0
    for _ in range(3):
        for agent in three.agents.values():
            agent.turn()
    assert list(three.bucket.objects) == ["launch/000001/run.json"]


def test_without_the_bucket_the_job_goes_on_as_long_as_the_nodes_hear_each_other(three):
    three.launch(shell("sleep 600"))
    three.take_turns("launch/000001/sign-of-life")
    for agent in three.agents.values():
        agent.turn()
    three.bucket.down = True
    first = three.agents[1]
    for _ in range(4):
        with pytest.raises(Unreachable):
            first.turn()
        first.fence()
        time.sleep(0.4)
    assert first.job is not None
    assert first.job.code is None
    # cut off from all others too, it ends its command: they go on without it
    for number in (2, 3):
        three.lose(number)
    end = time.monotonic() + 10
    while first.job.code is None and time.monotonic() < end:
        first.fence()
        time.sleep(0.1)
    assert first.job.code == 143


def test_output_of_earlier_runs_does_not_fill_the_disk(three):
    three.launch(shell("echo one"))
    three.take_turns(ENDED)
    three.launch(shell("echo two", number=2))
    three.take_turns("launch/000002/ended.json")
    assert sorted(path.name for path in (three.folder / "i-1").glob("0*")) == ["000002"]
