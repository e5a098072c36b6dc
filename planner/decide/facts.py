"""What a scenario says besides its cost: goodput, storage facts, cash; one evaluation in, plain values out."""

from __future__ import annotations

from dataclasses import replace

from planner.decide.purchase import Cash
from planner.decide.result import Goodput, StorageFacts
from planner.decide.run import Run
from planner.decide.scenario import Outcome
from planner.models.bill import Line
from planner.models.capacity import usd_per_usable_tb_month


def plain_of(line: Line) -> Line:
    numbers = ("quantity", "list_unit_price", "effective_unit_price", "usd_per_hour")
    values = {key: getattr(line, key) for key in numbers}
    return replace(line, **{key: None if value is None else float(value) for key, value in values.items()})


def goodput_of(planned: Run) -> Goodput:
    scaling = planned.work.scaling_efficiency
    reading, available = float(planned.input_fraction), float(planned.availability_fraction)
    return Goodput(
        scaling_efficiency=scaling,
        input_fraction=reading,
        availability_fraction=available,
        useful_fraction=scaling * reading * available,
        checkpoint_interval_hours=planned.decided.interval_hours,
        mtbf_hours=float(planned.failing.mtbf_hours),
        write_hours=float(planned.failing.write_hours),
        restart_hours=float(planned.failing.restart_hours),
        wait_hours=float(planned.failing.wait_hours),
    )


def _is_storage(line: str) -> bool:
    return line.startswith(("storage.", "pool."))


def _outlives_the_run(line: str) -> bool:
    return line == "storage.kms.key" or (line.startswith("storage.s3.") and not line.endswith("-requests"))


def storage_of(planned: Run, cost_lines: tuple[Line, ...]) -> StorageFacts:
    service, demand, hours = planned.service, planned.demand, float(planned.hours)
    retention = planned.plan.storage.retention_hours or 0.0
    # S3 goes on after the run; the figure is for the time in which the layout stands
    storage_usd = sum(
        line.effective_cost * (hours / (hours + retention) if _outlives_the_run(line.line) else 1.0)
        for line in cost_lines
        if _is_storage(line.line)
    )
    per_tb = None
    # with a line unpriced the figure would be too small and look like any other
    if service.usable_tb and not any(_is_storage(entry.line) for entry in planned.ledger.unpriced):
        per_tb = usd_per_usable_tb_month(storage_usd=storage_usd, usable_tb=service.usable_tb, hours=hours)
    compute = next((line for line in cost_lines if line.line == "fleet.compute"), None)
    reserved = None
    if compute is not None and compute.usd_per_hour is not None and service.reserved_vcpu_fraction:
        reserved = compute.usd_per_hour * service.reserved_vcpu_fraction
    return StorageFacts(
        raw_tb=service.raw_tb,
        usable_tb=service.usable_tb,
        margin_tb=None if service.usable_tb is None else service.usable_tb - demand.hot_tb,
        usd_per_usable_tb_month=per_tb,
        read_gb_per_s=float(service.steady_gb_per_s),
        cold_read_gb_per_s=float(service.cold_gb_per_s),
        required_read_gb_per_s=float(demand.required_gb_per_s),
        hit_fraction=float(service.hit_fraction),
        durability=service.durability,
        lost_node=service.lost_node,
        reserved=service.reserved,
        reserved_usd_per_hour=reserved,
    )


def cash_of(planned: Outcome, lines: tuple[Line, ...], cost: float) -> tuple[Cash, ...]:
    """When the planned cost falls due; the entries add up to it.

    AWS bills a commitment whole, so what other work takes over is an entry of its own and not a smaller bill.
    Salaries are on no bill of AWS.
    """
    bought = planned.bought
    people = sum(line.effective_cost for line in lines if line.line == "people.staff")
    known = [*bought.upfront, *bought.instalments]
    if people:
        known.append(Cash(due="monthly", usd=people, what="salaries, on no bill of AWS"))
    over = bought.taken_over_usd
    rest = cost + over - sum(entry.usd for entry in known)
    known.append(Cash(due="monthly", usd=rest, what=f"{'everything else, ' if known else ''}with the monthly bill"))
    if over:
        known.append(Cash(due="monthly", usd=-over, what="taken over by other work in the company (reuse_value)"))
    return tuple(known)


def weak_price_warnings(lines: tuple[Line, ...]) -> tuple[str, ...]:
    """Prices that make the total an estimate: of grade C, or observed after the book's date."""
    found = []
    secondary = [line.line for line in lines if line.price_grade == "C"]
    if secondary:
        found.append(f"prices of grade C, secondary or derived: {', '.join(secondary)}")
    carried = [line.line for line in lines if line.carried_back]
    if carried:
        found.append(f"an estimate: prices observed after the book's date stand for {', '.join(carried)}")
    return tuple(found)


def unfinished_warning(share: float) -> tuple[str, ...]:
    if share < 0.005:
        return ()
    return (
        f"in {share:.0%} of the draws interruptions come faster than work is saved: such a run does not finish, "
        "and the upper end of the range is only a floor",
    )
