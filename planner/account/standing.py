"""Everything of a stack that stands at AWS: by its tag, by its name where tags are not listed, less what is gone."""

from __future__ import annotations

from planner.account.costs import anomalies_of, budgets_of
from planner.account.door import Make
from planner.account.gone import gone_of
from planner.account.identities import identities_of
from planner.account.tagged import groups_of, tagged_of
from planner.stack.standing import Tagged


def standing(stack: str, region: str, make: Make) -> list[Tagged]:
    """By logical name; each thing once, whoever lists it."""
    found = {thing.arn: thing for thing in (*tagged_of(stack, region, make), *groups_of(stack, region, make))}
    for by_name in (budgets_of, anomalies_of, identities_of):
        found |= {thing.arn: thing for thing in by_name(stack, make, found)}
    gone = gone_of(list(found.values()), region, make)
    return sorted((thing for arn, thing in found.items() if arn not in gone), key=lambda thing: (thing.name, thing.arn))
