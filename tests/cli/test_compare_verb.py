"""The compare verb as a person or a script meets it: streams, files, gates, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SMALL = str(ROOT / "examples" / "small.yaml")
FEW = ("--set", "purchase.options=[on-demand, spot]", "--set", "storage.layouts=[s3-stream, converged]")


def planner(*words, **more):
    command = [str(Path(sys.executable).with_name("planner")), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, **more)


@pytest.mark.parametrize(("ending", "begins"), [(".json", "{"), (".csv", "x_Scenario"), (".html", "<!doctype html>")])
def test_a_file_s_ending_says_its_format(tmp_path, ending, begins):
    out = tmp_path / f"result{ending}"
    done = planner("compare", SMALL, *FEW, "-o", out)
    assert (done.returncode, done.stdout) == (0, "")
    assert out.read_text(encoding="utf-8").lower().startswith(begins.lower())


def test_the_format_outranks_the_ending(tmp_path):
    out = tmp_path / "result.csv"
    assert planner("compare", SMALL, *FEW, "-f", "json", "-o", out).returncode == 0
    assert json.loads(out.read_text(encoding="utf-8"))["schema_version"] == "1"


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
    command = [str(Path(sys.executable).with_name("planner")), "compare", SMALL, "-f", "json"]
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
        (("offers", "p5.48xlarge", "--region", "us-east-9"), "no price in us-east-9"),
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


def test_the_next_command_says_that_overrides_must_be_repeated():
    assert "with your --set again" in planner("compare", SMALL, *FEW).stdout
    assert "--set" not in planner("compare", SMALL).stdout.splitlines()[-1]


def test_a_full_disk_is_not_called_a_defect_of_ours():
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        command = [str(Path(sys.executable).with_name("planner")), "compare", SMALL, *FEW]
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


def test_stale_prices_name_the_line_they_stand_on():
    document = json.loads(planner("compare", SMALL, *FEW, "-f", "json", "--as-of", "2030-01-01", "-q").stdout)
    volumes = [entry for entry in document["stale"] if entry.startswith("fleet.ebs:")]
    assert len(volumes) == 1
    assert sum(entry.startswith("spot:") for entry in document["stale"]) == 1
