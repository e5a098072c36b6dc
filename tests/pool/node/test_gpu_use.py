"""How busy GPUs are, as nvidia-smi tells and as the AWS CLI is asked to publish it."""

from __future__ import annotations

from pathlib import Path

import pytest
from fleet_pool.node import gpu_use
from fleet_pool.node.gpu_use import measured, percent

from tests.pool.node.nodes import CASES


def test_the_mean_over_gpus_and_over_a_minute():
    assert percent("100\n 50\n0\n 50\n") == 50
    answers, slept = iter(["0\n0\n"] * 11 + ["96\n24\n"]), []
    assert measured(lambda *_: next(answers), slept.append) == 60 / 12
    assert sum(slept) == 55


@pytest.mark.parametrize("text", ["", "[N/A]\n", "No devices were found\n"])
def test_what_is_no_number_is_not_published_as_one(text):
    with pytest.raises(ValueError, match=r"nvidia-smi lists no GPU|could not convert"):
        percent(text)


@pytest.fixture
def node(monkeypatch, tmp_path: Path) -> Path:
    """A folder of programs for a p4d: nvidia-smi, and an AWS CLI that writes down what it is asked."""
    [case] = [each for each in CASES if each.name == "p4d"]
    instance = {"PLANNER_INSTANCE": case.node.instance, "PLANNER_ADDRESS": case.node.address}
    for name, value in {**case.environment, **instance}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(gpu_use, "PAUSE_S", 0.0)
    for name, text in {"nvidia-smi": "echo 12; echo 13", "aws": f'echo "$*" >> {tmp_path}/asked'}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path


def test_one_value_is_published_for_the_group(node: Path):
    assert gpu_use.main() == 0
    assert (node / "asked").read_text() == (
        "cloudwatch put-metric-data --namespace Planner --metric-name GPUUtilization --unit Percent --value 12.50 "
        "--dimensions AutoScalingGroupName=planner-dev-fleet-group --region us-east-1\n"
    )


def test_a_node_without_gpus_publishes_nothing(node: Path, monkeypatch, capsys):
    monkeypatch.setenv("PLANNER_EXPECTED", "drives=8")
    assert gpu_use.main() == 0
    assert "no NVIDIA GPUs" in capsys.readouterr().out
    assert not (node / "asked").exists()


def test_a_driver_that_fails_publishes_nothing_and_is_said(node: Path, capsys):
    (node / "nvidia-smi").write_text("#!/bin/sh\necho 'no driver' >&2\nexit 9\n")
    assert gpu_use.main() == 1
    assert "no driver" in capsys.readouterr().err
    assert not (node / "asked").exists()
