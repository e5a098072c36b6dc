"""What AWS sells for the types of a demand, out of a price book, and what is owned already.

EC2 Instance Savings Plans cover one family in one Region, Compute Savings Plans every type. A type without a known rate
is not covered by that plan here, and is named. A Capacity Block is sold by the day to 14 days, then by the week to 182,
for at most 256 instances in all and no more than eight weeks ahead (EC2 user guide, "Capacity Blocks for ML"): here by
the month, so that months in a row are a chain of blocks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from planner.errors import UsageProblem
from planner.mix.model import Kind, Offer
from pricing.book import PriceBook, PriceNotFound
from pricing.offers import Price, PurchaseOption

BLOCK_INSTANCES = 256
FOREVER = 2**31
_OWNED = re.compile(r"(ri|odcr|block):([a-z][a-z0-9-]*\.[a-z0-9-]+)=(\d+)")
_OWNED_PLAN = re.compile(r"(?:sp-instance:([a-z][a-z0-9-]*)|sp-compute)=(\d+(?:\.\d+)?)")


@dataclass(frozen=True, kw_only=True)
class Sold:
    """on_demand, spot: USD an instance-hour by type; spot only of types that have some interruptible use.
    commitments: option id -> type -> price. blocks: by type. unknown: what has no price here or is not sold."""

    on_demand: dict[str, Price]
    spot: dict[str, Price]
    commitments: dict[str, dict[str, Price]]
    blocks: dict[str, Price]
    unknown: tuple[str, ...]

    @property
    def derived(self) -> list[str]:
        """Options with a price that no price list shows (grade C)."""
        return [
            f"{option} of {name}"
            for option, rates in self.commitments.items()
            for name, price in rates.items()
            if price.grade == "C"
        ]

    @property
    def derived_words(self) -> str:
        """The same options in words, whatever their types: `Compute Savings Plan, 1 year, no upfront; ...`."""
        options = dict.fromkeys(text.split(" of ")[0] for text in self.derived)
        return "; ".join(PurchaseOption.parse(option).commitment_words for option in options)


def sold(
    book: PriceBook,
    region: str,
    types: list[str],
    *,
    years: int,
    upfront: str,
    interruptible: set[str],
    blocks: bool,
) -> Sold:
    """The prices of one term and way of payment. Raises UsageProblem where a type has no On-Demand price, or no spot
    price although some of it may be interrupted."""
    on_demand, spot, block, unknown = {}, {}, {}, []
    for name in types:
        try:
            on_demand[name] = book.on_demand(name, region)
            if name in interruptible:
                spot[name] = book.spot(name, region).planned
        except PriceNotFound as error:
            raise UsageProblem(str(error)) from error
        if blocks:
            try:
                block[name] = book.capacity_block(name, region).price
            except PriceNotFound:
                unknown.append(f"capacity-block for {name} in {region}")
    commitments: dict[str, dict[str, Price]] = {}
    for kind in ("ri-{}y-standard-{}", "ri-{}y-convertible-{}", "sp-{}y-instance-{}", "sp-{}y-compute-{}"):
        option = PurchaseOption.parse(kind.format(years, upfront))
        lacking = []
        for name in types:
            try:
                commitments.setdefault(option.id, {})[name] = book.commitment(name, region, option).price
            except PriceNotFound:
                lacking.append(name)
        if lacking:
            unknown.append(f"{option.id} for {', '.join(lacking)} in {region}")
    return Sold(on_demand=on_demand, spot=spot, commitments=commitments, blocks=block, unknown=tuple(unknown))


def offers(found: Sold, *, months: int, month: int) -> list[Offer]:
    """Everything that can be bought at the begin of each month of `month` hours, for the rest of the horizon at least.

    A term that outlives the horizon costs its part inside it.
    """
    made = []
    for at in range(months):
        first = at * month
        for option, prices in found.commitments.items():
            made += _of(option, {name: price.usd for name, price in prices.items()}, first)
        for name, price in found.blocks.items():
            made.append(
                Offer(
                    name=f"capacity-block {name}",
                    kind=Kind.RESERVED,
                    rates={name: 1.0},
                    price=price.usd,
                    first=first,
                    last=first + month,
                    most=BLOCK_INSTANCES,
                )
            )
    return made


def _of(option: str, prices: dict[str, float], first: int) -> list[Offer]:
    """The offers of one purchase option at one time."""
    parts = {"first": first, "last": FOREVER}
    if option.startswith("ri-"):
        return [
            Offer(name=f"{option} {name}", kind=Kind.RESERVED, rates={name: 1.0}, price=usd, **parts)
            for name, usd in prices.items()
        ]
    if "-compute-" in option:
        return [Offer(name=option, kind=Kind.COMPUTE_PLAN, rates=prices, price=1.0, **parts)] if prices else []
    families = dict.fromkeys(family_of(name) for name in prices)
    return [
        Offer(
            name=f"{option} {family}",
            kind=Kind.INSTANCE_PLAN,
            rates={name: usd for name, usd in prices.items() if family_of(name) == family},
            price=1.0,
            **parts,
        )
        for family in families
    ]


def family_of(instance_type: str) -> str:
    """`p5` of `p5.48xlarge`."""
    return instance_type.split(".", 1)[0]


@dataclass(frozen=True, kw_only=True)
class Owned:
    """What is owned for the whole horizon: offers at no further cost, and instances whose On-Demand Capacity
    Reservations bill whether used or not."""

    offers: tuple[Offer, ...]
    reservations: dict[str, int]


def owned(entries: tuple[str, ...], found: Sold) -> Owned:
    """Entries such as ri:p4d.24xlarge=3, block:p5.48xlarge=8, odcr:p5.48xlarge=4, sp-instance:p5=120.5 (USD an hour)
    and sp-compute=300. Plans owned are taken at today's rates. Raises UsageProblem."""
    made, reservations = [], {}
    for entry in entries:
        if one := _OWNED.fullmatch(entry):
            kind, name, count = one[1], one[2], int(one[3])
            if name not in found.on_demand:
                raise UsageProblem(f"--owned {entry}: the demand has no {name}; it has {', '.join(found.on_demand)}")
            if kind == "odcr":
                reservations[name] = reservations.get(name, 0) + count
                continue
            rates, amount, of = {name: 1.0}, float(count), Kind.RESERVED
        elif plan := _OWNED_PLAN.fullmatch(entry):
            wanted = "-instance-" if plan[1] else "-compute-"
            prices = next((rates for option, rates in found.commitments.items() if wanted in option), {})
            rates = {n: p.usd for n, p in prices.items() if plan[1] in (None, family_of(n))}
            of, amount = Kind.INSTANCE_PLAN if plan[1] else Kind.COMPUTE_PLAN, float(plan[2])
            if not rates:
                raise UsageProblem(f"--owned {entry}: no rate of such a plan is known for the types of the demand")
        else:
            kinds = "ri:TYPE=N, block:TYPE=N, odcr:TYPE=N, sp-instance:FAMILY=USD or sp-compute=USD (an hour)"
            raise UsageProblem(f"--owned {entry}: write {kinds}")
        made.append(Offer(name=f"owned {entry}", kind=of, rates=rates, price=0.0, least=amount, most=amount))
    return Owned(offers=tuple(made), reservations=reservations)
