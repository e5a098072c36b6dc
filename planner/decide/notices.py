"""Notes on a comparison: what every total assumes, and what it does not include."""

from __future__ import annotations

from collections.abc import Mapping

from planner.layouts.registry import ROOMS
from planner.plan.assumptions import Assumption
from planner.plan.types import Plan
from pricing.book import PriceBook


def notes_of(plan: Plan, book: PriceBook, used: Mapping[str, Assumption]) -> tuple[str, ...]:
    """Notes that hold for every total, one sentence each. used: the assumptions of the comparison, by key."""
    return (*_money(plan), *_left_out(plan), *_taken_for_granted(plan, used), *_dates(plan, book))


def _money(plan: Plan) -> list[str]:
    purchase = plan.purchase
    notes = ["before tax and without AWS Support"]
    if purchase.private_discount:
        share = f"{purchase.private_discount:.1%}"
        notes.append(f"a private discount of {share} applies to the On-Demand price of the GPU nodes only")
    else:
        notes[0] = f"list prices {notes[0]}"
    if purchase.reuse_value:
        share = f"{purchase.reuse_value:.0%}"
        notes.append(f"{share} of an unused commitment is assumed to be used by other work")
    return notes


def _left_out(plan: Plan) -> list[str]:
    people = plan.people
    missing = [
        name
        for name, there in (
            ("staff", people and people.engineers is not None),
            ("preprocessing", people and people.preprocessing is not None),
            ("experiments and failed runs", people and people.experiments),
        )
        if not there
    ]
    notes = []
    if missing:
        notes.append(f"not included (the plan does not ask for it): {', '.join(missing)}")
    if plan.storage.retention_hours is None:
        notes.append("S3 is billed for the duration of the run; storage.retention adds time after it")
    if plan.data.ingest.source == "in-s3":
        notes.append("assumes that the data set is already in S3 (data.ingest)")
    return notes


# assumption -> what the plan could set instead; each can change which layout is the cheapest
_UNSAID = {
    "data.read_mb_per_s_per_gpu": "how fast training reads: write data.read_per_gpu",
    "checkpoint.size_gb": "how large a checkpoint is: write data.checkpoint",
    "data.object_mb": "how large an object is: write data.shard",
}


def _taken_for_granted(plan: Plan, used: Mapping[str, Assumption]) -> list[str]:
    notes = [
        f"the plan does not say {instead}; {used[key].value:g} {used[key].unit} is assumed, "
        f"{used[key].low:g} to {used[key].high:g} in the range"
        for key, instead in _UNSAID.items()
        if key in used and used[key].origin == "default"
    ]
    if any(part.flop is not None for part in (*plan.run.phases, *([plan.run.work] if plan.run.work else []))):
        notes.append("assumes the same mfu at every number of GPUs")
    if plan.data.access is None and not all(ROOMS[name].is_posix for name in plan.storage.layouts):
        notes.append("assumes that training reads objects; data.access: posix leaves out layouts without a file system")
    return notes


def _dates(plan: Plan, book: PriceBook) -> list[str]:
    notes = []
    if plan.prices is not None and plan.prices != book.as_of:
        notes.append(
            f"the plan asks for prices of {plan.prices}; the newest price book before that day is {book.as_of}"
        )
    if plan.start is not None and plan.start < book.as_of:
        notes.append(f"the run starts on {plan.start}, before the date of these prices")
    return notes
