"""The resources of a stack, in words."""

from __future__ import annotations

from planner.report.wording.figures import dollars, many, visible

BY_USE = "by use"
FREE = "free"
ALL = "--all: every resource by its name"
BILLED_BY_USE = "usage-based costs (S3 storage, requests, traffic, logs)"


def stored(usd_per_hour: float) -> str:
    """The cost of the data stored in S3, which no hourly figure of a stack includes."""
    return f"data stored in S3 at the planned size: about ${dollars(usd_per_hour)} per hour"


def not_included(stored_usd: float | None) -> str:
    """What the hourly sum on the page does not include."""
    return _sentence(f"Not included: {BILLED_BY_USE}", stored_usd)


def summary(resources: int, usd_per_hour: float, stored_usd: float | None) -> str:
    """The number of resources and their cost per hour, above the table in a terminal."""
    text = f"{many(resources, 'resource')}, ${usd_per_hour:,.4f} per hour while deployed, without {BILLED_BY_USE}"
    return _sentence(f"{text}, marked +", stored_usd).removesuffix(".")


def title(stack: str, scenario: str) -> str:
    return f"Stack {visible(stack)}: {visible(scenario)}"


def free(component: str, names: list[str]) -> str:
    return f"{component}, free: {', '.join(names)}"


def guards_left_out(*, action: bool, anomalies: bool) -> str:
    """What guards a stack does without, because AWS may refuse them to an account; "" where it has both."""
    lacks = [
        *([] if action else ["the budget's action (an organization may forbid IAM groups)"]),
        *([] if anomalies else ["cost anomaly notices (AWS allows them by tag in the management account alone)"]),
    ]
    return f"Not deployed: {' and '.join(lacks)}. The plan's `deploy.guards` adds them." if lacks else ""


def placeholders(names: list[str]) -> str:
    return f"Placeholders for values from an AWS account: {', '.join(names)}"


def _sentence(text: str, stored_usd: float | None) -> str:
    return f"{text}; {stored(stored_usd)}." if stored_usd else f"{text}."
