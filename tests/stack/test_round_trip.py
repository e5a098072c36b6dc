"""A stack file read back gives the spec that was written, whoever reads it and however it travelled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings

from planner.cli.options import Asked
from planner.decide.compare import compare
from planner.kinds.training.answers import request_of
from planner.plan.load import LoadedPlan
from planner.stack.choose import spec_of
from planner.stack.file import KEY, from_config, parsed, rendered
from planner.stack.plain_data import from_mapping, to_mapping
from tests.examples import COMPARED
from tests.stack.specs import specs

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = COMPARED


@settings(deadline=None)
@given(specs())
def test_what_is_written_is_what_is_read(spec):
    text = rendered(spec)
    back = parsed(text, "Pulumi.dev.yaml")
    assert (back.found, back.spec) == ((), spec)
    assert rendered(spec, text) == text


@settings(deadline=None)
@given(specs())
def test_any_reader_of_yaml_takes_it_for_the_same(spec):
    """PyYAML's own loader reads YAML 1.1, Pulumi's reads 1.2: no value may mean one thing here, another there."""
    data = yaml.safe_load(rendered(spec))
    assert data["config"]["aws:region"] == spec.region
    assert from_mapping(data["config"][KEY]) == spec


@settings(deadline=None)
@given(specs())
def test_the_program_gets_the_same_through_the_engine(spec):
    """The engine hands configuration on as JSON, in which 4.0 may become 4."""
    travelled = json.loads(json.dumps(to_mapping(spec)), parse_float=_shortest)
    assert from_config(travelled, stack=spec.stack, region=spec.region) == spec


def _shortest(text: str) -> int | float:
    return int(float(text)) if float(text).is_integer() else float(text)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_scenario_of_every_example_that_can_be_deployed(path):
    ask = Asked(plan=str(path), overrides=(), draws=0).ask()
    loaded, book = ask.loaded, ask.book
    assert isinstance(loaded, LoadedPlan)
    comparison, written = compare(request_of(ask)), 0
    for scenario in comparison.scenarios:
        if not scenario.feasible or scenario.priced_only:
            continue
        spec = spec_of(loaded, comparison, scenario, book)
        assert parsed(rendered(spec), "f").spec == spec
        written += 1
    assert written >= (4 if loaded.plan.data.access == "posix" else 12)
