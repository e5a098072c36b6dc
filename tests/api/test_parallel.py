"""Work in copies of this process: the result, what is raised, and a copy that ends without a result."""

from __future__ import annotations

import os

import pytest

from planner.api import parallel
from planner.api.parallel import beside, in_processes


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy is made whatever this machine and the test runner's own threads are."""
    monkeypatch.setattr(parallel, "_can_copy", lambda _others: True)


def test_beside_gives_what_the_function_returns_in_another_process() -> None:
    here, there = os.getpid(), beside(os.getpid)()
    assert there != here


def test_beside_raises_here_what_the_function_raises() -> None:
    def fails() -> None:
        raise ValueError("of the function")

    with pytest.raises(ValueError, match="of the function"):
        beside(fails)()


def test_a_copy_that_is_killed_is_made_up_for_here() -> None:
    here = os.getpid()

    def ends() -> int:
        if os.getpid() != here:
            os._exit(9)
        return 7

    assert beside(ends)() == 7


def test_two_processes_give_results_in_order() -> None:
    assert list(in_processes(abs, list(range(-40, 0)))) == list(range(40, 0, -1))
