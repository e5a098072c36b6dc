"""The whole output of the worker pool's example, in every format."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from planner.plan.load import LoadedPool, load_any
from planner.report.blocks import html, markdown
from planner.report.blocks.terminal import Cells
from planner.report.data import worker_pool_json
from planner.report.wording.worker_pool_page import SKIP, page
from planner.worker_pool.compare import compare_pool
from planner.worker_pool.result import PoolComparison
from tests.builders import book_of

PLAN = Path(__file__).parent.parent.parent / "examples" / "worker-pool.yaml"


@cache
def few() -> PoolComparison:
    loaded = load_any(PLAN)
    assert isinstance(loaded, LoadedPool)
    return compare_pool(loaded, book_of(), runs=20)


@pytest.mark.parametrize("width", [80, 160])
def test_table(width: int, golden) -> None:
    text = Cells(width=width, ascii_only=False).page(page(few(), "worker-pool.yaml"))
    assert max(map(len, text.splitlines())) <= width
    golden(f"worker-pool.{width}.txt", text)


def test_json(golden) -> None:
    golden("worker-pool.json", worker_pool_json.render(few()))


def test_csv(golden) -> None:
    golden("worker-pool.csv", worker_pool_json.render_csv(few()))


def test_html(golden) -> None:
    golden("worker-pool.html", html.text(page(few()), SKIP))


def test_markdown(golden) -> None:
    golden("worker-pool.md", markdown.text(page(few())))
