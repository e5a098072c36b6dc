"""One table of GPU-hours on several kinds of GPU: the same work, done faster by the faster GPU."""

from __future__ import annotations

import math

import pytest

from planner.models.derived import Derived
from planner.plan.assumptions import default_assumptions
from planner.plan.catalogue_check import types_of
from tests.builders import RESERVED, book_of, compared, plan_of

TYPES = {"instance_types": ["p4d.24xlarge", "p5.48xlarge"], "nodes": 4}
OPTIONS = {"options": ["on-demand"]}


def _pair(draws=0, **run):
    layout = {"layouts": ["s3-stream"]}
    found = compared(
        plan_of(fleet=TYPES, purchase=OPTIONS, storage=layout, run=run, assumptions=RESERVED), draws=draws
    ).scenarios
    by_type = {scenario.instance_type: scenario for scenario in found}
    return by_type["p4d.24xlarge"], by_type["p5.48xlarge"]


def _number(scenario, id: str) -> Derived:
    return next(entry for entry in scenario.derived if entry.id == id)


def test_gpu_hours_are_divided_by_the_speed_of_the_gpu():
    """4,000 GPU-hours of an A100 are 125 h on 32 of them, and 125 / 2.5 = 50 h on 32 H100 that are 2.5 times as fast.

    Dollars per useful GPU-hour are of the same work: in both rows, per hour of an A100."""
    a100, h100 = _pair(relative_speed={"A100": 1.0, "H100": 2.5})
    assert a100.days_at_full_speed == pytest.approx(125 / 24)
    assert h100.days_at_full_speed == pytest.approx(50 / 24)
    assert a100.useful_gpu_hours == h100.useful_gpu_hours == pytest.approx(4000)
    assert h100.usd_per_useful_gpu_hour.plan == pytest.approx(h100.cost_usd.plan / 4000)


def test_published_speeds_fill_in_what_the_plan_does_not_state():
    """4,000 GPU-hours of an H100 take 125 h on 32 of them, and 125 x the published 2.4 h on A100; in every draw both
    rows have the same work."""
    a100, h100 = _pair(relative_speed={"H100": 1.0})
    published = default_assumptions()["workload.speed_h100"].value
    assert h100.days_at_full_speed == pytest.approx(125 / 24)
    assert a100.days_at_full_speed == pytest.approx(125 / 24 * published)


def test_what_a_recipe_gains_on_one_kind_it_gains_on_the_next():
    """The speeds of H100 and H200 over A100 are far from certain, H200's over H100 is not: 1.0 to 1.2."""
    layout, more = {"layouts": ["s3-stream"]}, {"run": {"relative_speed": {"A100": 1.0}, "recipe": "proven"}}
    fleet = {"instance_types": ["p5.48xlarge", "p5en.48xlarge"], "nodes": 4}
    h100, h200 = (
        (s.days.p10, s.days.p50, s.days.p90)
        for s in compared(plan_of(fleet=fleet, purchase=OPTIONS, storage=layout, **more), draws=500).scenarios
    )
    assert h100[2] / h100[0] > 1.6
    assert all(1 <= slow / fast <= 1.25 for slow, fast in zip(h100, h200, strict=True))


def test_a_faster_gpu_reads_faster():
    """32 x 20 MB/s = 0.64 GB/s, and 2.5 times that."""
    a100, h100 = _pair(relative_speed={"A100": 1.0, "H100": 2.5})
    assert _number(a100, "storage.required_read_gb_per_s").value == pytest.approx(0.64)
    assert _number(h100, "storage.required_read_gb_per_s").value == pytest.approx(1.6)


def test_samples_per_second_of_the_table_are_multiplied():
    rows = [{"gpus": gpus, "samples_per_second": 16.0 * gpus} for gpus in (8, 32)]
    work = {"gpu_hours": None, "samples": 1e8}
    a100, h100 = _pair(work=work, throughput=rows, relative_speed={"A100": 1.0, "H100": 2.5})
    assert a100.days_at_full_speed == pytest.approx(1e8 / 512 / 86_400)
    assert h100.days_at_full_speed == pytest.approx(1e8 / 512 / 2.5 / 86_400)


def test_a_phase_in_flop_takes_its_speed_from_the_mfu_alone():
    """100 GPU-hours of an A100, and 1e20 FLOP."""
    share = {"A100": 0.45, "H100": 0.40}
    phases = [{"name": "one", "gpu_hours": 100}, {"name": "two", "flop": 1e20, "mfu_by_gpu": share, "mfu_basis": "run"}]
    _, h100 = _pair(work=None, phases=phases, relative_speed={"A100": 1.0, "H100": 2.5})
    hours = 100 / 2.5 / 32 + 1e20 / (0.40 * 989.5e12 * 32) / 3600
    assert h100.days_at_full_speed == pytest.approx(hours / 24, rel=1e-3)


def test_each_kind_has_its_own_mfu():
    """1e21 FLOP: at 45 % of 312 TFLOP/s and at 40 % of 989.5 TFLOP/s, on 32 GPUs."""
    work = {"gpu_hours": None, "flop": 1e21, "mfu_by_gpu": {"A100": 0.45, "H100": 0.40}, "mfu_basis": "run"}
    a100, h100 = _pair(work=work)
    assert a100.days_at_full_speed == pytest.approx(1e21 / (0.45 * 312e12 * 32) / 86_400)
    assert h100.days_at_full_speed == pytest.approx(1e21 / (0.40 * 989.5e12 * 32) / 86_400, rel=1e-3)


def test_without_mfu_each_kind_has_what_whole_runs_reached_with_its_range():
    """32 % on A100, and on H100 22 % at 1e23 FLOP and less for less work, planned. The draws are wider than those of a
    plan that says it."""
    work = {"gpu_hours": None, "flop": 1e21}
    a100, h100 = _pair(1000, work=work)
    assert a100.days_at_full_speed == pytest.approx(1e21 / (0.32 * 312e12 * 32) / 86_400)
    share = 0.22 * 1.07 ** math.log2(1e21 / 1e23)
    assert h100.days_at_full_speed == pytest.approx(1e21 / (share * 989.5e12 * 32) / 86_400, rel=1e-3)
    _, said = _pair(1000, work={**work, "mfu_by_gpu": {"A100": 0.32, "H100": share}, "mfu_basis": "run"})
    assert h100.days.plan == pytest.approx(said.days.plan)
    assert h100.days.p90 / h100.days.p10 > 1.15 * said.days.p90 / said.days.p10
    assert h100.useful_gpu_hours == said.useful_gpu_hours


def _text_on(nodes, draws, assumptions=None):
    run = {"work": {"gpu_hours": None, "flop": 1e22}}
    fleet = {"instance_types": ["p4d.24xlarge"], "nodes": nodes}
    plan = plan_of(
        fleet=fleet,
        purchase=OPTIONS,
        storage={"layouts": ["s3-stream"]},
        run=run,
        assumptions=RESERVED | (assumptions or {}),
    )
    return compared(plan, draws=draws).scenarios[0]


def test_a_small_fleet_has_a_wider_range_at_the_same_middle():
    """A factor of 0.45 to 2.2 up to 64 GPUs, a third of its doublings at 256, none from 512."""
    wide = {}
    for nodes in (4, 8, 32, 64, 128):
        found = _text_on(nodes, 4000)
        assert found.days_at_full_speed == pytest.approx(1e22 / (0.32 * 312e12 * 8 * nodes) / 86_400)
        wide[nodes] = found.days.p90 / found.days.p10
    assert wide[4] == pytest.approx(wide[8], rel=0.05)
    assert wide[8] > 1.2 * wide[32] > 1.2 * wide[64]
    assert wide[64] == pytest.approx(wide[128], rel=0.05)
    at_256 = _text_on(32, 0, assumptions={"workload.small_fleet_factor": 1.5})
    assert _number(at_256, "run.mfu_of_fleet").value == pytest.approx(0.32 * 1.5 ** (1 / 3))


def test_one_node_reaches_more_than_the_same_gpus_in_a_network():
    """1e22 FLOP on 8 A100 at 1.4 x 0.32 of 312 TFLOP/s; on 16 at 0.32. More nodes take no longer, in any draw."""
    one, two = (_text_on(nodes, 4000) for nodes in (1, 2))
    assert one.days_at_full_speed == pytest.approx(1e22 / (1.4 * 0.32 * 312e12 * 8) / 86_400)
    assert two.days_at_full_speed == pytest.approx(1e22 / (0.32 * 312e12 * 16) / 86_400)
    for days in ("p10", "p50", "p90"):
        assert getattr(two.days, days) < getattr(one.days, days)


def test_one_node_reaches_no_more_than_steps_do():
    factor = {"workload.one_node_factor": 5}
    assert _number(_text_on(1, 0, assumptions=factor), "run.mfu_of_node").value == pytest.approx(0.65)
    assert _text_on(1, 0, assumptions=factor).days_at_full_speed == pytest.approx(1e22 / (0.65 * 312e12 * 8) / 86_400)


def test_a_small_fleet_reaches_no_more_than_steps_do_unless_the_share_of_large_ones_is_above():
    factor = {"workload.small_fleet_factor": 5}
    assert _number(_text_on(4, 0, assumptions=factor), "run.mfu_of_fleet").value == pytest.approx(0.65)
    above = {**factor, "workload.mfu_a100": 0.7}
    assert _number(_text_on(4, 0, assumptions=above), "run.mfu_of_fleet").value == pytest.approx(0.7)


def test_more_work_takes_longer_although_it_reaches_more_of_the_peak():
    days = [
        _pair(work={"gpu_hours": None, "flop": flop})[1].days_at_full_speed for flop in (1e20, 1e21, 1e23, 1e26, 1e27)
    ]
    assert days == sorted(days)
    assert days[4] == pytest.approx(10 * days[3]), "beyond what was published the share stays"


def test_without_mfu_and_without_a_published_one_flop_is_refused():
    known = {"trn1.32xlarge": book_of().instance("trn1.32xlarge")}
    plan = plan_of(fleet={"instance_types": list(known), "nodes": 1}, run={"work": {"gpu_hours": None, "flop": 1e21}})
    [(where, message, remedy)] = [found for found in types_of(plan, known) if "mfu" in found[1]]
    assert (where, remedy) == (("run", "work", "flop"), "write mfu: 40%")
    assert "which share of its peak training reaches on TRAINIUM is not known" in message


def test_a_kind_with_two_published_runs_or_none_takes_the_nearest_ones_with_a_wider_range():
    table = default_assumptions()
    for kind, nearest, runs in (
        ("h200", "h100", "two whole runs on H200 are"),
        ("b300", "h100", "no whole run on B300 is"),
        ("l40s", "a100", "no whole run on L40S is"),
    ):
        share, known = table[f"workload.mfu_{kind}"], table[f"workload.mfu_{nearest}"]
        assert share.high / share.low > known.high / known.low
        assert f"{runs} published" in share.source


def test_an_mfu_of_steps_gets_the_part_that_a_whole_run_keeps_with_its_range():
    """0.88 of 40 %, planned: Llama 3.1 405B took 0.41 in its steps and 0.35 over the run, failed nodes included."""
    work = {"gpu_hours": None, "flop": 1e21, "mfu_by_gpu": {"A100": 0.45, "H100": 0.40}}
    _, steps = _pair(1000, work=work)
    _, run = _pair(1000, work={**work, "mfu_basis": "run"})
    assert steps.days_at_full_speed == pytest.approx(run.days_at_full_speed / 0.88)
    assert steps.days.p90 / steps.days.p10 > 1.15 * run.days.p90 / run.days.p10


def test_images_reach_less_of_the_peak_than_text():
    """1e21 FLOP on 32 A100 at 0.32 of 312 TFLOP/s, text; at half of that, images."""
    fleet, layout = {"instance_types": ["p4d.24xlarge"], "nodes": 4}, {"layouts": ["s3-stream"]}
    text, images = (
        compared(
            plan_of(
                fleet=fleet,
                purchase=OPTIONS,
                storage=layout,
                run={"work": {"gpu_hours": None, "flop": 1e21}},
                data={"read_per_gpu": None, "profile": profile},
            ),
            draws=0,
        ).scenarios[0]
        for profile in ("tokens", "webdataset-images")
    )
    assert text.days_at_full_speed == pytest.approx(1e21 / (0.32 * 312e12 * 32) / 86400)
    assert images.days_at_full_speed == pytest.approx(2 * text.days_at_full_speed)
    assert _number(images, "run.mfu_of_run").value == pytest.approx(0.16)
