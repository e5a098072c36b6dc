"""The command line: what it refuses, and two launches at once."""

from __future__ import annotations

import pytest
from fleet_pool.launch import command, here
from fleet_pool.launch.records import run_of as record
from fleet_pool.problems import Blocked, Code, UsageProblem

from tests.launch.memory import Memory, run_of

NODE = ("i-1",)


class OfNode:
    instance = "i-1"


def start(bucket: Memory, *words: str) -> int:
    own, rest = command.split([*words, "--detach", "--", "torchrun", "train.py"])
    return command.start(command.parser().parse_args(own), rest, bucket, OfNode())  # type: ignore[arg-type]


def test_a_launch_is_numbered_and_its_checkpoints_are_named():
    bucket = Memory()
    assert start(bucket, "--nodes", "4", "--name", "llama", "--env", "A=b=c") == Code.OK
    run = record(bucket.read_json("launch/000001/run.json"))
    assert (run.command, run.nodes, run.checkpoints) == (("torchrun", "train.py"), 4, "checkpoints/llama")
    assert run.environment == {"A": "b=c"}


def test_a_second_launch_waits_for_its_turn():
    bucket = Memory()
    start(bucket, "--nodes", "4")
    with pytest.raises(Blocked, match="run 1 has not ended"):
        start(bucket, "--nodes", "4")
    bucket.write_once("launch/000001/ended.json", {"code": 0, "why": "done", "attempt": 1})
    start(bucket, "--nodes", "4")
    assert "launch/000002/run.json" in bucket.objects


def test_of_two_launches_at_once_one_is_first(monkeypatch):
    """Both have seen that nothing runs."""
    bucket = Memory()
    start(bucket, "--nodes", "4")
    monkeypatch.setattr(command, "newest_number", lambda bucket: None)
    with pytest.raises(Blocked, match="another launch was first"):
        start(bucket, "--nodes", "4")


def test_a_stale_run_makes_way():
    bucket = Memory()
    start(bucket, "--nodes", "4", "--resume-h", "1")
    bucket.age_s = 3 * 3600
    start(bucket, "--nodes", "4")
    assert bucket.read_json("launch/000001/ended.json")["why"] == "stale: no sign of life for 3 h"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "--nodes is needed"),
        (["--nodes", "0"], "--nodes is needed"),
        (["--nodes", "4", "--name", "../x"], "letters, digits"),
        (["--nodes", "4", "--env", "1A=b"], "NAME=VALUE"),
        (["--nodes", "4", "--node-s", "0"], "--node-s must be 2 or more"),
        (["--nodes", "4", "--wait-min", "nan"], "--wait-min must be"),
        (["--nodes", "4", "--grace-s", "101"], "--grace-s must be 100 or less"),
        (["--nodes", "4", "--restarts", "-1"], "--restarts must be 0 or more"),
    ],
)
def test_it_says_what_is_wrong(words, said):
    with pytest.raises(UsageProblem, match=said):
        start(Memory(), *words)


def test_no_command_is_no_run():
    with pytest.raises(UsageProblem, match="no command"):
        command.start(command.parser().parse_args(["--nodes", "4"]), [], Memory(), OfNode())  # type: ignore[arg-type]


def test_help_says_that_it_is_no_scheduler(capsys):
    with pytest.raises(SystemExit):
        command.main(["--help"])
    assert "not a scheduler" in " ".join(capsys.readouterr().out.split())


def test_topology_that_aws_does_not_tell_is_a_reason(tmp_path):
    node = type("Node", (), {"instance": "i-1", "region": "us-east-1"})()

    def answer(text: str):
        return here.layers_of(node, lambda words: text)

    assert answer('{"Instances": [{"NetworkNodes": ["nn-1", "nn-2"]}]}') == (("nn-1", "nn-2"), "")
    assert answer('{"Instances": []}') == ((), "AWS gives no topology for this instance type")
    assert answer("Unable to locate credentials")[1].startswith("DescribeInstanceTopology failed")


@pytest.mark.parametrize(("user", "has"), [(0, False), (1001, True)])
def test_root_has_the_role_of_the_node_and_everybody_else_that_of_jobs(tmp_path, monkeypatch, user, has):
    monkeypatch.setattr(here.os, "geteuid", lambda: user)
    url, word = "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_AUTHORIZATION_TOKEN"
    for name in ("pool.env", "jobs.env"):
        (tmp_path / name).write_text(f'{url}="http://127.0.0.1:432/keys"\n{word}="0123"\nAWS_REGION="us-east-1"\n')
    found = here.settings_of({}, tmp_path)
    assert (url in found, word in found, found["AWS_REGION"]) == (has, has, "us-east-1")
    assert here.settings_of({url: "mine"}, tmp_path)[url] == "mine", "what somebody has set holds"


def test_the_node_s_own_files_are_read_and_the_environment_stands_above_them(tmp_path):
    (tmp_path / "node.env").write_text('PLANNER_ROLE="gpu"\nPLANNER_DATA="with \\"quotes\\""\n')
    found = here.settings_of({"PLANNER_ROLE": "other"}, tmp_path)
    assert found == {"PLANNER_ROLE": "other", "PLANNER_DATA": 'with "quotes"'}


def test_records_of_another_version_are_refused():
    with pytest.raises(UsageProblem, match="another version"):
        record({"format": 99})
    assert record({"format": 1, **run_of("true").__dict__}) == run_of("true")
