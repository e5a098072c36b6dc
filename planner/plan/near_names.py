"""Instance types and Regions that a mistyped name probably means, out of the newest bundled price book."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from planner.plan.wording import did_you_mean, listed

if TYPE_CHECKING:
    from pricing.catalog import InstanceType

REGION = "[a-z]{2}(-[a-z]+)+-[0-9]"
MOST = 4  # sizes of a family that are named


def instance_types_like(text: str) -> str:
    """`did you mean p5.48xlarge or p5.4xlarge?` for `P5` or `H100`, the most GPUs first; else the types with GPUs."""
    # imported here: only a mistake needs the book
    from pricing.book import default_book

    every = default_book().instances()
    name = text.strip().lower()
    found = [one for one in every if name in (one.family, one.gpu_name.lower())]
    if not found and "." not in name and len(name) > 1:
        found = [one for one in every if one.family.startswith(name)]  # p4: p4d and p4de
    if not found:
        with_gpus = listed([one.name for one in every if one.gpu_count], 12)
        return did_you_mean(name, [one.name for one in every]) or f"types with GPUs: {with_gpus}"
    return _asked([one.name for one in sorted(found, key=_largest_first)[:MOST]])


def _largest_first(one: InstanceType) -> tuple[int, int, str]:
    return -one.gpu_count, -one.vcpu, one.name


def region_like(text: str) -> str:
    """`did you mean us-east-1?` for `us_east_1`, `useast1`, the zone `us-east-1a` or the Local Zone `us-east-1-atl-2a`;
    else the known Regions."""
    from pricing.book import default_book

    # Capacity Blocks are also listed in Local Zones, which no plan names
    regions = [name for name in default_book().regions() if re.fullmatch(REGION, name)]
    known, squeezed = {_squeezed(region): region for region in regions}, _squeezed(text)
    within = re.match(REGION, text)
    meant = known.get(squeezed) or known.get(re.sub("(?<=[0-9])[a-z]$", "", squeezed))
    meant = meant or (known.get(_squeezed(within[0])) if within else None)
    return _asked([meant]) if meant else did_you_mean(text, known.values()) or f"known: {listed(known.values())}"


def _squeezed(text: str) -> str:
    """The letters and digits alone, in lower case."""
    return re.sub("[^a-z0-9]", "", text.lower())


def _asked(names: Iterable[str]) -> str:
    *others, last = names
    return f"did you mean {', '.join(others)} or {last}?" if others else f"did you mean {last}?"
