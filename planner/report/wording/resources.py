"""What a stack is made of, in words."""

from __future__ import annotations

from planner.report.wording.figures import dollars, many, visible

BY_USE = "by use"
FREE = "free"
BILLED_BY_USE = "what bills by use (S3 storage, requests, traffic, logs)"


def stored(usd_per_hour: float) -> str:
    """What S3 bills for the stored bytes, which no hourly figure of a stack includes."""
    return f"stored in S3 at the planned size: about ${dollars(usd_per_hour)} an hour"


def not_included(stored_usd: float | None) -> str:
    """What the hourly sum leaves out, on the page."""
    return _sentence(f"Not included: {BILLED_BY_USE}", stored_usd)


def summary(resources: int, usd_per_hour: float, stored_usd: float | None) -> str:
    """How many resources there are and what they cost an hour, above the table of a terminal."""
    text = f"{many(resources, 'resource')}, ${usd_per_hour:,.4f} an hour while deployed, without {BILLED_BY_USE}"
    return _sentence(f"{text}, marked +", stored_usd).removesuffix(".")


def title(stack: str, scenario: str) -> str:
    return f"Stack {visible(stack)}: {visible(scenario)}"


def free(component: str, names: list[str]) -> str:
    return f"{component}, free: {', '.join(names)}"


def placeholders(names: list[str]) -> str:
    return f"Placeholders, which only an account can fill: {', '.join(names)}"


def _sentence(text: str, stored_usd: float | None) -> str:
    return f"{text}; {stored(stored_usd)}." if stored_usd else f"{text}."
