"""docs/rehearsal-on-an-account.md says of the program's steps, prices and options what they are."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from itertools import pairwise

from tools.docs import ROOT

PAGE = (ROOT / "docs" / "rehearsal-on-an-account.md").read_text(encoding="utf-8")
PROGRAM = ROOT / "examples" / "rehearsal" / "run.py"


def test_its_steps_in_order_and_no_dollars_that_go_back():
    steps = re.search(r"^STEPS = \((.*?)\)", PROGRAM.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert steps is not None
    rows = re.findall(r"^\| `([a-z]+)` \|.*\| (\d+) \| ([\d.]+) \|$", PAGE, flags=re.MULTILINE)
    assert [name for name, _, _ in rows] == re.findall(r'"(\w+)"', steps[1])
    spent = [float(usd) for _, _, usd in rows]
    assert all(one <= next_ for one, next_ in pairwise(spent))
    # what comes before `up` is free; the rest is time at the hourly price
    minutes = sum(int(each) for _, each, _ in rows[1:])
    assert abs(spent[-1] - minutes / 60 * _usd_per_hour()) < 0.2


def test_the_price_is_that_of_the_example():
    assert f"${_usd_per_hour():.2f} an hour" in PAGE
    assert f"${_usd_per_hour():.4f} an hour" in PAGE


def test_its_options_are_those_of_the_program():
    words = [sys.executable, str(PROGRAM), "--help"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert set(re.findall(r"`(--[a-z-]+)", PAGE)) - {"--from", "--to"} <= set(re.findall(r"--[a-z-]+", said))


def _usd_per_hour() -> float:
    words = [sys.executable, "-m", "planner", "preview", "examples/rehearsal.yaml", "--scenario", "best", "-f", "json"]
    said = subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    return sum(each["usd_per_hour"] for each in json.loads(said)["resources"])
