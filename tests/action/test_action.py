"""The GitHub Action, run as a runner runs it: its steps from action.yml, the runner's files, GitHub on loopback."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.action.github import READ_ONLY, TOKEN, GitHub, serving

ROOT = Path(__file__).resolve().parents[2]
FAST = "--draws 20 -q --set storage.layouts=[s3-stream] --set purchase.options=[on-demand,capacity-block]"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


@pytest.fixture
def hub():
    with serving() as found:
        yield found


@dataclass(frozen=True)
class Done:
    code: int
    log: str
    outputs: dict[str, str]
    summary: str


def filled(text: str, inputs: dict[str, str]) -> str:
    """A string with its expressions evaluated."""
    found = re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda match: inputs[match[1]], str(text))
    assert "${{" not in found
    return found


def run(tmp_path: Path, hub: GitHub, event: object = None, token: str = TOKEN, **given: str) -> Done:
    """Every step after the installation, in bash as a runner starts it. given: inputs, _ for -."""
    temp = tmp_path / "temp"
    temp.mkdir(exist_ok=True)
    venv = temp / "planner"
    if not venv.exists():
        venv.symlink_to(Path(sys.prefix))  # what the first step installs
    files = {name: temp / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_EVENT_PATH")}
    for file in files.values():
        file.write_text("")
    files["GITHUB_EVENT_PATH"].write_text(json.dumps({"pull_request": {"number": 7}} if event is None else event))
    inputs = {name: str(entry.get("default", "")) for name, entry in ACTION["inputs"].items()}
    inputs |= {"token": token, "plan": "examples/small.yaml", "arguments": FAST}
    inputs |= {name.replace("_", "-"): value for name, value in given.items()}
    assert set(inputs) == set(ACTION["inputs"])
    runner = {
        **{name: str(file) for name, file in files.items()},
        **{"RUNNER_TEMP": str(temp), "GITHUB_ACTION_PATH": str(ROOT), "GITHUB_API_URL": hub.url},
        **{"GITHUB_REPOSITORY": "o/r", "PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
    }
    code, log = 0, ""
    for step in ACTION["runs"]["steps"][1:]:
        assert step["shell"] == "bash"
        values = {name: filled(text, inputs) for name, text in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", filled(step["run"], inputs)],
            cwd=ROOT,
            env=runner | values,
            capture_output=True,
            text=True,
            check=False,
        )
        code, log = done.returncode, log + done.stdout + done.stderr
        if code:
            break
    outputs = dict(re.findall(r"^(\S+)<<(?:\S+)\n(.*?)\nend-\S+$", files["GITHUB_OUTPUT"].read_text(), re.M | re.S))
    return Done(code, log, outputs, files["GITHUB_STEP_SUMMARY"].read_text())


def test_it_comments_once_and_updates_the_comment_later(tmp_path, hub):
    first = run(tmp_path, hub)
    assert first.code == 0, first.log
    (made,) = hub.comments
    assert made["body"].startswith("<!-- planner:compare small-")
    assert first.outputs["comment-url"] == made["html_url"]
    assert first.summary == made["body"]
    second = run(tmp_path, hub, arguments=f"{FAST} --set fleet.nodes=5")
    assert second.outputs["comment-url"] == made["html_url"]
    assert [method for method, _ in hub.asked] == ["GET", "POST", "GET", "PATCH"]
    assert len(hub.comments) == 1
    assert hub.comments[0]["body"] == second.summary != first.summary


@pytest.mark.thorough
def test_another_plan_has_a_comment_of_its_own(tmp_path, hub):
    run(tmp_path, hub)
    run(tmp_path, hub, arguments=f"{FAST} --set name=another")
    assert len(hub.comments) == 2


@pytest.mark.thorough
def test_its_comment_is_found_behind_many_others(tmp_path, hub):
    for number in range(150):
        hub.add(f"a comment {number}")
    run(tmp_path, hub)
    hub.add("a later one")
    done = run(tmp_path, hub)
    assert len(hub.comments) == 152
    assert done.outputs["comment-url"].endswith("-151")


def test_the_outputs_are_those_that_the_action_names(tmp_path, hub):
    done = run(tmp_path, hub)
    assert set(done.outputs) == set(ACTION["outputs"])
    for name, entry in ACTION["outputs"].items():
        assert entry["value"] == f"${{{{ steps.plan.outputs.{name} }}}}"
    assert done.outputs["passed"] == "true"
    assert done.outputs["recommended"].count("/") == 2
    assert float(done.outputs["cost-usd-p50"]) <= float(done.outputs["cost-usd-p90"])
    assert Path(done.outputs["junit"]).read_text().startswith("<?xml")


def test_an_option_of_the_report_alone_leaves_the_outputs(tmp_path, hub):
    done = run(tmp_path, hub, arguments=f"{FAST} --no-architecture", comment="false")
    assert done.outputs["recommended"].count("/") == 2
    assert "::error" not in done.log


def test_a_gate_fails_the_job_after_the_comment(tmp_path, hub):
    done = run(tmp_path, hub, max_cost="1", at="p90")
    assert done.code == 10
    assert done.outputs["passed"] == "false"
    assert "above 1.00" in hub.comments[0]["body"]
    assert "::error title=planner::gate (10): no eligible scenario passes" in done.log
    assert "<failure" in Path(done.outputs["junit"]).read_text()


@pytest.mark.thorough
def test_strict_and_unpriced_are_gates(tmp_path, hub):
    assert run(tmp_path, hub, strict="true", arguments=f"{FAST} --max-price-age 1").code == 11
    unknown = f"{FAST} --set fleet.instance_types=[p5.48xlarge] --set purchase.options=[sp-1y-instance-no-upfront]"
    assert run(tmp_path, hub, max_unpriced="0", arguments=unknown).code == 12


def test_a_plan_that_is_wrong_fails_without_a_comment(tmp_path, hub):
    done = run(tmp_path, hub, arguments="--set fleet.nodse=4")
    assert done.code == 2
    assert done.outputs == {"passed": "false", "report": "", "junit": ""}
    assert "::error title=planner::" in done.log
    assert hub.asked == []


def test_a_token_that_may_only_read_is_a_warning(tmp_path, hub):
    done = run(tmp_path, hub, token=READ_ONLY)
    assert done.code == 0
    assert "::warning title=No comment::GitHub answered 403 to POST; the job needs" in done.log
    assert done.summary


@pytest.mark.thorough
@pytest.mark.parametrize("event", [{}, {"issue": {"number": 3}}, [1]])
def test_without_a_pull_request_there_is_no_comment(tmp_path, hub, event):
    done = run(tmp_path, hub, event=event)
    assert done.code == 0
    assert "does not run for a pull request" in done.log
    assert hub.asked == []


@pytest.mark.thorough
def test_a_comment_that_is_not_wanted_is_not_made(tmp_path, hub):
    assert run(tmp_path, hub, comment="false").code == 0
    assert hub.asked == []


@pytest.mark.thorough
def test_a_github_that_is_not_there_is_a_warning(tmp_path, hub):
    hub.url = "http://127.0.0.1:9"
    done = run(tmp_path, hub)
    assert done.code == 0
    assert "GitHub could not be reached" in done.log


def test_the_script_is_its_own_and_loads_no_library():
    text = (ROOT / "action/run.py").read_text(encoding="utf-8")
    modules = set(re.findall(r"^(?:import|from) ([a-z_]+)", text, re.M)) - {"__future__"}
    assert modules <= set(sys.stdlib_module_names)
