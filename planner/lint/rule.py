"""A rule, and a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

from planner.lint.read.graph import Graph, Resource

ERROR, WARNING = "error", "warning"
Hits = Iterator[tuple[Resource, str, str]]  # the resource, the property, the message


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One kind of mistake. what: its name. why: consequence, then reason. remedy: the fix. example: what it catches."""

    id: str
    severity: str
    subjects: tuple[str, ...]
    what: str
    why: str
    remedy: str
    example: str
    check: Callable[[Graph], Hits]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One place where a rule is broken. usd_at_risk: the resource's cost per day, USD; None if not known."""

    id: str
    severity: str
    resource: str
    property: str
    message: str
    why: str
    remedy: str
    usd_at_risk: float | None

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def rule(
    id: str, *subjects: str, severity: str = ERROR, what: str, why: str, remedy: str, example: str
) -> Callable[[Callable[[Graph], Hits]], Rule]:
    """Turns a function that yields violations into a rule."""

    def made(check: Callable[[Graph], Hits]) -> Rule:
        return Rule(
            id=id,
            severity=severity,
            subjects=subjects,
            what=what,
            why=why,
            remedy=remedy,
            example=example,
            check=check,
        )

    return made
