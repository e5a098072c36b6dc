"""Every example in every format, byte for byte. Page, JSON and CSV show two layouts and two purchases of each."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from planner.cli.options import Asked
from planner.decide.compare import compare
from planner.decide.result import Comparison
from planner.report import as_csv, as_html, as_json, as_table

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


@cache
def _compared(path: Path, *overrides: str) -> Comparison:
    asked = Asked(plan=str(path), overrides=overrides, draws=5000, seed=0, prices=None, as_of=None, max_price_age=None)
    return compare(asked.request())


def _few(path: Path) -> Comparison:
    """A small part of the example, so that a change of its golden files can be read."""
    layouts = "[separate-nvme, fsx-lustre]" if path.stem == "video-separate" else "[converged, fsx-lustre]"
    return _compared(path, "purchase.options=[on-demand, spot]", f"storage.layouts={layouts}")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
class TestExamples:
    @pytest.mark.parametrize("width", [80, 160])
    def test_table(self, path: Path, width: int, golden) -> None:
        text = as_table.render(
            _compared(path), width=width, colour=False, ascii_only=False, top=12, plan_path=f"examples/{path.name}"
        )
        golden(f"{path.stem}.{width}.txt", text)

    def test_json(self, path: Path, golden) -> None:
        golden(f"{path.stem}.json", as_json.render(_few(path)))

    def test_csv(self, path: Path, golden) -> None:
        golden(f"{path.stem}.csv", as_csv.render(_few(path)))

    def test_html(self, path: Path, golden) -> None:
        golden(f"{path.stem}.html", as_html.render(_few(path)))
