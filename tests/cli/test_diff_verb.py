"""The diff verb: what is compared with what, exit codes, streams, errors."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.typed import FEW, PLANNER, SMALL, planner

QUICK = (*FEW, "--draws", 50)
NODES = ("--set-b", "fleet.nodes=5")


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> Path:
    """A saved comparison with a seed and draws of its own."""
    out = tmp_path_factory.mktemp("saved") / "before.json"
    assert planner("compare", SMALL, *QUICK, "--seed", 7, "-o", out).returncode == 0
    return out


def test_exit_codes_say_whether_anything_differs():
    for words, code in ((NODES, 14), (("--set-b", "fleet.nodes=4"), 0)):
        assert planner("diff", SMALL, *QUICK, *words, "--exit-code").returncode == code
        assert planner("diff", SMALL, *QUICK, *words).returncode == 0


def test_one_plan_under_two_books_is_two_comparisons():
    done = planner("diff", SMALL, *QUICK, "--prices-a", "2025-05-31", "--prices-b", "2026-09-01", "-f", "json")
    found = json.loads(done.stdout)
    sides = []
    for day in ("2025-05-31", "2026-09-01"):
        document = json.loads(planner("compare", SMALL, *QUICK, "--prices", day, "-f", "json", "-q").stdout)
        sides.append({s["id"]: s["cost_usd"] for s in document["scenarios"]})
    assert [found[side]["prices_as_of"] for side in ("before", "after")] == ["2025-05-31", "2026-09-01"]
    assert len(found["scenarios"]) == len(sides[0]) > 0
    for row in found["scenarios"]:
        assert row["cost_usd"]["change"] == pytest.approx(sides[1][row["id"]]["plan"] - sides[0][row["id"]]["plan"])
        assert row["cost_p90_usd"]["after"] == sides[1][row["id"]]["p90"]


def test_a_plan_is_drawn_as_the_saved_comparison_was(kept):
    done = planner("diff", kept, SMALL, *FEW, "--exit-code", "-f", "json")
    assert done.returncode == 0, done.stderr
    after = json.loads(done.stdout)["after"]
    assert (after["seed"], after["draws"]) == (7, 50)
    other = planner("diff", kept, SMALL, *FEW, "--exit-code", "--draws", 60)
    assert other.returncode == 14
    assert "some of the changes in P10 to P90 are chance" in " ".join(other.stdout.split())
    assert planner("diff", kept, kept, "--exit-code").returncode == 0


def test_files_may_be_pipes(kept):
    text = Path(SMALL).read_text(encoding="utf-8")
    done = planner("diff", "-", SMALL, *QUICK, "--exit-code", given=text)
    assert done.returncode == 0, done.stderr
    done = planner("diff", SMALL, "-", *FEW, "--exit-code", given=kept.read_text(encoding="utf-8"))
    assert done.returncode == 0, done.stderr
    done = planner("diff", "-", *QUICK, *NODES, "--exit-code", given=text)
    assert done.returncode == 14, "one plan against itself is read once"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((SMALL,), "nothing to compare"),
        (("-", "-"), "cannot both be standard input"),
        ((SMALL, "no-such.yaml"), "no such file"),
        ((SMALL, SMALL, "--set-b", "fleet.nodse=4"), "did you mean fleet.nodes?"),
        ((SMALL, SMALL, "--prices-b", "2020-01-01"), "2020-01-01"),
        ((SMALL, SMALL, "--prices-b", "yesterday"), "neither a day nor a folder"),
        ((SMALL, SMALL, "--scenario", "s3-stream/p4d.24xlarge/on-demnd"), "mean s3-stream/p4d.24xlarge/on-demand?"),
        (("{kept}", "{kept}", "--set-a", "fleet.nodes=5"), "--set-a cannot change"),
        (("{kept}", SMALL, "--prices-a", "2025-05-31"), "--prices-a cannot change"),
        (("{kept}", "--set-b", "fleet.nodes=5"), "is a saved comparison, whose prices cannot change"),
        (("{cut}", SMALL), "the file is incomplete"),
        (("{other}", SMALL), "not a saved comparison"),
        (("{folder}", SMALL), "this is a folder"),
    ],
)  # fmt: skip
def test_wrong_arguments_get_a_message_with_a_remedy(kept, tmp_path, words, message):
    cut, other = tmp_path / "cut.json", tmp_path / "other.json"
    cut.write_bytes(kept.read_bytes()[:5000].rstrip())
    other.write_text("{}", encoding="utf-8")
    named = {"kept": kept, "cut": cut, "other": other, "folder": tmp_path}
    done = planner("diff", *(word.format(**named) for word in words), "--draws", 0)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_bill_that_is_asked_for_is_shown():
    name = "converged/p4d.24xlarge/on-demand"
    assert f"Bill of {name}" not in planner("diff", SMALL, *QUICK, "--draws", 0, *NODES).stdout
    assert f"Bill of {name}" in planner("diff", SMALL, *QUICK, "--draws", 0, *NODES, "--scenario", name).stdout


def test_a_scenario_is_named_as_in_other_verbs():
    """By its rank in B, as the table of the difference has it, or as the best of B."""
    base = ("diff", SMALL, *QUICK, "--draws", 0, *NODES)
    ranked = json.loads(planner("compare", SMALL, *QUICK, "--draws", 0, "--set", NODES[1], "-f", "json").stdout)
    ids = [entry["id"] for entry in ranked["scenarios"]]
    by_id = planner(*base, "--scenario", ids[2]).stdout
    assert f"Bill of {ids[2]}" in by_id
    for text in ("3", "#3"):
        assert planner(*base, "--scenario", text).stdout == by_id
    assert planner(*base, "--scenario", "best").stdout == planner(*base, "--scenario", ids[0]).stdout
    done = planner(*base, "--scenario", "99")
    assert done.returncode == 2
    assert f"ranks of B are 1 to {len(ids)}; -f json lists the ids" in done.stderr


@pytest.mark.parametrize(
    ("ending", "begins"), [(".json", "{"), (".md", "<!-- planner:diff small-"), (".txt", "small\n")]
)
def test_a_file_s_ending_says_its_format(tmp_path, ending, begins):
    out = tmp_path / f"result{ending}"
    done = planner("diff", SMALL, *QUICK, *NODES, "-o", out)
    assert (done.returncode, done.stdout) == (0, "")
    text = out.read_text(encoding="utf-8")
    assert text.startswith(begins)
    again = planner("diff", SMALL, *QUICK, *NODES, "-f", {".json": "json", ".md": "md"}.get(ending, "table"))
    assert again.stdout == text


def test_a_reader_that_goes_away_is_no_error():
    with subprocess.Popen(
        [PLANNER, "diff", SMALL, *map(str, QUICK), *NODES, "-f", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(1)
        running.stdout.close()
        assert running.stderr.read() == b""
