"""Who asks, and whether IAM would let the deployer and the operator do what their policy files list.

IAM simulates identity policies, permissions boundaries and service control policies. It does not simulate resource
policies, so a bucket or key policy may still refuse (IAM User Guide, "Testing IAM policies with the policy simulator").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planner.check.line import BLOCKS, FINE, NOT_KNOWN, WARNS, Line, Matter, NotKnown
from planner.check.wanted import Wanted, dollars, gpu_nodes, waiting_usd_per_hour
from planner.stack.names import physical

MOST = 90  # actions in one question
_ASSUMED = re.compile(r"arn:[^:]+:sts::(\d{12}):assumed-role/([^/]+)/")


@dataclass(frozen=True, kw_only=True)
class Question:
    """Arguments of one simulation, of one statement."""

    sid: str
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    context: tuple[Mapping[str, Any], ...]


def account_of(arn: str) -> str:
    return arn.split(":")[4]


def role_name(arn: str) -> str:
    """The role of a session, whose ARN leaves out the role's path; empty for anything else."""
    found = _ASSUMED.match(arn)
    return found[2] if found else ""


def identity_line(arn: Any) -> Line:
    """Who asks. The root user may do everything, has no policies to simulate and should deploy nothing."""
    matter = Matter(
        id="identity",
        asked="who asks (sts:GetCallerIdentity)",
        means="the root user's rights cannot be simulated or limited",
        mends="assume a deployment role, then run the check again",
    )
    if isinstance(arn, NotKnown):
        return replace(matter, means="nothing below is about a known account").not_known(arn)
    return matter.bad(WARNS, arn) if arn.endswith(":root") else matter.fine(arn)


def questions(policies: Mapping[str, Mapping[str, Any]], stack: str, region: str, account: str) -> Iterator[Question]:
    """One for each statement of the files: its actions on resources as this stack names them, in its condition."""
    for policy in policies.values():
        for entry in policy["Statement"]:
            where = [entry["Resource"]] if isinstance(entry["Resource"], str) else entry["Resource"]
            resources = tuple(concrete(text, stack, region, account) for text in where)
            actions = [entry["Action"]] if isinstance(entry["Action"], str) else list(entry["Action"])
            for condition in _contexts(entry.get("Condition", {}), region):
                for first in range(0, len(actions), MOST):
                    yield Question(
                        sid=entry["Sid"],
                        actions=tuple(actions[first : first + MOST]),
                        resources=resources,
                        context=condition,
                    )


def concrete(pattern: str, stack: str, region: str, account: str) -> str:
    """A resource that a pattern of the policy files is about, as this stack would name it; `*` stays."""
    if pattern == "*":
        return pattern
    parts = pattern.split(":", 5)
    parts[3] = region if parts[3] == "*" else parts[3]
    parts[4] = account if parts[4] == "*" else parts[4]
    rest = parts[5].replace("planner-*", physical(stack, "check")).replace("${aws:userid}-", "check")
    return ":".join([*parts[:5], rest.replace("*", "check")])


def _contexts(condition: Mapping[str, Mapping[str, Any]], region: str) -> list[tuple[Mapping[str, Any], ...]]:
    """Context entries for each value that the condition allows; without one, a single empty context."""
    found: list[tuple[Mapping[str, Any], ...]] = []
    for operator, keys in condition.items():
        kind = "boolean" if operator == "Bool" else "string"
        for key, values in keys.items():
            for value in [values] if isinstance(values, str) else values:
                text = "check" if value == "*" else value.replace("*", region)
                found.append(({"ContextKeyName": key, "ContextKeyValues": [text], "ContextKeyType": kind},))
    return found or [()]


def rights_line(
    id: str, who: str, asked: Sequence[Question], answers: Sequence[Any], wanted: Wanted, must: bool
) -> Line:
    """What the simulations of one identity say together. A refusal is never outvoted; a gap is never fine."""
    count = len({action for question in asked for action in question.actions})
    what = f"may {who} do the {count} actions of its policy files (iam:SimulatePrincipalPolicy)"
    usd = waiting_usd_per_hour(wanted.spec, 0)
    means = f"an update stops half way and leaves what costs {dollars(usd)}"
    if id == "operator":
        means = "a failing node is seen and nobody may end it: the fleet goes on billing"
        usd = waiting_usd_per_hour(wanted.spec, gpu_nodes(wanted.spec))
    files = ", ".join(f"infra/{name}" for name in (wanted.operating if id == "operator" else wanted.policies))
    mends = f"attach {files}; an organization's or boundary's denial is for its administrator"
    matter = Matter(id=id, asked=what, means=means, usd_per_hour=usd, mends=mends)
    refused: dict[str, str] = {}
    unsure: list[str] = []
    for question, answer in zip(asked, answers, strict=True):
        if isinstance(answer, NotKnown):
            unsure.append(f"{question.sid}: {answer.why}")
            continue
        for action in question.actions:
            # one entry for each resource: the worst counts, since the file allows the action on all of them
            of_action = [_decided(entry) for entry in answer if entry.get("EvalActionName") == action]
            state, why = max(of_action or [_decided(None)], key=lambda one: (FINE, NOT_KNOWN, BLOCKS).index(one[0]))
            if state == BLOCKS:
                refused[action] = why
            elif state == NOT_KNOWN:
                unsure.append(f"{action}: {why}")
    if refused:
        listed = ", ".join(f"{action} ({why})" for action, why in sorted(refused.items())[:8])
        more = f" and {len(refused) - 8} more" if len(refused) > 8 else ""
        return matter.bad(BLOCKS if must else WARNS, f"no: {listed}{more}")
    if unsure:
        more = f"; {len(unsure) - 1} more" if len(unsure) > 1 else ""
        may = not any(isinstance(answer, NotKnown) and not answer.may for answer in answers)
        return matter.not_known(NotKnown(why=unsure[0] + more, may=may))
    return matter.fine("yes, by identity policies, boundary and organization")


def _decided(entry: Mapping[str, Any] | None) -> tuple[str, str]:
    """The state of one action, and why."""
    if entry is None or "EvalDecision" not in entry:
        return NOT_KNOWN, "IAM gave no decision"
    if entry["EvalDecision"] == "allowed":
        return FINE, ""
    if entry.get("OrganizationsDecisionDetail", {}).get("AllowedByOrganizations") is False:
        return BLOCKS, "denied by the organization"
    if entry.get("PermissionsBoundaryDecisionDetail", {}).get("AllowedByPermissionsBoundary") is False:
        return BLOCKS, "outside the permissions boundary"
    if entry["EvalDecision"] == "explicitDeny":
        return BLOCKS, "explicitly denied"
    missing = entry.get("MissingContextValues")
    if missing:
        return NOT_KNOWN, f"a policy asks for {', '.join(missing)}, which the simulation did not give"
    return BLOCKS, "not allowed"
