"""Roles, instance profiles and policies of a stack. They are free, but their names block a new stack of that name.

The tagging service does not list roles. A group has no tags, so the operators' group is not found.
"""

from __future__ import annotations

from collections.abc import Container
from contextlib import suppress

from planner.account.aws_client import GLOBAL_REGION, MakeClient, aws_errors
from planner.account.tagged_resources import tagged_resource, tags_in
from planner.stack.deployed_resources import STACK_TAG, TaggedResource
from planner.stack.names import physical

# operation that lists: its arguments, list and name in the response; operation for tags: its argument, and its value
_KINDS = (
    ("list_roles", {}, "Roles", "RoleName", "list_role_tags", "RoleName", "RoleName"),
    (
        "list_instance_profiles",
        {},
        "InstanceProfiles",
        "InstanceProfileName",
        "list_instance_profile_tags",
        "InstanceProfileName",
        "InstanceProfileName",
    ),
    ("list_policies", {"Scope": "Local"}, "Policies", "PolicyName", "list_policy_tags", "PolicyArn", "Arn"),
)


def identities_of(stack: str, make: MakeClient, seen: Container[str]) -> list[TaggedResource]:
    """Those with the stack's name and its tag, without those whose ARN is in `seen`."""
    iam, begins, found = make("iam", GLOBAL_REGION), physical(stack, ""), []
    for operation, arguments, list_, named, tags_of, argument, by in _KINDS:
        with aws_errors(f"identities: {operation}"):
            pages = iam.get_paginator(operation).paginate(**arguments)
            ours = [entry for page in pages for entry in page[list_] if entry[named].startswith(begins)]
        for entry in ours:
            if entry["Arn"] in seen:
                continue
            with (
                aws_errors(f"tags of {entry['Arn']}"),
                suppress(iam.exceptions.NoSuchEntityException),
            ):  # deleted meanwhile
                tags = getattr(iam, tags_of)(**{argument: entry[by]}).get("Tags")
                if tags_in(tags).get(STACK_TAG) == stack:  # names of stack dev-2 begin like those of dev
                    found.append(tagged_resource(entry["Arn"], tags))
    return found
