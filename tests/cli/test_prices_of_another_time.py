"""A run for which there are no prices of its time: every form of the answer says so first, and --strict fails."""

from __future__ import annotations

import json
import re

import pytest

from tests.typed import SMALL, planner

WORKERS = "examples/worker-pool.yaml"
LONG_AGO = ("--set", "start=2020-11-02", "--draws", 20)
WARNING = "Warning: these prices were observed on 2026-10-10, 2,168 days after 2020-11-02"


def _plain(text: str) -> str:
    return " ".join(re.sub("<[^>]*>", " ", text).split())


@pytest.mark.parametrize("plan", [SMALL, WORKERS])
@pytest.mark.parametrize("style", ["table", "md", "html", "json"])
def test_the_answer_begins_with_it(plan, style):
    done = planner("compare", plan, *LONG_AGO, "-f", style)
    assert done.returncode == 0
    text = json.loads(done.stdout)["answer"]["reason"] if style == "json" else _plain(done.stdout)
    assert WARNING in text
    # before any other sentence about the recommended choice
    assert text.index(WARNING) < re.search(r"It (is the|finishes) ", text).start()


def test_it_is_said_too_where_nothing_is_recommended():
    done = planner("compare", SMALL, *LONG_AGO, "--set", "constraints.max_cost_usd=5")
    assert WARNING in _plain(done.stdout)


@pytest.mark.parametrize("plan", [SMALL, WORKERS])
def test_strict_counts_it_as_out_of_date(plan):
    done = planner("compare", plan, *LONG_AGO, "--strict", "-q")
    assert done.returncode == 11
    assert "prices of 2026-10-10 are later than 2020-11-02" in done.stderr


def test_json_lists_it_first_among_the_prices_that_are_out_of_date():
    document = json.loads(planner("compare", SMALL, *LONG_AGO, "-f", "json", "-q").stdout)
    assert document["stale"][0].startswith("all prices: observed 2,168 days after 2020-11-02, on 2026-10-10")
    assert document["prices"]["age_days"] == -2168


def test_the_book_of_the_day_needs_no_warning():
    done = planner("compare", SMALL, "--set", "start=2026-10-05", "--draws", 20)
    assert "prices of 2026-09-01, 34 days old on 2026-10-05" in _plain(done.stdout)
    assert "Warning" not in done.stdout
    assert "--prices 2026-10-10 takes the newest" in done.stderr


def test_the_day_that_somebody_states_counts_instead_of_the_start():
    done = planner("compare", SMALL, *LONG_AGO, "--as-of", "2026-10-10")
    assert "Warning" not in done.stdout
    later = planner("compare", SMALL, "--draws", 20, "--as-of", "2026-09-01", "--prices", "2026-10-10")
    assert "Warning: these prices were observed on 2026-10-10, 39 days after 2026-09-01" in _plain(later.stdout)
