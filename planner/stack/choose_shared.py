"""What the stack of every kind of plan takes from it in the same way: whole numbers, the budget, and where a value that
contradicts another was given."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from planner.errors import PlanProblems, Problem, UsageProblem
from planner.layouts.deployment import NotDeployable, whole
from planner.models.values import Values
from planner.stack.check import Finding
from planner.stack.spec import ClusterSpec


def whole_of(key: str, values: Values) -> int:
    """An assumption that counts things or sizes a volume. Raises UsageProblem for a fraction."""
    try:
        return whole(key, values)
    except NotDeployable as error:
        raise UsageProblem(str(error)) from None


def budget_of(usd: float) -> float:
    """Rounded up to three digits, so that draws added up in another order give the same budget.

    At least one dollar, because AWS accepts no budget of 0, which a bill without any price would give.
    """
    step = 10.0 ** (math.floor(math.log10(usd)) - 2) if usd > 0 else 1.0
    return max(1.0, round(math.ceil(usd / step - 1e-6) * step, 2))


def problems_of(
    spec: ClusterSpec, findings: Sequence[Finding], from_call: Mapping[str, str], where: str
) -> PlanProblems:
    """Findings at the options of `planner stack` that decide these values, else at `where`: no stack file exists yet to
    point to. from_call: path in the file -> option."""
    return PlanProblems(
        tuple(
            Problem(
                where=from_call.get(".".join(map(str, finding.path)), where),
                line=None,
                column=None,
                message=f"{spec.scenario}: {finding.message}",
                remedy=finding.remedy,
            )
            for finding in findings
        )
    )
