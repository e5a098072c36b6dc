"""What would make a scenario eligible, in every format that says that none is."""

from __future__ import annotations

import html
import json
import re

import pytest

from planner.answer.gates import Gates, violations
from planner.decide.compare import compare
from planner.decide.comparison import Comparison
from planner.decide.nothing_eligible import with_relaxations
from planner.estimate.request import Request
from planner.report.data import comparison_json
from planner.report.html import page as as_html
from planner.report.markdown import comparison_markdown
from planner.report.terminal import comparison_text
from planner.report.wording import answer
from tests.builders import book_of, plan_of
from tests.report.scenes import late

SPOT_THAT_ONLY_FAILS = {
    "fleet": {"nodes": 400},
    "purchase": {"options": ["spot"]},
    "reliability": {"spot_reclaims_per_node_day": 5},
}


def asked(**sections) -> Comparison:
    plan = plan_of(**sections)
    request = Request(plan=plan, plan_sha256="0" * 64, book=book_of(), draws=0)
    return with_relaxations(request, compare(request))


def words(text: str) -> str:
    return " ".join(text.split())


TITLE = (
    "Changes that lead to a recommendation, each recalculated (the nearest of its kind that was tried, then "
    "farther ones that cost less)"
)


@pytest.mark.parametrize("width", [40, 60, 80, 160])
def test_in_a_terminal_of_any_width(width):
    text = comparison_text.render(late(), width=width, colour=False, ascii_only=False, top=12)
    assert max(map(len, text.splitlines())) <= width
    said = "".join(text.split())  # a name longer than a line goes on in the next one
    for told in (
        "No scenario is recommended: none finishes within 1 day in at least 9 of 10 outcomes.",
        f"{TITLE}:",
        "--set run.deadline=5.26d: S3 streaming on a Capacity Block, p4d.24xlarge, $6,841, 5.3 days",
        "--set fleet.nodes=22: S3 streaming with On-Demand nodes, p4d.24xlarge, $11.4k, 1.0 days",
    ):
        assert told.replace(" ", "") in said
    assert "\n\n\n" not in text


def test_in_markdown_as_code_that_can_be_copied():
    text = comparison_markdown.render(late())
    assert text.splitlines()[1] == (
        "No scenario is recommended: none finishes within 1 day in at least 9 of 10 outcomes."
    )
    assert f"- {TITLE}:\n  - `--set run.deadline=5.26d`: " in text


def test_on_the_page_under_the_answer():
    page = as_html.render(late())
    section = page[page.index('id="answer"') : page.index('id="compare"')]
    said = words(html.unescape(re.sub("<[^>]+>", " ", section)))
    assert "that was tried, then farther ones that cost less) --set run.deadline=5.26d : S3 streaming" in said


def test_in_json_with_numbers():
    first, second = json.loads(comparison_json.render(late()))["remedies"]
    assert first == {
        "set": ["run.deadline=5.26d"],
        "scenario": "s3-stream/p4d.24xlarge/capacity-block",
        "cost_usd": pytest.approx(6840.551, abs=1e-3),
        "days": pytest.approx(5.2564, abs=1e-4),
        "lower_bound": False,
    }
    assert second["set"] == ["fleet.nodes=22"]
    assert json.loads(comparison_json.render(asked()))["remedies"] == []


def test_the_gate_names_the_nearest_as_a_shell_takes_it():
    (found,) = violations(late(), Gates(max_cost_usd=1e9))
    assert found.message == "no scenario is eligible; --set run.deadline=5.26d makes one so"
    assert violations(late(), Gates()) == []
    (found,) = violations(
        asked(fleet={"nodes": 400}, storage=NO_WAY, purchase={"options": ["capacity-block"]}), Gates()
    )
    assert "--set 'storage.layouts=[converged]' --set 'purchase.options=[on-demand]' makes one so" in found.message


NO_WAY = {"layouts": ["fsx-lustre"], "fsx-lustre": {"efa": True}}


def test_a_run_that_only_fails_is_told_what_ends():
    said = [line.text for line in answer.sentences(asked(**SPOT_THAT_ONLY_FAILS))]
    assert said[-2:] == [
        f"{TITLE}:",
        "--set 'purchase.options=[on-demand]': S3 streaming with On-Demand nodes, p4d.24xlarge, $17.1k, 0.1 days",
    ]


def test_what_is_feasible_without_a_price_of_its_nodes_is_no_answer_either():
    said = words(" ".join(line.text for line in answer.sentences(asked(constraints={"max_cost_usd": 100}))))
    assert "No scenario is recommended: none finishes within " in said
    assert "then farther ones that cost less): --set constraints.max_cost_usd=6850: S3 streaming" in said
