"""What AWS lists by the stack's tag.

The tagging service lists what lies in the Region that is asked, and what has no Region in us-east-1 alone. It knows
every type but IAM's users and roles and the groups of Auto Scaling (Resource Groups Tagging API Reference, "Services
that support the Resource Groups Tagging API"); of budgets, cost anomalies and IAM's other types that sentence is all
there is to rely on, so that costs.py and identities.py ask for these by name as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planner.account.aws_client import GLOBAL_REGION, MakeClient, aws_errors
from planner.stack.deployed_resources import NAME_TAG, STACK_TAG, TaggedResource


def tagged_resources(stack: str, region: str, make: MakeClient) -> list[TaggedResource]:
    """Everything that the tagging service knows of the stack."""
    found = _listed(make("resourcegroupstaggingapi", region), stack, region)
    if region == GLOBAL_REGION:
        return found
    everywhere = _listed(make("resourcegroupstaggingapi", GLOBAL_REGION), stack, GLOBAL_REGION)
    # a stack of the same name that stands in us-east-1 is another one; a bucket's ARN does not say where it is
    return found + [thing for thing in everywhere if not thing.region and thing.kind != "s3:bucket"]


def auto_scaling_groups(stack: str, region: str, make: MakeClient) -> list[TaggedResource]:
    """Groups of Auto Scaling, which the tagging service answers for with nothing."""
    found: list[TaggedResource] = []
    wanted = [{"Name": f"tag:{STACK_TAG}", "Values": [stack]}]
    with aws_errors("groups of the stack"):
        for page in make("autoscaling", region).get_paginator("describe_auto_scaling_groups").paginate(Filters=wanted):
            for entry in page.get("AutoScalingGroups", ()):
                found.append(tagged_resource(entry["AutoScalingGroupARN"], entry.get("Tags")))
    return found


def _listed(tagging: Any, stack: str, region: str) -> list[TaggedResource]:
    found: list[TaggedResource] = []
    wanted = [{"Key": STACK_TAG, "Values": [stack]}]
    with aws_errors(f"what carries the stack's tag in {region}"):
        for page in tagging.get_paginator("get_resources").paginate(TagFilters=wanted, ResourcesPerPage=100):
            for entry in page.get("ResourceTagMappingList", ()):
                found.append(tagged_resource(entry["ResourceARN"], entry.get("Tags")))
    return found


def tags_in(entries: Any) -> Mapping[str, str]:
    """Tags as most services write them, as a map."""
    return {tag["Key"]: tag["Value"] for tag in entries or ()}


def tagged_resource(arn: str, entries: Any) -> TaggedResource:
    """A thing with its logical name."""
    return TaggedResource(arn=arn, name=tags_in(entries).get(NAME_TAG, ""))
