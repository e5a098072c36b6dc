"""Resources that AWS lists by the stack's tag.

The tagging service lists resources of the Region that is asked; those without a Region only in us-east-1. It knows
every type but IAM's users and roles and the groups of Auto Scaling (Resource Groups Tagging API Reference, "Services
that support the Resource Groups Tagging API"); for budgets, cost anomalies and other IAM types that
sentence is the only evidence, so cost_controls.py and identities.py also look for these by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planner.account.aws_client import GLOBAL_REGION, MakeClient, aws_errors
from planner.stack.deployed_resources import NAME_TAG, STACK_TAG, TaggedResource


def tagged_resources(stack: str, region: str, make: MakeClient) -> list[TaggedResource]:
    """Everything of the stack that the tagging service knows."""
    found = _listed(make("resourcegroupstaggingapi", region), stack, region)
    if region == GLOBAL_REGION:
        return found
    everywhere = _listed(make("resourcegroupstaggingapi", GLOBAL_REGION), stack, GLOBAL_REGION)
    # another stack may have the same name in us-east-1; the ARN of a bucket does not show its Region
    return found + [thing for thing in everywhere if not thing.region and thing.kind != "s3:bucket"]


def auto_scaling_groups(stack: str, region: str, make: MakeClient) -> list[TaggedResource]:
    """Auto Scaling groups, which the tagging service does not list."""
    found: list[TaggedResource] = []
    wanted = [{"Name": f"tag:{STACK_TAG}", "Values": [stack]}]
    with aws_errors("the stack's Auto Scaling groups"):
        for page in make("autoscaling", region).get_paginator("describe_auto_scaling_groups").paginate(Filters=wanted):
            for entry in page.get("AutoScalingGroups", ()):
                found.append(tagged_resource(entry["AutoScalingGroupARN"], entry.get("Tags")))
    return found


def _listed(tagging: Any, stack: str, region: str) -> list[TaggedResource]:
    found: list[TaggedResource] = []
    wanted = [{"Key": STACK_TAG, "Values": [stack]}]
    with aws_errors(f"resources with the stack's tag in {region}"):
        for page in tagging.get_paginator("get_resources").paginate(TagFilters=wanted, ResourcesPerPage=100):
            for entry in page.get("ResourceTagMappingList", ()):
                found.append(tagged_resource(entry["ResourceARN"], entry.get("Tags")))
    return found


def tags_in(entries: Any) -> Mapping[str, str]:
    """Tags as most services return them, as a mapping."""
    return {tag["Key"]: tag["Value"] for tag in entries or ()}


def tagged_resource(arn: str, entries: Any) -> TaggedResource:
    """A resource with its logical name."""
    return TaggedResource(arn=arn, name=tags_in(entries).get(NAME_TAG, ""))
