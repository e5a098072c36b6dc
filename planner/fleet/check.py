"""A fleet plan against a price book: instance types and their prices."""

from __future__ import annotations

from planner.errors import PlanProblems
from planner.fleet.past import past_of
from planner.plan.load import LoadedFleet
from pricing.book import PriceBook


def check_book(loaded: LoadedFleet, book: PriceBook) -> None:
    """Raises PlanProblems with the types that the book does not know, or does not price in the Region; else with jobs
    of its file of demand that no group can hold."""
    found = []
    known = {one.name for one in book.instances()}
    priced = {row["instance_type"] for row in book.rows("on_demand") if row["region"] == loaded.plan.region}
    for index, name in enumerate(loaded.plan.types):
        at = ("groups", index, "instance_type")
        if name not in known:
            found.append(loaded.problem_at(at, f"{name} is no instance type of the price book", "check its name"))
        elif not book.instance(name).gpu_count:
            found.append(loaded.problem_at(at, f"{name} has no GPUs", "write a type with GPUs"))
        elif name not in priced:
            found.append(loaded.problem_at(at, f"{name} has no price in {loaded.plan.region}", "write another Region"))
    if found:
        raise PlanProblems(tuple(found))
    past_of(loaded, {name: book.instance(name).gpu_count for name in loaded.plan.types})
