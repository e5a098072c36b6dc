"""What is known of a kind of plan before any of it is loaded: no models, no arrays, no prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of plan.

    name: what `run.kind` says. title: of one such plan, for a sentence. package: the folder of its parts.
    refused: what it does not take, and why: a verb, or a verb and an option of it, such as "sensitivity --against";
    "--own" is of every verb that has it.
    """

    name: str
    title: str
    package: str
    refused: Mapping[str, str] = field(default_factory=dict)

    def part(self, name: str) -> Any:
        """One module of its folder, imported now. planner/kinds/__init__.py says what each has."""
        return import_module(f"{self.package}.{name}")
