"""`planner init`, `validate` and `schema` as a person calls them."""

from __future__ import annotations

import json
import shlex

import pytest
from click.testing import CliRunner, Result

from planner.cli.init import command as init
from planner.cli.schema import command as schema
from planner.cli.validate import command as validate
from planner.errors import ExitCode, PlanProblems, UsageProblem
from planner.plan.schema import plan_schema
from planner.plan.starter import starter_plan
from tests.plan.plans import EXAMPLES, SMALL


def run(command, *arguments: str, stdin: str | None = None) -> Result:
    return CliRunner(env={"NO_COLOR": "1"}).invoke(command, list(arguments), input=stdin)


def test_init_writes_a_plan_that_validates(tmp_path):
    path = tmp_path / "plan.yaml"
    result = run(init, str(path))
    assert result.exit_code == 0
    assert result.stdout == ""
    assert "planner compare" in result.stderr
    assert path.read_text() == starter_plan(file=str(path))
    assert run(validate, str(path)).stdout == f"ok  {path}  my-run\n"


def test_init_in_a_checkout_names_its_schema(tmp_path):
    there = tmp_path / "planner" / "plan" / "schema.json"
    there.parent.mkdir(parents=True)
    there.write_text("{}")
    (tmp_path / "my" / "plans").mkdir(parents=True)
    for path in (tmp_path / "plan.yaml", tmp_path / "my" / "plans" / "plan.yaml"):
        assert "schema" not in run(init, str(path)).stderr
        found = path.read_text().splitlines()[0].partition("$schema=")[2]
        assert (path.parent / found).resolve() == there


def test_init_elsewhere_names_a_schema_beside_the_plan_and_how_to_get_it(tmp_path):
    path = tmp_path / "plan.yaml"
    said = run(init, str(path)).stderr
    assert path.read_text().startswith("# yaml-language-server: $schema=plan.schema.json\n")
    [words] = [line.partition(": planner ")[2] for line in said.splitlines() if "schema" in line]
    assert run(schema, *shlex.split(words)[1:]).exit_code == 0
    assert json.loads((tmp_path / "plan.schema.json").read_text()) == plan_schema()
    assert "schema" not in run(init, str(path), "--force").stderr


def test_init_does_not_overwrite_unless_forced(tmp_path):
    path = tmp_path / "plan.yaml"
    path.write_text("mine")
    result = run(init, str(path))
    assert isinstance(result.exception, UsageProblem)
    assert result.exception.exit_code == ExitCode.USAGE
    assert path.read_text() == "mine"
    assert run(init, str(path), "--force", "-q", "--schema", "s.json").stderr == ""
    assert path.read_text().startswith("# yaml-language-server: $schema=s.json\n")


def test_init_to_standard_output_and_to_places_that_are_not_there(tmp_path):
    assert run(init, "-").stdout == starter_plan(schema="planner/plan/schema.json")
    for place in (tmp_path, tmp_path / "no" / "plan.yaml", "a\x00b"):
        assert isinstance(run(init, str(place)).exception, UsageProblem)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_validate_examples(path):
    assert run(validate, str(path)).stdout.startswith("ok  ")


def test_validate_tells_good_plans_apart_from_bad_ones(tmp_path):
    good, bad, worse = (tmp_path / name for name in ("good.yaml", "bad.yaml", "worse.yaml"))
    good.write_text(SMALL)
    bad.write_text(SMALL.replace("nodes: 4", "nodes: 0"))
    worse.write_text("")
    result = run(validate, str(bad), str(good), str(worse))
    assert result.stdout == f"ok  {good}  small\n"
    assert isinstance(result.exception, PlanProblems)
    assert [problem.where for problem in result.exception.problems] == [str(bad), str(worse)]


def test_validate_knows_the_catalogue_and_overrides():
    result = run(validate, "-", "--set", "fleet.instance_types=[p4d.24xlarg]", stdin=SMALL)
    assert isinstance(result.exception, PlanProblems)
    assert "did you mean p4d.24xlarge?" in str(result.exception)
    assert run(validate, "-", "--set", "name=other", stdin=SMALL).stdout == "ok  -  other\n"


def test_names_cannot_write_to_the_terminal():
    result = run(validate, "-", stdin=SMALL.replace("small", '"a\\nok  forged \u202e"'))
    assert result.stdout == "ok  -  a\\nok  forged \\u202e\n"


def test_schema_prints_the_schema(tmp_path):
    assert json.loads(run(schema).stdout) == plan_schema()
    path = tmp_path / "schema.json"
    assert run(schema, "-o", str(path)).stdout == ""
    assert json.loads(path.read_text()) == plan_schema()
