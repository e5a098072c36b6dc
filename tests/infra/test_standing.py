"""What the program reads of the last `pulumi up`: half a file is read again, and another layout is refused."""

from __future__ import annotations

from types import SimpleNamespace

import pulumi
import pytest

from infra import standing
from planner.errors import UsageProblem
from planner.stack.canary import as_canary
from planner.stack.switching import switched
from tests.infra.specs import spec_of

MADE: dict[str, object] = {}  # resources of the state, by URN


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What the engine answers, in order; the last one again and again."""
    found: list[object] = []

    def invoke(token: str, asked: dict[str, str]) -> SimpleNamespace:
        assert asked[standing.NAME[token]].count("/") == 2
        if token == standing.READ_RESOURCES:
            return SimpleNamespace(value={"outputs": MADE})
        assert token == standing.READ
        answer = found.pop(0) if len(found) > 1 else found[0]
        if isinstance(answer, Exception):
            raise answer
        return SimpleNamespace(value={"outputs": answer})

    monkeypatch.setattr(pulumi.runtime, "invoke", invoke)
    monkeypatch.setattr(standing.time, "sleep", lambda _: None)
    return found


def test_a_file_that_is_half_written_is_read_again(answers):
    answers += [Exception("failed to load checkpoint: EOF")] * 3 + [{"standing": "converged/on-demand"}]
    standing.check_switch(spec_of("converged"))
    assert len(answers) == 1
    with pytest.raises(UsageProblem, match="the control nodes"):
        standing.check_switch(spec_of("fsx-lustre"))
    standing.check_switch(switched(spec_of("converged"), spec_of("fsx-lustre")))


def test_a_canary_never_takes_the_place_of_a_whole_fleet(answers):
    canary = as_canary(spec_of("converged"))
    answers.append({"standing": "converged/on-demand"})
    with pytest.raises(UsageProblem, match="this would end the others"):
        standing.check_switch(canary)
    for outputs in ({}, {"standing": "converged/on-demand", "canary": True}):
        answers[:] = [outputs]
        standing.check_switch(canary)
        standing.check_switch(spec_of("converged"))


def test_what_cannot_be_read_stops_the_run_and_a_new_stack_has_nothing_to_lose(answers):
    answers.append(Exception("no backend client is available"))
    with pytest.raises(UsageProblem, match="cannot read what is deployed, so nothing is changed: no backend"):
        standing.check_switch(spec_of("converged"))
    answers[:] = [{}]
    standing.check_switch(spec_of("converged"))


def test_a_first_update_that_was_killed_is_known_by_the_tag_of_its_network(answers, monkeypatch):
    answers.append({})
    tags = {"planner:began-as": "converged/on-demand canary", "planner:stack": "dev"}
    monkeypatch.setitem(MADE, "urn:1", {"type": "x", "outputs": {"arn": "x"}})
    monkeypatch.setitem(MADE, "urn:2", {"type": "y", "outputs": {"tags": tags}})
    outputs = standing.check_switch(as_canary(spec_of("converged")))
    assert outputs == {"standing": "converged/on-demand", "canary": True}
    with pytest.raises(UsageProblem, match="what is deployed is of converged/on-demand"):
        standing.check_switch(spec_of("s3-stream"))
    monkeypatch.setitem(tags, "planner:began-as", "converged/on-demand")
    with pytest.raises(UsageProblem, match="this would end the others"):
        standing.check_switch(as_canary(spec_of("converged")))
