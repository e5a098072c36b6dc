"""Facts of a scenario besides its cost: goodput, storage facts, cash. One evaluation in, plain values out."""

from __future__ import annotations

from planner.estimate.bounded_prices import bounded_fraction
from planner.estimate.node_purchase import Cash
from planner.estimate.result import Goodput, StorageFacts
from planner.estimate.run import Run
from planner.estimate.scenario import Outcome
from planner.models.bill import PlannedLine
from planner.models.bill_lines import COMPUTE, STAFF, bill_line
from planner.models.capacity import usd_per_usable_tb_month
from planner.models.derived import SourcedQuantity
from planner.models.number import scalar
from planner.models.sheet import Sheet
from pricing.offers import PurchaseOption

FAILURES = "interruptions come faster than work is saved"
WHY_UNFINISHED = {"capacity-block": "its Capacity Block ends first"}
MAY_NOT_FINISH = 0.005  # share of unfinished draws from which on there is a warning


def goodput_of(planned: Run) -> Goodput:
    scaling = planned.work.scaling_efficiency
    input_fraction, available = float(planned.input_fraction), float(planned.availability_fraction)
    return Goodput(
        scaling_efficiency=scaling,
        input_fraction=input_fraction,
        availability_fraction=available,
        useful_fraction=scaling * input_fraction * available,
        checkpoint_interval_hours=float(planned.interruptions.interval_hours),
        mtbf_hours=float(planned.interruptions.rates.mtbf_hours[0]),
        write_hours=float(planned.interruptions.write_hours),
        restart_hours=float(planned.interruptions.restart_hours),
        wait_hours=float(planned.interruptions.rates.wait_hours[0]),
    )


def _is_storage(line: str) -> bool:
    return bill_line(line).family == "storage"


def _identifier(line: str) -> str:
    """A line's name as an identifier for expressions: `storage_s3_standard`."""
    return line.replace(".", "_").replace("-", "_")


def _per_tb(planned: Outcome, cost_lines: tuple[PlannedLine, ...], sheet: Sheet) -> float | None:
    """USD per usable TB and month; None if a line is unpriced, because the figure would be too small."""
    service, hours = planned.run.service, float(planned.run.hours)
    if not service.usable_tb or any(_is_storage(entry.line) for entry in planned.unpriced):
        return None
    retention = planned.run.plan.storage.retention_hours or 0.0
    # S3 continues after the run; the figure is for the time in which the layout exists
    share = hours / (hours + retention)
    counted = [line for line in cost_lines if _is_storage(line.line)]
    inputs = {_identifier(line.line): (line.effective_cost, f"run:{line.line}", "USD") for line in counted}
    label, at_run = "all storage lines", " * run_hours / s3_hours" if retention else ""
    if retention:
        label += "; of lines that S3 also bills after the run, the run's share of the hours"
        inputs["run_hours"] = (hours, "run:run.hours", "h")
        inputs["s3_hours"] = (hours + retention, "run:storage.s3.hours", "h")
    storage_usd = sheet.arithmetic(
        "storage.usd",
        sum(line.effective_cost * (share if bill_line(line.line).outlives_run else 1.0) for line in counted),
        "USD",
        " + ".join(_identifier(line.line) + (at_run if bill_line(line.line).outlives_run else "") for line in counted),
        label,
        **inputs,
    )
    return scalar(
        sheet.equation(
            "storage.usd_per_usable_tb_month",
            usd_per_usable_tb_month,
            storage_usd=(storage_usd, "run:storage.usd"),
            usable_tb=(service.usable_tb, "run:storage.usable_tb"),
            hours=(hours, "run:run.hours"),
        )
    )


def _reserved(planned: Run, cost_lines: tuple[PlannedLine, ...], sheet: Sheet) -> float | None:
    """USD per hour of the GPU nodes' cores that storage uses."""
    share = planned.service.reserved_vcpu_fraction
    compute = next((line for line in cost_lines if line.line == COMPUTE), None)
    if compute is None or compute.usd_per_hour is None or not share:
        return None
    return sheet.arithmetic(
        "storage.reserved_usd_per_hour",
        compute.usd_per_hour * share,
        "USD/h",
        "usd_per_hour * share",
        f"the share of the GPU nodes that storage uses: {planned.service.reserved}",
        usd_per_hour=(compute.usd_per_hour, "run:fleet.compute.usd_per_hour", "USD/h"),
        share=(share, "rule:vCPU reserved for storage, of all vCPU of a node", "fraction"),
    )


def _margin(planned: Run, sheet: Sheet) -> float | None:
    usable, demand = planned.service.usable_tb, planned.demand
    if usable is None:
        return None
    return sheet.arithmetic(
        "storage.margin_tb",
        usable - demand.hot_tb,
        "TB",
        "usable_tb - hot_bytes / 10**12",
        usable_tb=(usable, "run:storage.usable_tb", "TB"),
        hot_bytes=(demand.hot_bytes, "run:data.hot_bytes", "bytes"),
    )


def storage_of(planned: Outcome, cost_lines: tuple[PlannedLine, ...], sheet: Sheet) -> StorageFacts:
    """Storage of one scenario; the sheet records what is calculated here."""
    run = planned.run
    service, demand = run.service, run.demand
    return StorageFacts(
        raw_tb=service.raw_tb,
        usable_tb=service.usable_tb,
        margin_tb=_margin(run, sheet),
        usd_per_usable_tb_month=_per_tb(planned, cost_lines, sheet),
        read_gb_per_s=float(service.steady_gb_per_s),
        cold_read_gb_per_s=float(service.cold_gb_per_s),
        required_read_gb_per_s=float(demand.required_gb_per_s),
        hit_fraction=float(service.hit_fraction),
        durability=service.durability,
        lost_node=service.lost_node,
        reserved=service.reserved,
        reserved_usd_per_hour=_reserved(run, cost_lines, sheet),
    )


def cash_of(
    planned: Outcome, lines: tuple[PlannedLine, ...], cost: float, complete: bool, sheet: Sheet
) -> tuple[Cash, ...]:
    """When the planned cost is due; the entries add up to it.

    complete: whether every line has a price; a line without one would come with the monthly bills. AWS bills a
    commitment in full, so the part that other work uses is a separate entry, not a smaller bill. AWS does not bill
    salaries.
    """
    bought = planned.bought
    known = [*bought.upfront, *bought.instalments]
    for index, entry in enumerate(known):
        sheet.taken(f"cash.{index}.usd", "USD", due=(entry.usd, f"run:{entry.derivation}"))
    people = sum(line.effective_cost for line in lines if line.line == STAFF)
    if people:
        sheet.taken(f"cash.{len(known)}.usd", "USD", salaries=(people, f"run:{STAFF}"))
        known.append(Cash(due="monthly", usd=people, what="total salaries, not billed by AWS"))
    over = bought.taken_over_usd
    rest = cost + over - sum(entry.usd for entry in known)
    inputs = {"cost_usd": (cost, "run:cost_usd", "USD")}
    if over:
        inputs["taken_over"] = (over, "run:fleet.taken_over_usd", "USD")
    inputs |= {f"cash_{n}": (entry.usd, f"run:cash.{n}.usd", "USD") for n, entry in enumerate(known)}
    expression = " - ".join(
        [*(["cost_usd + taken_over"] if over else ["cost_usd"]), *(f"cash_{n}" for n, _ in enumerate(known))]
    )
    sheet.arithmetic(f"cash.{len(known)}.usd", rest, "USD", expression, "everything not listed above", **inputs)
    what = f"{'everything else' if known else 'everything'}, on the monthly bills"
    known.append(Cash(due="monthly", usd=rest, what=what, at_least=not complete))
    if over:
        credit = (over, "run:fleet.taken_over_usd", "USD")
        sheet.arithmetic(f"cash.{len(known)}.usd", -over, "USD", "-taken_over", taken_over=credit)
        known.append(Cash(due="monthly", usd=-over, what="used by other work in the company (reuse_value)"))
    return tuple(known)


def weak_price_warnings(lines: tuple[PlannedLine, ...]) -> tuple[str, ...]:
    """Warnings about prices that make the total an estimate: bounded, of grade C, or observed after the book's date."""
    found = []
    bounded = [line.line for line in lines if line.bounded]
    if bounded:
        share = bounded_fraction(lines)
        part = f"{share:.1%}" if share >= 0.001 else "less than 0.1%"
        found.append(
            f"bounded, {part} of the total: this Region's price of {', '.join(bounded)} is not known and lies between "
            "those of other Regions"
        )
    secondary = [line.line for line in lines if line.price_grade == "C" and not line.bounded]
    if secondary:
        found.append(f"prices of grade C, secondary or derived: {', '.join(secondary)}")
    carried = [line.line for line in lines if line.carried_back]
    if carried:
        found.append(f"an estimate: prices observed after the book's date are used for {', '.join(carried)}")
    return tuple(found)


def record_bounded_fraction(lines: tuple[PlannedLine, ...], cost: float, sheet: Sheet) -> float:
    """The part of the planned cost that has a bounded price."""
    bounded = [line for line in lines if line.bounded]
    if not bounded:
        return sheet.taken("bounded_fraction", "fraction", none=(0.0, "rule:every price is of this Region"))
    inputs: dict[str, SourcedQuantity] = {
        _identifier(line.line): (line.effective_cost, f"run:{line.line}", "USD") for line in bounded
    }
    return sheet.arithmetic(
        "bounded_fraction",
        bounded_fraction(lines),
        "fraction",
        f"({' + '.join(inputs)}) / cost_usd",
        "lines whose price is not known in this Region",
        **inputs,
        cost_usd=(cost, "run:cost_usd", "USD"),
    )


def unfinished_warning(share: float, option: PurchaseOption) -> str:
    """A warning that the run may not finish; "" if the share of unfinished draws is negligible."""
    if share < MAY_NOT_FINISH:
        return ""
    return f"does not finish in {share:.1%} of the draws: {WHY_UNFINISHED.get(option.family, FAILURES)}"
