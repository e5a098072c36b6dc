"""Deliberate mistakes: careless edits of a graph, and the rule that must report each."""

from __future__ import annotations

from tests.lint.mistakes import (
    arguments,
    data_access,
    groups,
    guard,
    identity,
    interfaces,
    lustre,
    names,
    network,
    operations,
    references,
    storage,
    templates,
)
from tests.lint.mistakes.buying import BLOCK, SPOT
from tests.lint.mistakes.edits import Mistake, fleet, lt
from tests.lint.mistakes.ending import ENDING
from tests.lint.mistakes.operations import MIXED, NEVER

MISTAKES = (
    *interfaces.MISTAKES,
    *templates.MISTAKES,
    *groups.MISTAKES,
    *network.MISTAKES,
    *storage.MISTAKES,
    *lustre.MISTAKES,
    *identity.MISTAKES,
    *names.MISTAKES,
    *guard.MISTAKES,
    *arguments.MISTAKES,
    *references.MISTAKES,
    *data_access.MISTAKES,
    *operations.MISTAKES,
)

__all__ = ["BLOCK", "ENDING", "MISTAKES", "MIXED", "NEVER", "SPOT", "Mistake", "fleet", "lt"]
