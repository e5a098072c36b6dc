"""Roles, instance profiles and policies of a stack. They bill nothing, and stand in the way of the next stack.

The tagging service lists no roles at all. A group takes no tags, so that the operators' group is in no list.
"""

from __future__ import annotations

from collections.abc import Container
from contextlib import suppress

from planner.account.door import HOME, Make, asked
from planner.account.tagged import tags_in, thing_of
from planner.stack.names import physical
from planner.stack.standing import STACK_TAG, Tagged

# list: its arguments, where it answers, the name there; its tags: by which argument, which stands there
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


def identities_of(stack: str, make: Make, seen: Container[str]) -> list[Tagged]:
    """Those with a name of the stack's and its tag, less those whose ARN was seen already."""
    iam, begins, found = make("iam", HOME), physical(stack, ""), []
    for operation, arguments, list_, named, tags_of, argument, by in _KINDS:
        with asked(f"identities: {operation}"):
            pages = iam.get_paginator(operation).paginate(**arguments)
            ours = [entry for page in pages for entry in page[list_] if entry[named].startswith(begins)]
        for entry in ours:
            if entry["Arn"] in seen:
                continue
            with asked(f"tags of {entry['Arn']}"), suppress(iam.exceptions.NoSuchEntityException):  # it went meanwhile
                tags = getattr(iam, tags_of)(**{argument: entry[by]}).get("Tags")
                if tags_in(tags).get(STACK_TAG) == stack:  # names of stack dev begin as those of dev-2 do
                    found.append(thing_of(entry["Arn"], tags))
    return found
