"""Formats that do not show how a number came about get a comparison without it, and print the same for it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.decide.compare import compare
from planner.decide.study import study
from planner.report.data import comparison_csv
from planner.report.markdown import comparison_markdown
from planner.report.terminal import comparison_text
from tools.model_uses import PLANS, asked

FEW = 3  # for `make test`


@pytest.mark.parametrize(
    "uses",
    [
        pytest.param(uses, id=" ".join(uses), marks=[pytest.mark.thorough] if number >= FEW else [])
        for number, uses in enumerate(PLANS)
    ],
)
def test_the_same_table_csv_and_markdown(uses) -> None:
    example, *overrides = uses
    request = asked(example, tuple(overrides), draws=40).request()
    full, bare = compare(request), compare(replace(request, derivations=False))
    assert any(scenario.derived for scenario in full.scenarios if scenario.feasible)
    assert not any(scenario.derived for scenario in bare.scenarios)
    form = {"width": 100, "colour": False, "ascii_only": False, "top": 0, "verbose": True}
    assert comparison_text.render(bare, **form) == comparison_text.render(full, **form)
    assert comparison_csv.render(bare) == comparison_csv.render(full)


@pytest.mark.thorough
def test_the_same_comment_of_a_pull_request() -> None:
    example, *overrides = PLANS[0]
    request = asked(example, tuple(overrides), draws=40).request()
    without_derivations = replace(request, derivations=False)
    full, bare = compare(request), compare(without_derivations)
    told = comparison_markdown.render(full, study(request, full, grid=False), plan_path="plan.yaml")
    assert comparison_markdown.render(bare, study(without_derivations, bare, grid=False), plan_path="plan.yaml") == told
