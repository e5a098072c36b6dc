"""Physical names of a stack's resources at AWS, by which they are found where AWS lists no tags.

AWS refuses a second resource with the same name, so every unique name is derived from the name of the stack alone.
"""

from __future__ import annotations

import hashlib
import re

from planner.errors import UsageProblem
from planner.stack.spec import ClusterSpec

LONGEST = 17  # characters of the stack in a name, so that a bucket name with account and Region fits in 63


def slug(text: str) -> str:
    """The text in lower case, digits and single hyphens, as AWS allows in names; with a hash if that changed it."""
    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    if plain == text and len(plain) <= LONGEST:
        return plain
    mark = hashlib.sha256(text.encode()).hexdigest()[:6]
    return f"{plain[: LONGEST - 7].strip('-')}-{mark}".strip("-")


def physical(stack: str, part: str) -> str:
    """A name that is unique in the account and Region: planner-dev-fleet. Without a part: the prefix of them all."""
    return f"planner-{slug(stack)}-{part}"


def fleet_groups(spec: ClusterSpec) -> list[str]:
    """The groups of GPU nodes, one for each Capacity Block or instance type; CloudWatch counts those of AWS PCS by it
    too."""
    return [physical(spec.stack, f"fleet-group{suffix}") for suffix in spec.group_suffixes]


def scaling_groups(spec: ClusterSpec) -> tuple[str, ...]:
    """Those of Auto Scaling. Raises UsageProblem for nodes that another service starts."""
    if spec.scheduler or spec.workers:
        service, instead = ("AWS PCS", "; docs/day-2.md swaps a node") if spec.scheduler else ("AWS Batch", "")
        raise UsageProblem(
            f"{service} starts and ends the nodes of stack {spec.stack}, and replaces those that it lacks: this verb "
            f"is for a gang in an Auto Scaling group{instead}"
        )
    return tuple(fleet_groups(spec))
