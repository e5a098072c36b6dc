"""The README is true: what it shows is what the commands print, and every command in it runs."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from planner.report.wording.figures import days, percent, usd
from planner.report.wording.rounding import usd_apart
from tools.pictures import PICTURE, kept, report, shown
from tools.readme import ROOT, filled

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    line.removeprefix("$ ")
    for block in re.findall(r"```console\n(.*?)```", README, flags=re.DOTALL)
    for line in block.splitlines()
    if line.startswith("$ .venv/bin/planner")
]


def test_plan_and_output_are_what_the_command_prints() -> None:
    assert filled(README) == README, "run tools/readme.py"


def test_the_answer_above_the_plan_has_the_figures_of_the_comparison() -> None:
    """The paragraph is written by hand, so each of its figures is looked up in `compare -f json`."""
    answer = README.split("**The answer for the plan below**")[1].split("<!--")[0].replace("\n", " ")
    command = [sys.executable, "-m", "planner", "compare", "examples/multimodal-p5.yaml", "-f", "json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True)
    scenario = {(entry["layout"], entry["purchase"]): entry for entry in json.loads(done.stdout)["scenarios"]}
    chosen = scenario["converged", "capacity-block"]
    assert f"costs about {usd(chosen['cost_usd']['p50'])} and takes {days(chosen['days']['p50'])} days" in answer
    lustre = scenario["fsx-lustre", "capacity-block"]
    assert f"costs {usd_apart(chosen['cost_usd']['p50'], lustre['cost_usd']['p50'])} more" in answer
    assert f"in {percent(1 - lustre['below_best_fraction'])} of the simulated outcomes" in answer
    misses = [scenario[layout, "capacity-block"] for layout in ("s3-stream", "separate-nvme")]
    assert all(not one["eligible"] for one in misses)
    fallback = scenario["converged", "spot-fallback"]
    holds, fails = (usd(one["cost_usd"]["mean"]) for one in fallback["futures"])
    assert f"costs about {holds} where spot holds and {fails} where it does not" in answer
    term = scenario["converged", "sp-1y-compute-no-upfront"]
    assert f"costs {usd(term['cost_usd']['plan'])}" in answer
    assert 0.9 < 1 - term["days"]["plan"] / 365 < 0.95  # "more than 90% of its term"


def test_the_picture_shows_the_figures_of_the_report(tmp_path: Path) -> None:
    assert kept(PICTURE.read_bytes()) == shown(report(tmp_path).read_text(encoding="utf-8")), "run make pictures"


def test_the_published_figures_are_those_of_the_backtest() -> None:
    command = [sys.executable, "-m", "planner", "backtest", "-f", "json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True)
    results = json.loads(done.stdout)["cases"]
    counts = Counter(result["verdict"] for result in results)
    part = README.split("## What others published, replayed")[1].split("\n## ")[0]
    told = " ".join(part.split())
    assert f"puts {len(results)} published figures" in told
    assert f"{counts['reproduced']} reproduced, {counts['plausible']} plausible" in told
    assert f"{counts['contradicted']} contradicted" in told
    known = {result["id"]: result for result in results}
    rows = re.findall(r"^\|[^|]+\| ([-\d.,]+) \| ([-\d.,]+) \| (\w+) \| `([^`]+)` \|$", part, re.MULTILINE)
    assert len(rows) == 9
    document = json.loads(done.stdout)
    own, bare = document["coverage"], document["coverage_from_flop_and_fleet"]
    assert f"Of {own['of']} outcomes" in told
    assert f"{own['inside']} lie inside P10-P90" in told
    ratio = bare["median_published_over_p50"]
    assert f"of {bare['of']} whole runs" in told
    assert f"a fleet, {bare['inside']}, and they took {ratio:.2f} times the P50" in told
    others = bare["inside_by_the_others"]
    assert f"judged by what the others took, {others} would lie inside ({100 * others / bare['of']:.0f} %)" in told
    for published, computed, verdict, id in rows:
        found, digits = known[id], len(computed.partition(".")[2])
        assert verdict == found["verdict"]
        assert float(computed.replace(",", "")) == round(found["computed"], digits)
        if isinstance(found["published"], float):
            assert float(published.replace(",", "")) == found["published"]


def test_there_are_commands_to_try() -> None:
    assert len(COMMANDS) >= 6


@pytest.mark.thorough  # the commands are run one by one where they are tested
def test_every_command_runs_in_order(tmp_path: Path) -> None:
    planner = Path(sys.executable).with_name("planner")
    for command in COMMANDS:
        words = [str(planner), *shlex.split(command)[1:]]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False)
        assert done.returncode == 0, (command, done.stderr)
    # the one command that is not ours sends what ours wrote
    (sent,) = re.findall(r"^\$ gh pr comment .*--body-file (\S+)$", README, flags=re.MULTILINE)
    assert (tmp_path / sent).read_text(encoding="utf-8").startswith("<!-- planner:compare my-run-")


def test_from_nothing_to_a_pull_request_in_five_commands() -> None:
    section = README.split("## From a plan to a report in a pull request")[1].split("## ")[0]
    commands = re.findall(r"^\$ (.*)$", section, flags=re.MULTILINE)
    assert len(commands) == 5
    assert commands[0].endswith("planner init my-run.yaml")
    assert commands[-1].startswith("gh pr comment")


@pytest.mark.parametrize("known", [(), ("17",), ("17", "18")])
def test_a_pipeline_posts_the_first_comment_and_updates_it_later(known: tuple[str, ...], tmp_path: Path) -> None:
    """With a `gh` that writes down what it is asked for, and knows of comments or of none."""
    block = re.findall(r"```console\n(.*?)```", README.split("### In a pipeline")[1], flags=re.DOTALL)[0]
    script = re.sub(r"^\$ ", "", block, flags=re.MULTILINE)
    gh = tmp_path / "gh"
    listed = "; ".join(f"echo {number}" for number in known) or ":"
    gh.write_text(f'#!/bin/sh\necho "$@" >> asked\ncase "$*" in *--paginate*) {listed} ;; esac\n')
    gh.chmod(0o755)
    (tmp_path / "report.md").write_text("<!-- planner:compare x -->\nanswer\n")
    path = f"{tmp_path}:{os.environ['PATH']}"
    subprocess.run(["bash", "-eu", "-c", script], cwd=tmp_path, check=True, env=os.environ | {"PATH": path, "PR": "5"})
    first, last = (tmp_path / "asked").read_text().splitlines()
    assert "repos/{owner}/{repo}/issues/5/comments" in first
    assert 'startswith("<!-- planner:compare x -->")' in first
    wanted = "api -X PATCH repos/{owner}/{repo}/issues/comments/17 -F body=@report.md"
    assert last == (wanted if known else "pr comment 5 --body-file report.md")


@pytest.mark.parametrize("name", re.findall(r"^\| `([a-z0-9-]+)` \|", README, flags=re.MULTILINE))
def test_every_example_named_is_there(name: str) -> None:
    assert (ROOT / "examples" / f"{name}.yaml").is_file()


def test_every_example_is_named() -> None:
    for path in (ROOT / "examples").glob("*.yaml"):
        assert f"`{path.stem}`" in README


def test_the_first_screen_has_plan_command_and_output() -> None:
    first = README.splitlines()[:45]
    assert any(line.startswith("apiVersion:") for line in first)
    assert "$ make plan" in first
