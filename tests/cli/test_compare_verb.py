"""The compare verb as a person or a script meets it: streams, files, gates, exit codes."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.typed import FEW, PLANNER, SMALL, planner


@pytest.mark.parametrize(
    ("ending", "begins"),
    [(".json", "{"), (".csv", "x_Scenario"), (".html", "<!doctype html>"), (".md", "<!-- planner:compare ")],
)
def test_a_file_s_ending_says_its_format(tmp_path, ending, begins):
    out = tmp_path / f"result{ending}"
    done = planner("compare", SMALL, *FEW, "-o", out)
    assert (done.returncode, done.stdout) == (0, "")
    assert out.read_text(encoding="utf-8").lower().startswith(begins.lower())


def test_without_a_plan_it_takes_the_one_that_init_wrote_here(tmp_path):
    missing = planner("compare", cwd=tmp_path)
    assert (missing.returncode, "Missing argument 'PLAN'" in missing.stderr) == (2, True)
    assert planner("init", cwd=tmp_path).returncode == 0
    found = planner("compare", *FEW, cwd=tmp_path)
    assert found.returncode == 0
    assert found.stdout == planner("compare", "plan.yaml", *FEW, cwd=tmp_path).stdout


def test_the_format_outranks_the_ending(tmp_path):
    out = tmp_path / "result.csv"
    assert planner("compare", SMALL, *FEW, "-f", "json", "-o", out).returncode == 0
    assert json.loads(out.read_text(encoding="utf-8"))["schema_version"] == "1"


@pytest.mark.parametrize(
    ("ending", "code"), [(".pdf", 2), (".XLSX", 2), (".MD", 0), (".txt", 0), (".Ab12", 0), ("", 0)]
)
def test_an_ending_must_not_promise_what_is_not_written(tmp_path, ending, code):
    done = planner("compare", SMALL, *FEW, "--draws", 0, "-o", tmp_path / f"result{ending}")
    assert done.returncode == code
    assert ("is not a known format: use .json, .csv, .md, .html, or -f" in done.stderr) == (code == 2)
    assert (tmp_path / f"result{ending}").exists() == (code == 0)


@pytest.mark.parametrize(
    ("words", "endings"),
    [
        (("compare",), ".json, .csv, .md, .html"),
        (("report",), ".html, .md"),
        (("explain",), ".json"),
        (("sensitivity",), ".json, .svg"),
        (("diff", "other.yaml"), ".json, .md"),
        (("preview", "--scenario", "best"), ".json, .svg"),
        (("lint", "--scenario", "best"), ".json, .sarif"),
    ],
    ids=lambda words: words[0] if isinstance(words, tuple) else "",
)
def test_every_verb_refuses_such_an_ending_before_it_works(words, endings, tmp_path):
    """A plan that is not there is not looked for."""
    verb, *more = words
    done = planner(verb, "no-such-plan.yaml", *more, "-o", "result.pdf", cwd=tmp_path)
    assert done.returncode == 2
    printed = "; a browser saves the HTML as PDF" if ".html" in endings else ""
    assert done.stderr == f"planner: result.pdf: .pdf is not a known format: use {endings}, or -f{printed}\n"


def test_a_folder_that_is_not_there_is_said_before_the_work(tmp_path):
    for words in (("compare", "no-such-plan.yaml"), ("report", "no-such-plan.yaml"), ("schema",)):
        done = planner(*words, "-o", "a b/c/x.json" if words[0] != "report" else "a b/c/x.html", cwd=tmp_path)
        assert done.returncode == 2
        assert "folder a b/c does not exist; mkdir -p 'a b/c'" in done.stderr
    assert "folder a does not exist; mkdir -p a" in planner("init", "a/plan.yaml", cwd=tmp_path).stderr


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("compare", "plan.yaml", "-f", "md"), "PLAN"),
        (("report", "plan.yaml", "-f", "md"), "PLAN"),
        (("explain", "plan.yaml", "best", "-f", "text"), "PLAN"),
        (("sensitivity", "plan.yaml", "-f", "table"), "PLAN"),
        (("preview", "plan.yaml", "--scenario", "best", "-f", "json"), "PLAN"),
        (("lint", "--graph", "plan.yaml", "-f", "json"), "--graph"),
        (("teardown-check", "--stack", "dev", "--state", "plan.yaml", "-f", "json"), "--state"),
        (("diff", "other.yaml", "plan.yaml", "-f", "json"), "B"),
    ],
    ids=lambda words: words[0] if isinstance(words, tuple) else "",
)
def test_no_verb_writes_over_what_it_reads(words, name, tmp_path):
    """Under whatever name, and before the work: what stands in the file is no plan and is not looked at."""
    plan, link = tmp_path / "plan.yaml", tmp_path / "link.yaml"
    plan.write_text("precious")
    link.symlink_to(plan)
    for out in ("plan.yaml", f"../{tmp_path.name}/plan.yaml", "link.yaml"):
        done = planner(*words, "-o", out, cwd=tmp_path)
        assert done.returncode == 2
        told = f"planner: cannot write {out}: it is {name} itself, which would be overwritten; name another file\n"
        assert (done.stdout, done.stderr) == ("", told)
    assert plan.read_text() == "precious"


def test_a_folder_is_no_file_to_write(tmp_path):
    done = planner("compare", "no-such-plan.yaml", "-o", ".", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "planner: cannot write .: it is a folder; name a file in it\n"


@pytest.mark.parametrize(
    ("said", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "0"}, False),
        ({"FORCE_COLOR": ""}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colours_may_be_forced_where_nothing_forbids_them(said, coloured):
    quiet = {"NO_COLOR": "", "FORCE_COLOR": ""}
    done = planner("compare", SMALL, *FEW, "--draws", 0, **(quiet | said))
    assert ("\x1b[" in done.stdout) is coloured
    if coloured:
        assert "\x1b[" not in planner("compare", SMALL, *FEW, "--draws", 0, "--color", "never", **said).stdout


def test_a_name_that_is_too_long_says_by_how_much():
    done = planner("validate", SMALL, "--set", f"name={'n' * 10_007}")
    assert done.returncode == 2
    assert "name has more than 10,000 characters" in done.stderr
    assert "shorten it by 7" in done.stderr


def test_a_book_of_another_day_is_told():
    asked = ("compare", SMALL, *FEW, "--draws", 0, "--prices")
    done = planner(*asked, "2026-08-31")
    assert done.returncode == 0
    assert "there is no price book of 2026-08-31: these are the prices of 2025-05-31" in done.stderr
    assert "price book" not in planner(*asked, "2026-08-31", "-q").stderr
    assert "price book" not in planner(*asked, "2026-09-01").stderr


def test_an_override_that_is_wrong_names_its_path_once():
    done = planner("compare", SMALL, "--set", "start=2026-13-01")
    assert done.stderr.startswith("--set start: no such day in the calendar; got '2026-13-01'")


def test_an_explanation_s_ending_says_its_format(tmp_path):
    for name, begins in (("x.json", "{"), ("x.txt", "small\n"), ("x", "small\n")):
        assert planner("explain", SMALL, "best", *FEW, "--draws", 0, "-o", tmp_path / name).returncode == 0
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(begins)


@pytest.mark.parametrize("asked", [("compare", "--max-cost"), ("optimize", "--budget"), ("stack", "--budget")])
def test_a_limit_that_is_no_number_is_refused(asked):
    verb, option = asked
    done = planner(verb, SMALL, option, "nan")
    assert done.returncode == 2
    assert "'nan' is not a number" in done.stderr


def test_a_gate_may_judge_the_bad_luck():
    document = json.loads(planner("compare", SMALL, *FEW, "-f", "json").stdout)
    best = document["scenarios"][0]["cost_usd"]
    between = (best["plan"] + best["p90"]) / 2
    assert best["plan"] < between < best["p90"]
    assert planner("compare", SMALL, *FEW, "--max-cost", between).returncode == 0
    done = planner("compare", SMALL, *FEW, "--max-cost", between, "--at", "p90")
    assert done.returncode == 10
    assert "P90 cost" in done.stderr
    assert done.stdout, "the result is printed all the same"


def test_a_region_that_no_price_knows_is_a_slip():
    done = planner("compare", SMALL, "--set", "region=us-east-9")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean us-east-" in done.stderr


def test_problems_begin_with_their_place(tmp_path):
    plan = tmp_path / "plan.yaml"
    plan.write_text(Path(SMALL).read_text(encoding="utf-8").replace("p4d.24xlarge", "p4d.24xlrage"), encoding="utf-8")
    done = planner("compare", plan)
    assert done.returncode == 2
    assert done.stderr.startswith(f"{plan}:")


def test_no_hash_of_the_clock_in_the_result():
    first, second = (planner("compare", SMALL, *FEW, "-f", "json").stdout for _ in range(2))
    assert first == second
    assert planner("compare", SMALL, *FEW, "-f", "json", "--seed", "1").stdout != first


def test_a_reader_that_goes_away_is_no_error():
    command = [PLANNER, "compare", SMALL, "-f", "json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout
    assert process.stderr
    process.stdout.read(1)
    process.stdout.close()
    assert process.wait(timeout=30) in (0, -13)
    with process.stderr as errors:
        assert b"Traceback" not in errors.read()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("calc", "C1", "node_hours=-5", "usd_per_hour=3"), "cannot be negative"),
        (("calc", "C1", "node_hours=five", "usd_per_hour=3"), "not a number"),
        (("calc", "no-such"), "there is no equation"),
        (("offers", "p5.48xlarge", "--region", "us-east-9"), "no price in us-east-9; did you mean us-east-2"),
        (("compare", SMALL, "--prices", "2019-01-01"), "2023-12-31"),
        (("compare", SMALL, "--as-of", "soon"), "is not a day"),
        (("compair", SMALL), "Did you mean 'compare'"),
    ],
)
def test_errors_say_what_to_do(words, said):
    done = planner(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_verbose_lists_every_assumption_with_range_and_source():
    document = json.loads(planner("compare", SMALL, *FEW, "-f", "json").stdout)
    told = " ".join(planner("compare", SMALL, *FEW, "-v").stdout.split())
    assert document["assumptions"]
    for entry in document["assumptions"]:
        assert f"{entry['key']}: {entry['value']:g} ({entry['low']:g} to {entry['high']:g})" in told
        assert " ".join(entry["source"].split()) in told
    assert "Assumptions:" not in planner("compare", SMALL, *FEW).stdout


def test_the_next_command_repeats_what_made_this_result(tmp_path):
    said = planner("compare", SMALL, *FEW, "--seed", 7, "--draws", 300).stdout.split("Bills and sources:")[1]
    again = shlex.split(said.replace("\\\n", ""))  # as a shell takes it
    assert again[:2] == ["planner", "report"]
    words = [str(tmp_path / "report.html") if word == "report.html" else word for word in again[1:]]
    assert planner(*words).returncode == 0
    assert "300 draws, seed 7" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "--set" not in planner("compare", SMALL).stdout.splitlines()[-1]


def test_a_full_disk_is_not_called_a_defect_of_ours():
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        command = [PLANNER, "compare", SMALL, *FEW]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert "cannot write the result" in done.stderr
    assert "defect" not in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("block-days", "run_hours=4392"), "at most 182 days"),
        (("block-fee", "nodes=300", "block_days=7", "usd_per_hour=11.8"), "1 to 256"),
        (("block-fee", "nodes=32", "block_days=15", "usd_per_hour=11.8"), "whole weeks"),
        (("protected-usable", "raw_tb=80", "nodes=10"), "as many nodes besides the spares"),
        (("young-interval", "mtbf_hours=0", "write_hours=1"), "greater than 0"),
    ],
)
def test_calc_does_not_price_what_cannot_be_bought(words, said):
    done = planner("calc", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_work_too_small_for_arithmetic_is_refused():
    done = planner("compare", SMALL, "--set", "run.work.gpu_hours=1e-308")
    assert done.returncode == 2
    assert "RuntimeWarning" not in done.stderr


def test_out_of_date_prices_name_their_bill_line():
    document = json.loads(planner("compare", SMALL, *FEW, "-f", "json", "--as-of", "2030-01-01", "-q").stdout)
    volumes = [entry for entry in document["stale"] if entry.startswith("fleet.ebs:")]
    assert len(volumes) == 1
    assert sum(entry.startswith("spot:") for entry in document["stale"]) == 1


@pytest.mark.parametrize("words", [("-o", "{}/x.md"), ("-f", "md", "-o", "{}/x.txt")])
def test_the_report_is_markdown_where_asked(tmp_path, words):
    done = planner("report", SMALL, *FEW, *(word.format(tmp_path) for word in words))
    assert (done.returncode, done.stdout) == (0, "")
    (written,) = tmp_path.iterdir()
    text = written.read_text(encoding="utf-8")
    assert text == planner("compare", SMALL, *FEW, "-f", "md").stdout
    assert text.splitlines()[1].startswith("**Recommended: ")


@pytest.mark.thorough
def test_the_report_names_its_file_after_its_format(tmp_path):
    for style in ("html", "md"):
        assert planner("report", SMALL, *FEW, "-f", style, cwd=tmp_path).returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "report.md"]
