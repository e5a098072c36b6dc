"""Notes on a comparison: what every total assumes, and what it does not include."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from planner.estimate.own_prices import source_of
from planner.estimate.people_time import FACTORS
from planner.estimate.share_of_peak import ONE_NODE
from planner.layouts.converged.settings import ConvergedSettings
from planner.layouts.registry import ROOMS
from planner.plan.assumptions import Assumption
from planner.plan.own_prices import OwnPrice
from planner.plan.profiles import kinds_with_mfu, mfu_key
from planner.plan.types import Plan
from pricing.book import PriceBook


def notes_of(
    plan: Plan, book: PriceBook, used: Mapping[str, Assumption], sources: Collection[str] = ()
) -> tuple[str, ...]:
    """Notes that hold for every total, one sentence each. used: the assumptions of the comparison, by key. sources: of
    the prices on its bills."""
    granted = _taken_for_granted(plan, used)
    return (*_money(plan), *_own_prices(plan, sources), *_left_out(plan, used), *granted, *_dates(plan, book))


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


def _own_prices(plan: Plan, sources: Collection[str]) -> list[str]:
    """How many prices the plan brings, and which of them no bill uses."""
    own = plan.own_prices
    if not own:
        return []
    notes = [f"{len(own)} {'price is' if len(own) == 1 else 'prices are'} the plan's own (prices.own)"]
    used = {_item(own[index]) for index in range(len(own)) if source_of(plan, index) in sources}
    unused = [f"prices.own[{index}]" for index, one in enumerate(own) if _item(one) not in used]
    if unused:
        notes.append(f"no bill uses {', '.join(unused)}: check its region, instance type and purchase option")
    return notes


def _item(own: OwnPrice) -> tuple[object, ...]:
    """What the price is of; the tiers of one item together, of which a bill names one."""
    return own.purchase, own.instance_type, own.item, own.offering, own.region


def _left_out(plan: Plan, used: Collection[str]) -> list[str]:
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
    if FACTORS["first-time"] in used:
        notes.append(
            "in the range, not in what is planned: time that people, bugs and bad restarts take; published runs took "
            "1.0 to 1.7 times their ideal days (run.recipe: proven where this one has run before)"
        )
    if plan.storage.retention_hours is None:
        notes.append("S3 is billed for the duration of the run; storage.retention adds time after it")
    if plan.data.ingest.source == "in-s3":
        notes.append("assumes that the data set is already in S3 (data.ingest)")
    return notes


def _unsaid() -> dict[str, str]:
    """Assumption -> what the plan could set instead; each can change which layout is the cheapest."""
    return {
        "data.read_mb_per_s_per_gpu": "how fast training reads: write data.read_per_gpu",
        "checkpoint.size_gb": "how large a checkpoint is: write data.checkpoint",
        **{
            mfu_key(gpu): f"which share of its peak {gpu} reaches over the whole run: write mfu beside flop"
            for gpu in kinds_with_mfu()
        },
        "data.object_mb": "how large an object is: write data.shard",
    }


def _taken_for_granted(plan: Plan, used: Mapping[str, Assumption]) -> list[str]:
    notes = [
        f"the plan does not say {instead}; {_amount(used[key])} is assumed, "
        f"{used[key].low:g} to {used[key].high:g} in the range"
        for key, instead in _unsaid().items()
        if key in used and used[key].origin == "default"
    ]
    if any(part.flop is not None for part in (*plan.run.phases, *([plan.run.work] if plan.run.work else []))):
        more = f", and {used[ONE_NODE].value:g} times it on one node" if ONE_NODE in used else ""
        notes.append(f"assumes the same mfu at every number of GPUs{more}")
    if plan.data.profile is None and any(mfu_key(gpu) in used for gpu in kinds_with_mfu()):
        notes.append("assumes that a language model is trained; images, sound and proteins take longer: data.profile")
    if plan.data.access is None and not all(ROOMS[name].is_posix for name in plan.storage.layouts):
        notes.append("assumes that training reads objects; data.access: posix leaves out layouts without a file system")
    files = plan.storage.settings_of(ConvergedSettings).has_files(plan.data.access)
    if files and "converged" in plan.storage.layouts:
        notes.append(
            "files over the pool of the nodes' drives (converged, by JuiceFS) are priced but not deployed yet, so no "
            "choice with them is recommended; with them, appends to one file from several nodes lose records"
        )
    return notes


def _amount(one: Assumption) -> str:
    return f"{one.value:g} of it" if one.unit == "fraction" else f"{one.value:g} {one.unit}"


def _dates(plan: Plan, book: PriceBook) -> list[str]:
    notes = []
    if plan.price_date is not None and plan.price_date != book.as_of:
        notes.append(
            f"the plan asks for prices of {plan.price_date}; the newest price book before that day is {book.as_of}"
        )
    return notes
