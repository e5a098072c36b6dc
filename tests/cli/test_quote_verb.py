"""`planner quote`: the saving as a range of paired draws, said plainly where there is none, refused for other work."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

from planner.answer.quote import LESS, MORE, SAME, UNSURE, saving_of
from planner.answer.quote import Side as Way
from planner.answer.row import Outcomes
from planner.cli.main import command as planner
from planner.cli.options import Asked
from planner.decide.compare import compare
from planner.decide.probability import lower_cost_probability
from planner.decide.quote import on_demand, quote
from planner.kinds.workers.answers import plan_of, simulated
from planner.plan.load import LoadedPool
from planner.worker_pool.quote import on_demand as pool_on_demand
from planner.worker_pool.quote import quote as pool_quote
from planner.worker_pool.result import PoolComparison

SMALL, DRAWS = "examples/small.yaml", ("--draws", "300")
POOL = "examples/worker-pool.yaml"


def run(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(planner, ["quote", *words])
    text = str(done.exception or "") + done.output
    assert done.exit_code == code or (code and done.exception), text
    return " ".join(text.split()) if code else done.stdout


def outcomes(*usd: float) -> Outcomes:
    cost = np.array(usd)
    return Outcomes(cost_usd=cost, effort_usd=np.zeros_like(cost), days=np.where(np.isfinite(cost), 1.0, np.inf))


def test_the_saving_is_that_of_each_outcome() -> None:
    """100 - 80, 200 - 150, 300 - 220, 400 - 290 and 500 - 360 are 20, 50, 80, 110 and 140: the middle is 80."""
    found = saving_of(outcomes(100, 200, 300, 400, 500), outcomes(80, 150, 220, 290, 360))
    assert found is not None
    assert (found.p50_usd, found.lower, found.verdict) == (80, 1.0, LESS)
    assert found.p10_usd == pytest.approx(20 + 0.4 * 30)
    assert found.p50_fraction == pytest.approx(80 / 300)


def test_the_other_way_round_has_the_other_sign() -> None:
    one, other = outcomes(100, 210, 300), outcomes(80, 150, 220)
    there, back = saving_of(one, other), saving_of(other, one)
    assert there is not None
    assert back is not None
    assert (there.p10_usd, there.p50_usd) == (-back.p90_usd, -back.p50_usd)
    assert (there.verdict, back.verdict) == (LESS, MORE)


def test_as_cheap_and_unsure_are_said_and_a_run_without_end_saves_nothing() -> None:
    same = saving_of(outcomes(100, 100, 100), outcomes(101, 99, 100))
    unsure = saving_of(outcomes(100, 100, 100, 100), outcomes(50, 60, 150, 160))
    part = saving_of(outcomes(100, np.inf, 100), outcomes(50, 50, 50))
    assert [one.verdict for one in (same, unsure, part) if one] == [SAME, UNSURE, LESS]
    assert part is not None
    assert (part.p90_usd, part.both_finish) == (50, pytest.approx(2 / 3))
    assert saving_of(outcomes(np.inf, 1.0), outcomes(1.0, np.inf)) is None


def test_the_range_is_that_of_the_pairs_of_one_comparison() -> None:
    """A second route: `sensitivity --against` counts the same pairs."""
    request = Asked(plan=SMALL, overrides=(), draws=400).request(derivations=False)
    comparison = compare(request)
    assert comparison.best is not None
    old = on_demand(request, comparison)
    found = quote(old, (request, Way(scenario=comparison.best, comparison=comparison))).saving
    pairs = lower_cost_probability(request, comparison.best.id, old[1].scenario.id)
    assert found is not None
    assert pairs is not None
    assert (found.p10_usd, found.p50_usd, found.p90_usd) == (
        pairs.saves_usd_p10,
        pairs.saves_usd_p50,
        pairs.saves_usd_p90,
    )
    assert found.lower == pairs.below_fraction


def other(folder: Path, **changes: object) -> str:
    plan = yaml.safe_load(Path(SMALL).read_text(encoding="utf-8"))
    for path, value in changes.items():
        at = plan
        *above, last = path.split("__")
        for key in above:
            at = at.setdefault(key, {})
        at[last] = value
    file = folder / "today.yaml"
    file.write_text(yaml.safe_dump(plan), encoding="utf-8")
    return str(file)


def test_a_file_of_the_same_way_is_nothing_to_save_and_a_way_as_dear_is_said(tmp_path: Path) -> None:
    assert "there is nothing to save" in run(SMALL, "--vs", other(tmp_path), *DRAWS)
    dear = other(tmp_path, purchase={"options": ["on-demand"]})
    assert "This plan saves about $" in run(SMALL, "--vs", dear, *DRAWS)
    assert "costs about $" in run(dear, "--vs", SMALL, *DRAWS)


def test_a_plan_without_on_demand_is_priced_with_it(tmp_path: Path) -> None:
    plan = other(tmp_path, purchase={"options": ["capacity-block"]})
    assert "Your way today: 4 x p4d.24xlarge, On-Demand" in run(plan, "--vs", "on-demand", *DRAWS)


def test_other_work_is_refused_with_every_reason(tmp_path: Path) -> None:
    file = other(tmp_path, run__work={"gpu_hours": 5000}, data__hot_dataset="9TB")
    found = run(SMALL, "--vs", file, code=2)
    assert "the work is 5,000 GPU-hours today and 4,000 GPU-hours in this plan" in found
    assert "training reads 9 TB today and 4 TB in this plan" in found
    h100 = other(tmp_path, fleet={"instance_types": ["p5.48xlarge"], "nodes": 4})
    assert "a GPU-hour of H100 is not one of A100" in run(SMALL, "--vs", h100, code=2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((SMALL, "--vs", "nowhere.yaml"), "no such file"),
        ((SMALL, "--vs", "examples/worker-pool.yaml"), "is the plan of a worker pool"),
        (("examples/case-study-year.yaml", "--vs", "on-demand"), "quote compares training runs and worker pools"),
        ((SMALL, "--vs", "on-demand", "--draws", "0"), "--draws 0 has none"),
        ((POOL, "--vs", "on-demand", "--draws", "0"), "--draws 0 has none"),
        ((POOL, "--vs", SMALL), "is a training plan, and PLAN is the plan of a worker pool"),
        ((POOL, "--vs", POOL, "--set", "jobs.count=90"), "1,000 jobs of 1,400 steps today and 90 of 1,400 in this"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_a_reason(words: tuple[str, ...], said: str) -> None:
    assert said in run(*words, code=2)


def test_a_worker_pool_is_compared_with_on_demand_nodes_of_its_types_run_by_run() -> None:
    """A second route: `compare` counts in how many runs a choice costs less than the recommended one."""
    ask = Asked(plan=POOL, overrides=("jobs.count=120", "pool.max=12"), draws=20).ask()
    loaded = plan_of(ask)
    found = simulated(ask)
    assert found.best is not None

    def compared(plan: LoadedPool) -> PoolComparison:
        return simulated(replace(ask, loaded=plan))

    old, side = pool_on_demand(loaded, found.best, compared)
    assert side.scenario.id == "workers/g5.xlarge/on-demand"
    made = pool_quote((old, side), (loaded, Way(scenario=found.best, comparison=found)), ask.book).saving
    row = next(s for s in found.scenarios if s.id == side.scenario.id)
    assert made is not None
    assert (made.higher, made.lower) == (row.below_best_fraction, row.above_best_fraction)
    assert made.p50_usd > 0


def test_the_card_of_a_worker_pool() -> None:
    words = (POOL, "--vs", "on-demand", "--draws", "20", "--set", "jobs.count=120", "--set", "pool.max=12")
    text = " ".join(run(*words).split())
    assert "This plan saves about $" in text
    assert "Your way today: g5.xlarge On-Demand, at most 12 nodes at once" in text
    only = run(*words, "--scenario", "workers/g5.xlarge/on-demand")
    assert "Your way today is this plan's choice: there is nothing to save." in " ".join(only.split())


def test_every_format_says_the_same(tmp_path: Path) -> None:
    text = " ".join(run(SMALL, "--vs", "on-demand", *DRAWS).split())
    markdown = run(SMALL, "--vs", "on-demand", "-f", "md", *DRAWS)
    out = tmp_path / "card.svg"
    run(SMALL, "--vs", "on-demand", "-o", str(out), *DRAWS)
    headline = next(line for line in markdown.splitlines() if line.startswith("**")).strip("*")
    assert headline.startswith("This plan saves about $")
    assert headline in text
    picture = ET.parse(out).getroot()
    assert headline in " ".join("".join(picture.itertext()).split())
    bars = [float(bar.get("width") or 0) for bar in picture.iter("{http://www.w3.org/2000/svg}rect")]
    assert bars[0] > bars[1] > 0
