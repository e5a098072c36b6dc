"""Electricity and CO2 of the recommended scenario: by hand, in proportion to the hours, and where it is not known."""

from __future__ import annotations

import pytest

from planner.decide.compare import Request, compare
from planner.decide.comparison import Electricity
from planner.decide.energy import with_energy
from planner.report.wording.electricity import sentences
from tests.builders import book_of, plan_of


def found(draws: int = 0, **sections) -> Electricity | None:
    plan = plan_of(storage={"layouts": ["s3-stream"]}, purchase={"options": ["on-demand"]}, **sections)
    request = Request(plan=plan, plan_sha256="0" * 64, book=book_of(), draws=draws)
    return with_energy(request, compare(request)).electricity


def test_by_hand():
    """An 8-GPU A100 server of 6.5 kW at 75 % of its power, 10 % of overhead, 0.39 kg a kWh."""
    electricity = found()
    assert electricity is not None
    assert electricity.scenario.days is not None
    hours = electricity.scenario.days.plan * 24
    assert electricity.kwh.plan == pytest.approx(4 * hours * 6.5 * 0.75 * 1.1)
    assert electricity.kg_co2.plan == pytest.approx(electricity.kwh.plan * 0.39)


def test_the_model_card_of_stable_diffusion_counts_the_gpu_alone():
    """CompVis model card: 150,000 A100-hours, 11,250 kg of CO2 at 0.25 kW a GPU and 0.30 kg a kWh."""
    run = {"work": {"gpu_hours": 150_000}}
    electricity = found(run=run, fleet={"nodes": 32}, assumptions={"energy.kg_co2_per_kwh": {"value": 0.3}})
    assert electricity is not None
    assert 11_250 * 2 < electricity.kg_co2.plan < 11_250 * 4


def test_the_range_holds_the_planned_figure_and_its_sentence_has_both():
    plan = plan_of(storage={"layouts": ["s3-stream"]}, purchase={"options": ["on-demand"]})
    request = Request(plan=plan, plan_sha256="0" * 64, book=book_of(), draws=1000)
    comparison = with_energy(request, compare(request))
    electricity = comparison.electricity
    assert electricity is not None
    assert electricity.kwh.p10 < electricity.kwh.plan < electricity.kwh.p90
    (sentence,) = sentences(comparison)
    assert f"{electricity.kwh.plan / 1000:.3g} MWh" in sentence
    assert "CO2" in sentence


def test_a_gpu_whose_server_power_is_not_published_has_none():
    assert found(fleet={"instance_types": ["g6e.48xlarge"]}) is None
