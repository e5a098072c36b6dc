"""Stack files that others write too: their keys are kept, and problems in ours are reported with their lines."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from planner.errors import PlanProblems, UsageProblem
from planner.stack.file import KEY, from_config, open_file, parsed, read, rendered, write
from planner.stack.plain_data import to_mapping
from tests.stack.specs import block, spec

THEIRS = """\
# our secrets
encryptionsalt: v1:abc=:v1:def:ghi==
config:
  # a key of ours
  datadog:apiKey:
    secure: AAABAJ1
  aws:region: eu-west-1  # moved

  # another
  acme:tags: {team: "ml", list: [1, 2]}
# the end
"""


def problems(text: str) -> list[str]:
    file = parsed(text, "f")
    return [str(problem) for problem in file.problems(file.found)]


def at(text: str, part: str) -> int:
    """The line, from 1, on which a part stands."""
    return next(n for n, line in enumerate(text.splitlines(), 1) if part in line)


def test_keys_of_others_are_kept_byte_for_byte():
    text = rendered(spec(), THEIRS)
    ours = {*rendered(spec()).splitlines()}
    left = [line for line in text.splitlines() if line not in ours or line in THEIRS.splitlines()]
    assert left == [line for line in THEIRS.splitlines() if "aws:region" not in line]
    data, before = yaml.safe_load(text), yaml.safe_load(THEIRS)
    assert data["config"].pop(KEY) == to_mapping(spec())
    assert data["config"].pop("aws:region") == "us-east-1"
    before["config"].pop("aws:region")
    assert data == before


def test_writing_twice_changes_nothing_and_a_changed_value_changes_one_line():
    once = rendered(spec(), THEIRS)
    assert rendered(spec(), once) == once
    more = rendered(replace(spec(), fleet=replace(spec().fleet, nodes=16)), once)
    differ = [(a, b) for a, b in zip(once.splitlines(), more.splitlines(), strict=True) if a != b]
    assert differ == [("      nodes: 8", "      nodes: 16")]


@pytest.mark.parametrize(
    "before",
    [
        "",
        "encryptionsalt: v1:x\n",
        "config: {}\n",
        "config:\nencryptionsalt: v1:x\n",
        "config: {}\nencryptionsalt: v1:x\n",
        "config:\n    a:b: |\n        text\n        more\nencryptionsalt: v1:x",
        "---\nconfig:\n  a:b: 1",
        "config:\r\n  a:b: 1\r\n",
        "# only a word\n",
    ],
)
def test_the_cluster_is_added_to_any_file_of_pulumi_or_a_person(before):
    text = rendered(spec(), before)
    assert parsed(text, "f").spec == spec()
    kept, data = yaml.safe_load(before) or {}, yaml.safe_load(text)
    assert data["config"].pop(KEY) == to_mapping(spec())
    assert data["config"].pop("aws:region") == "us-east-1"
    assert data["config"] == (kept.pop("config", None) or {})
    data.pop("config")
    assert data == kept
    assert ("\r\n" in text) == ("\r\n" in before)
    assert rendered(spec(), text) == text


def test_a_file_that_another_writer_reformatted_reads_the_same():
    """Pulumi rewrites the whole file on `pulumi config set`: other indentation, other quotes, no comments."""
    data = yaml.safe_load(rendered(block(), THEIRS))
    assert parsed(yaml.safe_dump(data, indent=4), "f").spec == block()


@pytest.mark.parametrize("before", ["{config: {a: 1}}\n", "config: {a:b: 1}\n", "config: [1]\n", "config: text\n"])
def test_a_file_without_room_for_new_lines_is_refused(before):
    with pytest.raises(PlanProblems, match="config"):
        rendered(spec(), parsed(before, "f").text, "f")


def test_unknown_missing_and_mistyped_keys_are_reported_together_with_their_lines():
    text = rendered(spec())
    wrong = (
        text.replace("nodes: 8", "nods: 8")
        .replace("vcpu: 192", 'vcpu: "192"')
        .replace("gateway_endpoint: true", "gateway_endpoint: 1")
        .replace("budget_usd: 1000.0", "budget_usd: .inf")
        .replace("    metered:\n      - storage.s3.standard\n", "    metered: storage.s3.standard\n")
    )
    said = "\n".join(problems(wrong))
    assert f"f:{at(wrong, 'nods')}:7: unknown key 'nods' in fleet\n    did you mean nodes?" in said
    assert f"f:{at(wrong, 'fleet:')}:5: fleet.nodes is missing" in said
    assert f"f:{at(wrong, 'vcpu')}:7: fleet.vcpu must be a whole number; got '192'" in said
    assert f"f:{at(wrong, 'gateway')}:5: gateway_endpoint must be true or false; got 1" in said
    assert f"f:{at(wrong, 'budget')}:7: guard.budget_usd must be a finite number" in said
    assert f"f:{at(wrong, 'metered')}:5: metered must be a list" in said
    assert len(problems(wrong)) == 6


@pytest.mark.parametrize("key", ["engine", "engine_version"])
def test_a_pool_must_name_engine_and_release(key):
    lines = [line for line in rendered(spec()).splitlines(keepends=True) if not line.startswith(f"      {key}:")]
    (said,) = problems("".join(lines))
    assert said.startswith(f"f:{at(''.join(lines), 'pool:')}:5: pool.{key} is missing")


def test_a_contradiction_is_reported_with_its_line():
    text = rendered(block()).replace("nodes: 8", "nodes: 12")
    (said,) = problems(text)
    assert said.startswith(f"f:{at(text, 'nodes: 12')}:7: 12 nodes in the first Capacity Block")


def test_prices_are_required():
    text = rendered(spec())
    start = text.index("    usd_per_hour:")
    assert problems(text[:start] + text[text.index("    # lines that are billed by use") :])[0].endswith(
        "usd_per_hour is missing\n    `planner stack --force` writes the whole file again"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "config:\n  gpu-fleet-planner:clustr: {}\n",
            "f:2:3: unknown key 'gpu-fleet-planner:clustr'\n    did you mean",
        ),
        ("config:\n  gpu-fleet-planer:cluster: {}\n", "did you mean gpu-fleet-planner:cluster?"),
        ("confg:\n  a: 1\n", "f:1:1: unknown key 'confg'\n    did you mean config?"),
        ("config:\n  a: 1\n  a: 2\n", "written twice"),
        ("- a\n", "a stack file is a mapping"),
        ("config: 5\n", "config must be a mapping"),
        ("config:\n\ta: 1\n", "tab"),
    ],
)
def test_a_file_that_is_not_a_stack_file_is_refused_with_its_line(text, words):
    with pytest.raises(PlanProblems) as error:
        parsed(text, "f")
    assert words in str(error.value)


def test_the_region_of_the_provider_must_be_that_of_the_cluster():
    text = rendered(spec()).replace("aws:region: us-east-1", "aws:region: us-west-2")
    assert "aws:region is 'us-west-2', but the cluster is in us-east-1" in problems(text)[0]
    assert "aws:region is missing" in problems(rendered(spec()).replace("  aws:region: us-east-1\n", ""))[0]


def test_a_file_named_for_another_stack_is_refused(tmp_path):
    path = tmp_path / "Pulumi.prod.yaml"
    path.write_text(rendered(spec()), encoding="utf-8")
    with pytest.raises(PlanProblems, match="of stack 'dev'"):
        read(path)


def test_a_file_without_a_cluster_is_refused(tmp_path):
    path = tmp_path / "Pulumi.dev.yaml"
    path.write_text(THEIRS, encoding="utf-8")
    assert open_file(path).spec is None
    with pytest.raises(PlanProblems, match="did not write this file"):
        read(path)


def test_the_program_refuses_another_stacks_cluster():
    data = to_mapping(spec())
    assert from_config(data, stack="dev", region="us-east-1") == spec()
    with pytest.raises(PlanProblems, match="is of stack 'dev', but this stack is 'prod'"):
        from_config(data, stack="prod", region="us-east-1")
    with pytest.raises(PlanProblems, match="aws:region is 'eu-west-1'"):
        from_config(data, stack="dev", region="eu-west-1")
    with pytest.raises(PlanProblems, match=r"gpu-fleet-planner:cluster.fleet: fleet.nodes is missing"):
        from_config(
            {**data, "fleet": {k: v for k, v in data["fleet"].items() if k != "nodes"}}, stack="dev", region=None
        )


def test_writing_keeps_mode_and_link(tmp_path):
    path, link = tmp_path / "Pulumi.dev.yaml", tmp_path / "link.yaml"
    write(path, "a: 1\n")
    assert path.stat().st_mode & 0o777 == 0o644
    path.chmod(0o600)
    link.symlink_to(path)
    write(link, "a: 2\n")
    assert (path.read_text(), path.stat().st_mode & 0o777, link.is_symlink()) == ("a: 2\n", 0o600, True)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["Pulumi.dev.yaml", "link.yaml"]


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "Pulumi.dev.yaml"
    write(path, "a: 1\n")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(UsageProblem, match="No space left on device"):
        write(path, "a: 2\n")
    assert path.read_text() == "a: 1\n"
    assert [entry.name for entry in Path(tmp_path).iterdir()] == ["Pulumi.dev.yaml"]
