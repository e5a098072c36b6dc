"""`planner profile`, as it is typed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

from planner.cli.main import command as planner
from planner.errors import PlanProblems, UsageProblem
from tests.builders import SMALL


def run(*words: str):
    return CliRunner().invoke(planner, ["profile", *words])


def log(path: Path, seconds: float, seed: int) -> str:
    each = seconds * (1 + 0.02 * np.random.default_rng(seed).normal(size=300))
    path.write_text("seconds,samples\n" + "".join(f"{one:.5f},256\n" for one in each))
    return str(path)


def test_two_logs_make_a_table_that_a_plan_takes(tmp_path: Path) -> None:
    one, two = log(tmp_path / "8.csv", 2.0, 1), log(tmp_path / "16.csv", 1.04, 2)
    text, table = tmp_path / "plan.yaml", tmp_path / "table.yaml"
    text.write_text(
        json.dumps(
            {
                **SMALL,
                "run": {
                    "work": {"samples": 4e7},
                    "throughput": [{"gpus": 8, "samples_per_second": 100}],
                    "scaling": "linear",
                },
            }
        )
    )
    found = run(f"8={one}", f"16={two}", "--for", str(text), "--measured", str(table))
    assert found.exit_code == 0, found.output
    assert "Scaling: a GPU of 16 does 96% of what one of 8 does." in found.output
    assert "the range of the cost is" in " ".join(found.output.split())
    assert f"Next: planner compare {text} --set @{table}" in found.output
    again = CliRunner().invoke(planner, ["compare", str(text), "--set", f"@{table}", "--draws", "0", "-f", "json"])
    assert again.exit_code == 0, again.output


TRAINER = """
import json, random, sys
random.seed(int(sys.argv[1]))
print("starting", file=sys.stderr)
for step in range(300):
    print(json.dumps({"step": step, "seconds": 2 * random.gauss(1, 0.02), "samples": 256}))
sys.exit(int(sys.argv[2]))
"""


def test_a_command_is_run_and_what_it_prints_is_read_and_kept(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(TRAINER)
    train = f"8={sys.executable} train.py"
    found = run("--run", f"{train} 1 0", "--run", f"{train} 2 0", "--measured", "table.yaml")
    assert found.exit_code == 0, found.output
    (row,) = yaml.safe_load(Path("table.yaml").read_text())["run"]["throughput"]
    assert row == {"gpus": 8, "samples_per_second": pytest.approx(128, rel=0.01)}  # 256 samples in two seconds
    assert {path.name for path in tmp_path.glob("*.log")} == {"profile-8.log", "profile-8-2.log"}
    for words, said in (
        (["--run", f"{train} 1 3"], "ended with 3; what it printed is in profile-8-3.log"),
        (["--run", "8=no-such-trainer"], "cannot be started"),
        (["--run", "8='"], "No closing quotation"),
        ([], "or a command to run: --run 8=COMMAND"),
    ):
        found = run(*words)
        assert isinstance(found.exception, UsageProblem)
        assert said in str(found.exception)


def test_mistakes_are_answered_in_a_sentence(tmp_path: Path) -> None:
    one = log(tmp_path / "8.csv", 2.0, 1)
    for words, said in (
        ([one], "write the GPUs that trained before the log, as 64="),
        ([f"0={one}"], "write the GPUs that trained"),
        ([f"8={tmp_path / '9.csv'}"], "did you mean"),
        ([f"8={one}", "--measured", str(tmp_path / "none" / "x.yaml")], "none"),
    ):
        found = run(*words)
        assert isinstance(found.exception, UsageProblem | PlanProblems)
        assert said in str(found.exception)
