"""What AWS lists by the stack's tag.

The tagging service lists what lies in the Region that is asked, and what has no Region in us-east-1 alone. It knows
every type but IAM's users and roles and the groups of Auto Scaling (Resource Groups Tagging API Reference, "Services
that support the Resource Groups Tagging API"); of budgets, cost anomalies and IAM's other types that sentence is all
there is to rely on, so that costs.py and identities.py ask for these by name as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planner.account.door import HOME, Make, asked
from planner.stack.standing import NAME_TAG, STACK_TAG, Tagged


def tagged_of(stack: str, region: str, make: Make) -> list[Tagged]:
    """Everything that the tagging service knows of the stack."""
    found = _listed(make("resourcegroupstaggingapi", region), stack, region)
    if region == HOME:
        return found
    everywhere = _listed(make("resourcegroupstaggingapi", HOME), stack, HOME)
    # a stack of the same name that stands in us-east-1 is another one; a bucket's ARN does not say where it is
    return found + [thing for thing in everywhere if not thing.region and thing.kind != "s3:bucket"]


def groups_of(stack: str, region: str, make: Make) -> list[Tagged]:
    """Groups of Auto Scaling, which the tagging service answers for with nothing."""
    found: list[Tagged] = []
    wanted = [{"Name": f"tag:{STACK_TAG}", "Values": [stack]}]
    with asked("groups of the stack"):
        for page in make("autoscaling", region).get_paginator("describe_auto_scaling_groups").paginate(Filters=wanted):
            for entry in page.get("AutoScalingGroups", ()):
                found.append(thing_of(entry["AutoScalingGroupARN"], entry.get("Tags")))
    return found


def _listed(tagging: Any, stack: str, region: str) -> list[Tagged]:
    found: list[Tagged] = []
    wanted = [{"Key": STACK_TAG, "Values": [stack]}]
    with asked(f"what carries the stack's tag in {region}"):
        for page in tagging.get_paginator("get_resources").paginate(TagFilters=wanted, ResourcesPerPage=100):
            for entry in page.get("ResourceTagMappingList", ()):
                found.append(thing_of(entry["ResourceARN"], entry.get("Tags")))
    return found


def tags_in(entries: Any) -> Mapping[str, str]:
    """Tags as most services write them, as a map."""
    return {tag["Key"]: tag["Value"] for tag in entries or ()}


def thing_of(arn: str, entries: Any) -> Tagged:
    """A thing with its logical name."""
    return Tagged(arn=arn, name=tags_in(entries).get(NAME_TAG, ""))
