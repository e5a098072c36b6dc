"""Exit codes of many nodes, and when a run starts again."""

from __future__ import annotations

from fleet_pool.launch.outcome import DONE, FAILED, LOST, STOPPED, Exit, all_done, result_of, shell_code, worst
from hypothesis import given
from hypothesis import strategies as st

exits = st.lists(st.tuples(st.integers(0, 255), st.booleans()), min_size=1, max_size=20).map(
    lambda found: [Exit(rank=n, code=code, own=own) for n, (code, own) in enumerate(found)]
)


def test_a_killed_process_is_128_and_the_signal():
    assert [shell_code(code) for code in (0, 7, -9, -15)] == [0, 7, 137, 143]


def test_a_node_that_failed_counts_before_those_that_were_stopped_for_it():
    found = [Exit(rank=0, code=143, own=False), Exit(rank=1, code=1, own=True), Exit(rank=2, code=137, own=False)]
    assert worst(found).rank == 1


@given(exits)
def test_the_worst_is_success_only_if_all_succeeded_and_never_beats_itself(found):
    chosen = worst(found)
    assert (chosen.code == 0) == all_done({each.rank: each for each in found}, len(found))
    own = [each.code for each in found if each.code and each.own]
    assert chosen.code == (max(own) if own else max(each.code for each in found))


def follow(kind: str, began: int | None, commit: int | None, fruitless: int = 0, restarts: int = 3):
    found = result_of(kind, 1, "", began=began, commit=commit, fruitless=fruitless, restarts=restarts)
    return found.fruitless, found.last


def test_progress_is_a_new_commit_since_the_attempt_began():
    assert follow(LOST, None, 5, fruitless=3) == (0, False)
    assert follow(LOST, 5, 10, fruitless=3) == (0, False)
    assert follow(LOST, 5, 5, fruitless=2) == (3, False)
    assert follow(FAILED, 5, 5, fruitless=3) == (4, True)
    assert follow(FAILED, None, None, restarts=0) == (1, True)


def test_success_and_a_stop_are_always_the_end():
    assert follow(DONE, None, 5)[1]
    assert follow(STOPPED, None, 5)[1]
