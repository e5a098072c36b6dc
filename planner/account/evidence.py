"""The head of evidence on a stack: what it is of, when, and no account."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from planner.account.masking import MASK, masked
from planner.stack.spec import ClusterSpec


def about(spec: ClusterSpec, when: str, now: datetime) -> dict[str, Any]:
    """when: the key of the time. now: UTC."""
    return {
        "schema_version": "1",
        when: now.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "account": MASK,
        "region": spec.region,
        "stack": spec.stack,
        "scenario": spec.scenario,
        "plan": {"name": masked(spec.plan_name), "sha256": spec.plan_sha256},
    }
