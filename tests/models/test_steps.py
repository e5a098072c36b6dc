"""Each equation is written twice, as the function that the planner runs and as the text that `calc` prints."""

from __future__ import annotations

import inspect
import math
import re
from datetime import date

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planner.models.capacity import pool_usable_tb
from planner.models.catalogue import all_equations, find
from planner.models.equation import Equation
from planner.models.formula import evaluate_steps

WRITTEN = [entry for entry in all_equations() if entry.steps]
# what is decided once, before the run, takes plain numbers and says so in its types
DRAWN = [e for e in WRITTEN if not {"float", "int"} & set(inspect.get_annotations(e.function).values())]
LOOPS = [entry for entry in all_equations() if entry.show]

# a unit -> the values that make sense in it; anything else is a positive number
RANGES = {
    "fraction": st.floats(0.001, 0.999),
    "ratio": st.floats(1.0, 10.0),
    "nodes": st.integers(1, 3000),
    "GPUs": st.integers(1, 100_000),
    "usable cache / hot data": st.floats(0.0, 1.5),
    "cache at the low mark / hot data": st.floats(0.0, 1.0),
    "cache at the high mark / hot data": st.floats(0.0, 1.5),
    "D": st.integers(3, 16),
    "P": st.integers(2, 4),
}


def _inputs(entry: Equation) -> st.SearchStrategy[dict]:
    return st.fixed_dictionaries(
        {p.name: RANGES.get(p.unit, st.floats(0.01, 10_000.0)) for p in entry.parameters},
    )


@pytest.mark.parametrize("entry", WRITTEN, ids=lambda entry: entry.name)
def test_text_and_function_agree(entry):
    @settings(max_examples=15, deadline=None)
    @given(_inputs(entry))
    def agree(inputs):
        lines, by_text = evaluate_steps(entry.steps, inputs)
        by_code = float(entry.function(**inputs))
        assume(math.isfinite(by_text))
        assert by_text == pytest.approx(by_code, rel=1e-9, abs=1e-12)
        assert len(lines) == len(entry.steps)

    agree()


@pytest.mark.parametrize("entry", DRAWN, ids=lambda entry: entry.name)
def test_arrays_of_equal_values_give_the_same_result(entry):
    """The draws run the same code on arrays: what holds for a number must hold for each entry."""
    inputs = {p.name: {"fraction": 0.3, "P": 2, "D": 8}.get(p.unit, 1.5) for p in entry.parameters}
    arrays = {name: np.full(3, float(value)) for name, value in inputs.items()}
    np.testing.assert_allclose(entry.function(**arrays), float(entry.function(**inputs)), rtol=1e-12)


@pytest.mark.parametrize("entry", LOOPS, ids=lambda entry: entry.name)
def test_loops_show_their_result(entry):
    inputs = {
        "rows": [(8, 100.0), (16, 190.0), (32, 350.0)],
        "gpus": 64,
        "tiers": [(0, 100, 0.1), (100, 1e9, 0.05)],
        "stored_gb": 150.0,
        "below_gb": 20.0,
        "start": date(2026, 10, 5),
        "hours": 2000.0,
        "capacity_gib": 4800,
        "needed_gib": 4000.0,
        "step_gib": 2400,
        "mtbf_hours": 10.0,
        "write_hours": 0.1,
        "failures_per_hour": 0.2,
        "replacement_hours": 2.0,
        "spares": 2,
        "error_per_doubling_fraction": 0.08,
        "events": 4,
        "nodes": 55,
        "days": 9.5,
        "confidence_fraction": 0.9,
        "steps": [(550_000, 2048), (850_000, 2048)],
        "phases": [(1_126_400_000, 11_600), (1_740_800_000, 4590)],
    }
    chosen = {p.name: inputs[p.name] for p in entry.parameters}
    last = entry.show(**chosen)[-1]
    printed = float(re.sub(",", "", last.rsplit("=", 1)[1]))
    assert last.startswith("result")
    assert printed == pytest.approx(float(entry.function(**chosen)), rel=1e-3, abs=5e-5)


@pytest.mark.parametrize("entry", all_equations(), ids=lambda entry: entry.name)
class TestManualPage:
    def test_says_what_it_is(self, entry):
        assert entry.summary.endswith(".") or "," in entry.summary
        assert entry.result_unit
        assert len(entry.source) > 10

    def test_help_names_every_unit_the_number_and_the_source(self, entry):
        shown = inspect.getdoc(entry.function)
        assert shown is not None
        assert shown.startswith(entry.text)
        lines = shown.splitlines()
        for parameter in entry.parameters:
            assert any(line.startswith(f"    {parameter.name}: {parameter.unit}") for line in lines), parameter.name
        assert f"Result: {entry.result_unit}" in lines
        assert any(line.startswith(f"Equation {entry.number}, {entry.name}") for line in lines)
        assert lines[-1] == f"Source: {entry.source}"

    def test_every_input_has_a_unit(self, entry):
        assert all(p.unit for p in entry.parameters)
        assert {p.name for p in entry.parameters} == set(inspect.signature(entry.function).parameters)

    def test_text_names_only_inputs_and_earlier_steps(self, entry):
        assert bool(entry.steps) != bool(entry.show), "either the formula in text, or a loop that shows itself"
        if entry.steps:
            assert entry.steps[-1].startswith("result = ")

    def test_found_by_name_and_by_number(self, entry):
        assert find(entry.name) is entry
        assert find(entry.number) is entry


def test_help_of_an_equation_reads_like_a_manual_page():
    assert inspect.getdoc(pool_usable_tb) == (
        "Cache capacity that a pool of AIStore targets guarantees. One copy, because S3 has every object.\n"
        "\n"
        "400 p4d: 3,200 TB x 0.99 x 0.70 = 2,217.6 TB.\n"
        "\n"
        "Parameters:\n"
        "    raw_tb: TB\n"
        "    filesystem_fraction: fraction (default 0.99)\n"
        "    low_watermark_fraction: fraction (default 0.7)\n"
        "\n"
        "Result: TB\n"
        "\n"
        "Equation S2, pool-usable:\n"
        "    result = raw_tb * filesystem_fraction * low_watermark_fraction\n"
        "\n"
        "Source: AIStore: XFS leaves about 0.99 usable; LRU evicts down to the low watermark, which is thus guaranteed"
    )


def test_numbers_and_names_are_unique():
    entries = all_equations()
    assert len({e.number for e in entries}) == len({e.name for e in entries}) == len(entries)
