"""What a comparison must say of itself: broken constraints, what its totals leave out, prices too old."""

from __future__ import annotations

from collections.abc import Mapping

from planner.plan.assumptions import Assumption
from planner.plan.types import Plan
from pricing.book import PriceBook


def notes_of(plan: Plan, book: PriceBook, used: Mapping[str, Assumption]) -> tuple[str, ...]:
    """What every total rests on or leaves out. used: the assumptions that went into it, by key."""
    granted = (*_taken_for_granted(plan, used), *_across_gpus(plan, book))
    return (*_money(plan), *_left_out(plan), *granted, *_dates(plan, book))


def _money(plan: Plan) -> list[str]:
    purchase = plan.purchase
    notes = ["before tax; AWS Support is left out"]
    if purchase.private_discount:
        share = f"{purchase.private_discount:.1%}"
        notes.append(f"a private discount of {share} on the On-Demand price of the GPU nodes, on nothing else")
    else:
        notes[0] = f"list prices {notes[0]}"
    if purchase.reuse_value:
        share = f"{purchase.reuse_value:.0%}"
        notes.append(f"{share} of what a commitment leaves unused counts as taken over by other work")
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
        notes.append(f"not in these totals, since the plan does not ask for it: {', '.join(missing)}")
    if plan.storage.retention_hours is None:
        notes.append("S3 is billed while the run stands; storage.retention adds the time after it")
    if plan.data.ingest.source == "in-s3":
        notes.append("the data set is taken to be in S3 already (data.ingest)")
    return notes


# assumption -> what the plan would say instead; each can decide which layout wins
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
        notes.append("mfu is taken as the same on every instance type and at every number of GPUs")
    return notes


def _across_gpus(plan: Plan, book: PriceBook) -> list[str]:
    """That work told of one GPU is compared on several kinds of them."""
    kinds = sorted({book.instance(name).gpu_name for name in plan.fleet.instance_types})
    parts = (*plan.run.phases, *([plan.run.work] if plan.run.work else []))
    shared = [
        name
        for name, there in (
            ("gpu_hours are", any(part.gpu_hours is not None for part in parts)),
            ("the throughput table is", any(part.samples is not None for part in parts)),
        )
        if there
    ]
    if len(kinds) < 2:
        return []
    every = ", ".join(kinds)
    instead = "give the work as flop, or plan each kind by itself"
    return [
        f"{name} taken as the same on every kind of GPU ({every}), whatever its speed: {instead}" for name in shared
    ]


def _dates(plan: Plan, book: PriceBook) -> list[str]:
    notes = []
    if plan.prices is not None and plan.prices != book.as_of:
        notes.append(f"prices of {plan.prices} were asked for; the newest book up to then is of {book.as_of}")
    if plan.start is not None and plan.start < book.as_of:
        notes.append(f"the run starts on {plan.start}, before the day of these prices")
    return notes
