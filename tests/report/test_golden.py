"""Every example in every format, byte for byte. All but the table show two layouts and two purchases of each."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from planner.cli.options import Asked
from planner.decide.compare import Request, compare
from planner.decide.comparison import Comparison
from planner.decide.study import Study, study
from planner.report.data import comparison_csv, comparison_json, sensitivity_json
from planner.report.diff.comparisons import changes
from planner.report.html import page
from planner.report.markdown import comparison_markdown, difference_markdown
from planner.report.pictures import tornado
from planner.report.terminal import comparison_text, difference_text, sensitivity_text
from tests.examples import COMPARED

EXAMPLES = COMPARED


def _request(path: Path, *overrides: str) -> Request:
    asked = Asked(plan=str(path), overrides=overrides, draws=5000, seed=0, prices=None, as_of=None, max_price_age=None)
    return asked.request()


@cache
def _compared(path: Path, *overrides: str) -> Comparison:
    return compare(_request(path, *overrides))


def _part(path: Path) -> tuple[str, str]:
    """A small part of the example, so that a change of its golden files can be read."""
    layouts = "[separate-nvme, fsx-lustre]" if path.stem == "video-separate" else "[converged, fsx-lustre]"
    return "purchase.options=[on-demand, capacity-block]", f"storage.layouts={layouts}"


def _few(path: Path) -> Comparison:
    return _compared(path, *_part(path))


@cache
def _studied(path: Path) -> Study:
    found = study(_request(path, *_part(path)), _few(path))
    assert found is not None
    return found


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
class TestExamples:
    @pytest.mark.parametrize("width", [80, 160])
    def test_table(self, path: Path, width: int, golden) -> None:
        text = comparison_text.render(
            _compared(path), width=width, colour=False, ascii_only=False, plan_path=f"examples/{path.name}"
        )
        assert len(text.splitlines()) <= 40
        golden(f"{path.stem}.{width}.txt", text)

    def test_json(self, path: Path, golden) -> None:
        golden(f"{path.stem}.json", comparison_json.render(_few(path)))

    def test_csv(self, path: Path, golden) -> None:
        golden(f"{path.stem}.csv", comparison_csv.render(_few(path)))

    def test_html(self, path: Path, golden) -> None:
        golden(f"{path.stem}.html", page.render(_few(path), _studied(path)))

    def test_sensitivity(self, path: Path, golden) -> None:
        text = sensitivity_text.render(
            _few(path), _studied(path), None, width=80, ascii_only=False, top=12, of="cost_usd", plan_path="plan.yaml"
        )
        golden(f"{path.stem}.sensitivity.txt", text)
        golden(f"{path.stem}.sensitivity.json", sensitivity_json.render(_few(path), _studied(path), None))
        golden(f"{path.stem}.sensitivity.svg", tornado.alone(tornado.tornado_of(_studied(path))))

    def test_markdown(self, path: Path, golden) -> None:
        golden(
            f"{path.stem}.md", comparison_markdown.render(_few(path), _studied(path), plan_path=f"examples/{path.name}")
        )


class TestDifference:
    """One example under two price books, and with another fleet."""

    def _changes(self):
        sides = [
            _compared(next(path for path in EXAMPLES if path.stem == "small"), f"prices={day}", f"fleet.nodes={nodes}")
            for day, nodes in (("2025-05-31", 4), ("2026-09-01", 6))
        ]
        before, after = (comparison_json.document(side) for side in sides)
        return changes(before, after, plan_before=sides[0].plan, plan_after=sides[1].plan)

    @pytest.mark.parametrize("width", [60, 80, 160])
    def test_table(self, width: int, golden) -> None:
        text = difference_text.render(self._changes(), width=width, colour=False, ascii_only=False, top=12)
        golden(f"small.diff.{width}.txt", text)

    def test_markdown(self, golden) -> None:
        golden("small.diff.md", difference_markdown.render(self._changes()))
