"""What the units call, beyond what a boot shows: the word to the Auto Scaling group, judged by the real AWS CLI."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from fleet_pool.node import command

from tests.infra.node.test_scripts import need
from tests.pool.node.nodes import CASES

P4D = next(case for case in CASES if case.name == "p4d")


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The AWS CLI that checks its words and sends nothing; what it was asked, a line each."""
    real = shutil.which(need("aws", "awscli"))
    log, program = tmp_path / "asked", tmp_path / "aws"
    program.write_text(f'#!/bin/sh\necho "$*" >> {log}\nexec {real} "$@" --generate-cli-skeleton output\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return log


def test_the_lifecycle_hook_is_completed(asked):
    command.complete(P4D.stack, P4D.node)
    [line] = asked.read_text().splitlines()
    assert line == (
        "autoscaling complete-lifecycle-action --lifecycle-hook-name drain --lifecycle-action-result CONTINUE "
        "--auto-scaling-group-name planner-dev-fleet-group --instance-id i-0123456789abcdef0 --region us-east-1"
    )


def refusing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    """An AWS CLI that is refused, as it says so."""
    program = tmp_path / "aws"
    told = f"An error occurred (ValidationError) when calling the CompleteLifecycleAction operation: {why}"
    program.write_text(f"#!/bin/sh\necho '{told}' >&2\nexit 254\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


def test_a_group_that_does_not_wait_is_no_failure(tmp_path, monkeypatch, capsys):
    """So it is with every spot notice: it comes before the group has heard of anything."""
    refusing(tmp_path, monkeypatch, "No active Lifecycle Action found with instance ID i-0123456789abcdef0")
    command.complete(P4D.stack, P4D.node)
    assert "is not waiting" in capsys.readouterr().out


def test_a_group_that_is_not_there_is_one(tmp_path, monkeypatch, capfd):
    refusing(tmp_path, monkeypatch, "AutoScalingGroup name not found - AutoScalingGroup planner-dev not found")
    with pytest.raises(subprocess.CalledProcessError):
        command.complete(P4D.stack, P4D.node)
    assert "name not found" in capfd.readouterr().err


def test_a_node_without_a_group_completes_nothing(asked, capsys):
    command.complete(P4D.stack, replace(P4D.node, group=""))
    assert not asked.exists()
    assert "in no Auto Scaling group" in capsys.readouterr().out


def test_the_hook_s_name_is_that_of_the_stack():
    from tests.infra.specs import graph_of, inputs

    assert inputs(graph_of("converged"), "fleet-drain")["name"] == "drain"
    assert inputs(graph_of("converged"), "fleet-group")["name"] == P4D.node.group


@pytest.mark.parametrize("words", [[], ["nothing"], ["prepare", "--force"]])
def test_a_wrong_call_is_a_usage_error(words, capsys):
    with pytest.raises(SystemExit) as caught:
        command.main(words)
    assert caught.value.code == 2
    assert "usage: planner-pool node" in capsys.readouterr().err


def test_a_file_is_put_in_place_in_one_step(tmp_path):
    path = tmp_path / "folder/told"
    command.put(command.File(path=str(path), text="one", mode=0o640, owner="root"))
    command.put(command.File(path=str(path), text="two", mode=0o640, owner="root"))
    assert path.read_text() == "two"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [entry.name for entry in path.parent.iterdir()] == ["told"]
