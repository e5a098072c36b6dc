"""Resources of a stack as AWS lists them by tag, and as the engine's state has them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from planner.errors import UsageProblem

STACK_TAG, NAME_TAG = "planner:stack", "planner:name"
AWS_TYPE = "aws:"
_PARTS = re.compile("[:/]")  # services differ in the separator between kind and id


@dataclass(frozen=True, kw_only=True)
class TaggedResource:
    """A resource at AWS with our tags. arn: as AWS returns it. name: the logical one; empty without that tag."""

    arn: str
    name: str

    @property
    def region(self) -> str:
        """Empty for budgets, cost anomalies and IAM, which have none, and for buckets, whose ARN does not show it."""
        return self.arn.split(":", 5)[3]

    @property
    def kind(self) -> str:
        """Service and kind: `ec2:instance`, `s3:bucket`, `kms:key`."""
        service, rest = self.arn.split(":", 5)[2], self.arn.split(":", 5)[-1]
        if service == "s3":
            return "s3:bucket"
        if service == "sns":
            return "sns:topic"
        return f"{service}:{_PARTS.split(rest, maxsplit=1)[0]}"

    @property
    def id(self) -> str:
        """The id as AWS's commands take it: `i-0123`, `nat-0123`, the name of a bucket."""
        rest = self.arn.split(":", 5)[-1]
        if self.kind in ("s3:bucket", "sns:topic"):
            return rest
        if self.kind == "autoscaling:autoScalingGroup":
            return rest.rpartition("autoScalingGroupName/")[2]
        return _PARTS.split(rest, maxsplit=1)[-1]


@dataclass(frozen=True, kw_only=True)
class StateResource:
    """A resource of the engine's state. pending: its creation was interrupted, so it may exist twice later."""

    type: str
    name: str
    id: str
    arn: str
    pending: bool = False
    retained: bool = False

    def matches(self, found: TaggedResource) -> bool:
        """Whether a resource at AWS is this one: by ARN, or by the id at the end of the ARN."""
        if self.arn == found.arn:
            return True
        ends = (f"/{self.id}", f":{self.id}")
        return bool(self.id) and (self.id in (found.id, found.arn) or found.arn.endswith(ends))


def read_state(text: str, where: str) -> tuple[str, tuple[StateResource, ...]]:
    """Name and resources of a stack, from the output of `pulumi stack export`. Raises UsageProblem."""
    try:
        document = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise UsageProblem(f"{where} is not JSON: {error}; `pulumi stack export --file {where}` writes it") from None
    deployment = document.get("deployment") if isinstance(document, dict) else None
    if not isinstance(deployment, dict):
        raise UsageProblem(f"{where} has no deployment: `pulumi stack export --file {where}` writes one")
    resources = [entry for entry in deployment.get("resources") or () if _is_resource(entry)]
    names = {str(entry["urn"]).split(":")[2] for entry in resources}
    if len(names) > 1:
        raise UsageProblem(f"{where} holds the resources of several stacks: {', '.join(sorted(names))}")
    known = [_known(entry, pending=False) for entry in resources if str(entry["type"]).startswith(AWS_TYPE)]
    operations = [entry for entry in deployment.get("pending_operations") or () if isinstance(entry, dict)]
    for operation in operations:
        entry = operation.get("resource")
        if operation.get("type") != "creating" or not isinstance(entry, dict) or not _is_resource(entry):
            continue
        if str(entry["type"]).startswith(AWS_TYPE):
            known.append(_known(entry, pending=True))
    return (names.pop() if names else ""), tuple(known)


def _is_resource(entry: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(entry, dict) and isinstance(entry.get("urn"), str) and isinstance(entry.get("type"), str)


def _known(entry: Mapping[str, Any], *, pending: bool) -> StateResource:
    outputs = entry.get("outputs")
    arn = outputs.get("arn") if isinstance(outputs, dict) else None
    return StateResource(
        type=entry["type"],
        name=entry["urn"].rpartition("::")[2],
        id=str(entry.get("id") or ""),
        # the provider writes a log group's ARN without the star that AWS adds
        arn=arn.removesuffix(":*") if isinstance(arn, str) else "",
        pending=pending,
        retained=bool(entry.get("retainOnDelete")),
    )
