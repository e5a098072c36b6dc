"""Every kind of plan, one line each. Importing this loads only their facts, because every command imports it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planner.kinds.fleet import KIND as FLEET
from planner.kinds.kind import Kind
from planner.kinds.training import KIND as TRAINING
from planner.kinds.workers import KIND as WORKERS

KINDS: list[Kind] = [TRAINING, WORKERS, FLEET]


def kind_of(name: str) -> Kind:
    """The kind of a name. Raises KeyError."""
    return {kind.name: kind for kind in KINDS}[name]


def kind_in(data: Mapping[str, Any]) -> Kind:
    """The kind of a plan, before anything else of it is looked at: a training plan unless it names another."""
    run = data.get("run")
    name = run.get("kind") if isinstance(run, dict) else None
    return next((kind for kind in KINDS if kind.name == name), TRAINING)
