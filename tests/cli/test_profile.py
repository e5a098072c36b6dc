"""`planner profile`, as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
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
