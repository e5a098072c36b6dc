"""The published schema: equal to the types, complete, and of one mind with the loader where it can be."""

from __future__ import annotations

import json
import random
from typing import Any

import jsonschema
import pytest
import yaml

from planner.errors import PlanProblems
from planner.plan.load import load_any, load_text
from planner.plan.schema import (
    POOL_SCHEMA_FILE,
    SCHEMA_FILE,
    plan_schema,
    pool_schema,
    pool_schema_text,
    schema_text,
)
from planner.plan.starter import starter_plan
from planner.plan.yamlfile import read_yaml
from tests.examples import POOLS
from tests.plan.plans import EXAMPLES, FULL, ROOT, SMALL, load, with_line
from tests.plan.test_fuzz import SEED, TIMES, _mutate

VALIDATOR = jsonschema.Draft202012Validator(plan_schema())


def test_the_file_in_the_repository_is_what_the_types_say():
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text(), "run python -m planner.plan.schema"


def test_it_is_a_schema_by_the_standards_own_rules():
    jsonschema.Draft202012Validator.check_schema(plan_schema())
    assert plan_schema()["$schema"].endswith("2020-12/schema")
    assert plan_schema()["$id"]
    assert plan_schema()["title"]


def test_every_key_is_described_and_no_section_takes_unknown_ones():
    schema = plan_schema()
    for name, section in [("Plan", schema), *schema["$defs"].items()]:
        if name == "Accelerators":
            continue
        assert section["additionalProperties"] is False, name
        assert section["description"], name
        for key, value in section["properties"].items():
            assert value.get("description"), f"{name}.{key}"
            assert "title" not in value, f"{name}.{key}"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_keep_to_the_schema_and_load(path):
    text = path.read_text(encoding="utf-8")
    VALIDATOR.validate(read_yaml(text, path.name).data)
    load_text(text)
    first = text.splitlines()[0]
    assert first.startswith("# yaml-language-server: $schema=")
    assert (path.parent / first.partition("=")[2]).resolve() == ROOT / "planner" / "plan" / "schema.json"


def test_there_are_examples():
    assert EXAMPLES


@pytest.mark.parametrize("text", [SMALL, FULL, starter_plan()], ids=["small", "full", "starter"])
def test_our_own_plans_keep_to_the_schema(text):
    VALIDATOR.validate(read_yaml(text, "p").data)
    load(text)


def test_the_starter_shows_every_section_and_names_its_schema():
    text = starter_plan(file="my.yaml", schema="../schema.json")
    assert text.startswith("# yaml-language-server: $schema=../schema.json\n")
    assert "planner compare my.yaml" in text
    for key in plan_schema()["properties"]:
        assert f"\n{key}:" in text or f"\n# {key}:" in text, key
    assert max(map(len, text.splitlines())) <= 120


def test_the_starters_comments_are_plans_too():
    """Every line that is commented out as a choice can be taken in."""
    base = starter_plan()
    choices = [
        line for line in base.splitlines() if line.startswith("  # ") and not line.startswith(("  # -", "  #   "))
    ]
    assert len(choices) >= 10
    for line in choices:
        key = line[4:].split(":")[0]
        if key in ("phases",):
            continue
        changed = with_line(base, line, "  " + line[4:])
        if key == "ingest" or key not in [row.strip().split(":")[0] for row in base.splitlines() if row[:1] == " "]:
            load(changed)
    for key in ("reliability", "people", "assumptions"):
        lines = base.splitlines()
        start = next(i for i, line in enumerate(lines) if line.startswith(f"# {key}:"))
        for i in range(start, len(lines)):
            if not lines[i].startswith("#"):
                break
            lines[i] = lines[i].removeprefix("# ") if i == start else lines[i].removeprefix("#")
        load("\n".join(lines) + "\n")


def test_the_starters_file_name_cannot_leave_its_comment():
    assert load(starter_plan(file="x\nname: y", schema="a\nb: c")).plan.name == "my-run"


def _taken(data: Any) -> bool:
    """Whether a document loads; it must then keep to the schema."""
    text = json.dumps(data)
    try:
        load(text)
    except PlanProblems:
        return False
    VALIDATOR.validate(read_yaml(text, "p").data)  # read again: json writes -Infinity, which is a word in YAML
    return True


def test_what_loads_keeps_to_the_schema_under_mutation():
    """The schema never refuses in an editor what the planner takes. It may take more: 2026-02-30, 64..16."""
    rng = random.Random(f"schema {SEED}")
    data = read_yaml(FULL, "p").data
    taken = 0
    for _ in range(600 * TIMES):
        changed = json.loads(json.dumps(data))
        _mutate(changed, rng)
        taken += _taken(changed)
    assert 20 < taken < 500 * TIMES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: small", "name: 12"),
        ("name: small", "name: x\nregoin: y"),
        ("name: small", "name: x\nregion: Virginia"),
        ("name: small", "name: x\npurchase:"),
        ("name: small", "name: x\npurchase: {options: [spt]}"),
        ("name: small", "name: x\nstart: tomorrow"),
        ("gpu_hours: 4000", "gpu_hours: 0"),
        ("gpu_hours: 4000", "gpu_hours: 1e31"),
        ("gpu_hours: 4000", "gpu_hours: '4000'"),
        ("4TB", "4"),
        ("4TB", "4 TBs"),
        ("4TB", "1,5TB"),
        ("4TB", "4TB/s"),
        ("hot_dataset: 4TB", "hot_dataset_bytes: 4TB"),
        ("4TB}", "4TB, checkpoints_kept: 0}"),
        ("4TB}", "4TB, checkpoints_kept: some}"),
        ("nodes: 4", "nodes: 0"),
        ("nodes: 4", "nodes: []"),
        ("nodes: 4", "nodes: 4, spares: -1"),
        ("nodes: 4", "gpus: A100"),
        ("[p4d.24xlarge]", "[]"),
        ("[p4d.24xlarge]", "p4d.24xlarge"),
        ("nodes: 4}", "nodes: 4}\nassumptions: {a: x}"),
        ("nodes: 4}", "nodes: 4}\nassumptions: {a: {valu: 1}}"),
        ("nodes: 4}", "nodes: 4}\ndeploy: {ami: ami-1}"),
    ],
)
def test_schema_and_loader_refuse_the_same(old, new):
    text = with_line(SMALL, old, new)
    assert not VALIDATOR.is_valid(read_yaml(text, "p").data)
    with pytest.raises(PlanProblems):
        load(text)


def test_an_editor_that_reads_yaml_1_1_sees_no_other_plan():
    """The examples and the starter mean the same to PyYAML's own reader, dates aside."""
    for text in (SMALL, starter_plan(), *(path.read_text(encoding="utf-8") for path in EXAMPLES)):
        theirs = yaml.safe_load(text)
        theirs = {key: str(value) if key in ("start", "prices") else value for key, value in theirs.items()}
        assert theirs == read_yaml(text, "p").data


class TestWorkerPool:
    VALIDATOR = jsonschema.Draft202012Validator(pool_schema())

    def test_the_file_in_the_repository_is_what_the_types_say(self):
        assert POOL_SCHEMA_FILE.read_text(encoding="utf-8") == pool_schema_text(), "run python -m planner.plan.schema"

    @pytest.mark.parametrize("path", POOLS, ids=lambda path: path.stem)
    def test_examples_keep_to_it(self, path):
        text = path.read_text(encoding="utf-8")
        self.VALIDATOR.validate(read_yaml(text, path.name).data)
        first = text.splitlines()[0]
        assert (path.parent / first.partition("=")[2]).resolve() == POOL_SCHEMA_FILE

    def test_every_key_is_described_and_no_section_takes_unknown_ones(self):
        schema = pool_schema()
        for name, section in [("WorkerPoolPlan", schema), *schema["$defs"].items()]:
            assert section["additionalProperties"] is False, name
            for key, value in section["properties"].items():
                assert value.get("description"), f"{name}.{key}"

    def test_every_default_is_valid(self):
        """Defaults are built without validation; see `left_out`."""
        for path in POOLS:
            plan = load_any(path).plan
            for section in (plan.constraints, plan.decision):
                type(section).model_validate(section.model_dump(by_alias=True), by_alias=True)
