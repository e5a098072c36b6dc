"""The words of `planner owned`: the GPU nodes of a run rented, reserved and owned."""

from __future__ import annotations

from planner.answer.ranges import Range
from planner.decide.ways import Ways
from planner.models.bill_lines import STAFF
from planner.plan.assumptions import Assumption
from planner.report.wording import electricity, spoken
from planner.report.wording.figures import dollars, fleet, layout_name, percent, plain, purchase_words, span
from planner.report.wording.table import Column
from pricing.offers import PurchaseOption

OWNED = "Own machines"
LEFT_OUT = (
    "The cost of owned machines excludes building or colocation, operators, repairs, cost of capital, storage, and the "
    "time until delivery. Storage, network and people are not in any row."
)
PEOPLE = (
    "Staff was 29 to 49 % of the cost of four published models on owned hardware (GPT-3, OPT-175B, GPT-4, "
    "Gemini Ultra; Epoch AI)."
)
MODEL = (
    "Owned machines lose value at the rate at which new hardware gets better (equations O1 to O9); idle time is "
    "charged to the work that runs, and electricity only while it runs."
)


def title(plan_name: str, ways: Ways) -> str:
    """Whose nodes these are, and for how long."""
    scenario = ways.scenario
    days = spoken.run_days(scenario.days.plan) if scenario.days else ""
    return f"{plan_name}: GPU nodes of one run, {fleet(scenario)}, {days}, {layout_name(scenario)}"


def columns(ways: Ways) -> list[Column]:
    """One row per purchase option, then the owned machines and their parts."""
    hours, rows = ways.gpu_hours.plan, ways.paid
    owned = [(OWNED, ways.owned.usd), *((f"  {name}", value) for name, value in ways.owned.parts)]
    every = [*((purchase_words(p.scenario.option), p.used_usd) for p in rows), *owned]
    return [
        Column(title="Way", values=[name for name, _ in every], text=True),
        Column(title="Run $", values=[dollars(value.plan) for _, value in every]),
        Column(title="P10-P90", values=[_span(value) for _, value in every]),
        Column(title="$/GPU-h", values=[f"{value.plan / hours:.2f}" for _, value in every]),
        Column(
            title="You pay",
            values=[*(dollars(p.usd.plan) for p in rows), *(_bought(i, ways) for i in range(len(owned)))],
        ),
    ]


def _span(value: Range) -> str:
    return span(value, dollars)


def _bought(index: int, ways: Ways) -> str:
    return "" if index else dollars(ways.owned.purchase_usd.plan)


def notes(ways: Ways) -> list[str]:
    """What the table means, one sentence or two each."""
    owned, unused = ways.owned, [p for p in ways.paid if p.unused]
    said = []
    if unused:
        first = min(unused, key=lambda p: p.used_usd.plan)
        said.append(
            "Run $ counts the hours of this run; You pay counts all that is bought. "
            f"{_capital(purchase_words(first.scenario.option))}: ${dollars(first.usd.plan)} is due over the term, and "
            f"this run costs ${dollars(first.used_usd.plan)} only if other work uses the rest."
        )
    said.append(
        f"Buying the machines costs ${dollars(owned.purchase_usd.plan)} ({_span(owned.purchase_usd)}) before the run; "
        f"the run's share assumes that they are busy {percent(owned.utilization_fraction.plan)} of the time."
    )
    said += [_break_even(found.scenario.option, found.utilization_fraction) for found in ways.break_evens]
    said.append(
        f"Electricity: {electricity.kwh(ways.kwh_cloud)} at AWS, {electricity.kwh(ways.kwh_own)} on owned machines; "
        f"CO2 {electricity.tonnes(ways.kg_co2_cloud)} and {electricity.tonnes(ways.kg_co2_own)}, electricity alone."
    )
    staff = next((line.effective_cost for line in ways.scenario.bill if line.line == STAFF), None)
    people = "" if staff is None else f"The plan's staff costs ${dollars(staff)} in every row. "
    return [*said, MODEL, LEFT_OUT, people + PEOPLE]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _break_even(option: PurchaseOption, needed: Range) -> str:
    words, share = purchase_words(option), needed.plan
    if share > 1:
        return f"Owning costs more than {words} even if the machines are never idle."
    ends = f"{percent(needed.p10)}-{percent(min(needed.p90, 1.0))}"
    return f"Owning costs less than {words} if the machines are busy more than {percent(share)} of the time ({ends})."


def assumption(entry: Assumption) -> str:
    """One assumption with its range and source."""
    return f"{entry.key} {plain(entry.value)} ({plain(entry.low)}-{plain(entry.high)}) {entry.unit}: {entry.source}"
