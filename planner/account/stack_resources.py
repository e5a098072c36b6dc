"""Every resource of a stack at AWS: found by tag, or by name where tags are not listed, without deleted ones."""

from __future__ import annotations

from planner.account.aws_client import MakeClient
from planner.account.cost_controls import anomalies_of, budgets_of
from planner.account.deleted_resources import deleted_arns
from planner.account.identities import identities_of
from planner.account.tagged_resources import auto_scaling_groups, tagged_resources
from planner.stack.deployed_resources import TaggedResource


def stack_resources(stack: str, region: str, make: MakeClient) -> list[TaggedResource]:
    """The resources by logical name, each once."""
    found = {
        thing.arn: thing
        for thing in (*tagged_resources(stack, region, make), *auto_scaling_groups(stack, region, make))
    }
    for by_name in (budgets_of, anomalies_of, identities_of):
        found |= {thing.arn: thing for thing in by_name(stack, make, found)}
    gone = deleted_arns(list(found.values()), region, make)
    return sorted((thing for arn, thing in found.items() if arn not in gone), key=lambda thing: (thing.name, thing.arn))
