"""IAM policies in any form: JSON or objects, one statement or several, strings or lists."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.values import UNKNOWN, Json, given, many, one, texts

IDENTITY, TRUST, RESOURCE = "identity", "trust", "resource"
# type -> arguments with a policy, and the policy's kind
HOLDERS: dict[str, tuple[tuple[str, str], ...]] = {
    "iam:Role": (("assumeRolePolicy", TRUST),),
    "iam:RolePolicy": (("policy", IDENTITY),),
    "iam:Policy": (("policy", IDENTITY),),
    "s3:BucketPolicy": (("policy", RESOURCE),),
    "s3:Bucket": (("policy", RESOURCE),),
    "kms:Key": (("policy", RESOURCE),),
    "kms:KeyPolicy": (("policy", RESOURCE),),
    "sns:TopicPolicy": (("policy", RESOURCE),),
    "sns:Topic": (("policy", RESOURCE),),
    "ec2:VpcEndpoint": (("policy", RESOURCE),),
}


@dataclass(frozen=True)
class Policy:
    """One policy. document: None if it is not a JSON object; wrong says why."""

    holder: Resource
    where: str
    kind: str
    document: Json | None
    wrong: str = ""

    def statements(self) -> list[tuple[str, Json]]:
        found = many((self.document or {}).get("Statement"))
        return [(f"{self.where}.Statement[{i}]", statement) for i, statement in enumerate(found)]


def policies(graph: Graph) -> Iterator[Policy]:
    """Every policy of the graph whose text is known."""
    for kind, arguments in HOLDERS.items():
        for holder in graph.of(kind):
            for key, sort in arguments:
                yield from _read(holder, key, sort, holder.inputs.get(key))
    for role in graph.of("iam:Role"):
        for i, block in enumerate(many(role.inputs.get("inlinePolicies"))):
            yield from _read(role, f"inlinePolicies[{i}].policy", IDENTITY, block.get("policy"))


def is_of_ssm(policy: Policy) -> bool:
    """Whether a policy allows what the agent of Systems Manager calls, and nothing else."""
    actions = [action for _, statement in policy.statements() for action in texts(statement.get("Action"))]
    return bool(actions) and all(action.startswith(("ssm:", "ssmmessages:", "ec2messages:")) for action in actions)


def _read(holder: Resource, where: str, kind: str, value: object) -> Iterator[Policy]:
    if isinstance(value, dict):
        yield Policy(holder, where, kind, value)
    # a policy that is entirely a reference is not known
    elif isinstance(value, str) and value.strip() and value != UNKNOWN and not value.startswith("${"):
        try:
            document = json.loads(value)
        except RecursionError:
            yield Policy(holder, where, kind, None, "nested too deeply")
        except ValueError as error:
            yield Policy(holder, where, kind, None, str(error))
        else:
            fine = isinstance(document, dict)
            yield Policy(holder, where, kind, document if fine else None, "" if fine else "not an object")
    elif given(value) and not isinstance(value, str):
        yield Policy(holder, where, kind, None, "neither JSON nor an object")


def principals(statement: Json) -> list[tuple[str, str]]:
    """The principals of a statement: ("Service", "ec2.amazonaws.com"), ("*", "*")."""
    value = statement.get("Principal")
    if isinstance(value, dict):
        return [(str(sort), text) for sort, names in value.items() for text in texts(names)]
    return [("*", text) for text in texts(value)]


def allows(statement: Json) -> bool:
    return statement.get("Effect") == "Allow"


# conditions that do not limit who has access
OPEN_CONDITIONS = ("aws:securetransport", "aws:currenttime", "aws:epochtime", "aws:useragent", "aws:referer")
EVERYONE = {"*", "0.0.0.0/0", "::/0"}


def allows_everyone(statement: Json) -> bool:
    """Whether a statement allows everyone: the principal is *, and no condition limits who."""
    if not allows(statement) or not any(name == "*" for _, name in principals(statement)):
        return False
    for operator in many(statement.get("Condition")):
        for block in operator.values():
            for key, value in one(block).items():
                if key.lower() not in OPEN_CONDITIONS and not set(texts(value)) & EVERYONE:
                    return False
    return True


def matches(pattern: str, action: str) -> bool:
    """Whether `s3:Get*` covers `s3:GetObject`."""
    return fnmatchcase(action.lower(), pattern.lower().replace("[", "[[]"))
