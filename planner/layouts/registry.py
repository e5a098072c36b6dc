"""Every storage layout, one line each: its name in plans and scenario ids.

The folder has the same name with `_`. Importing this loads only the layout's `Room`, because every command imports it.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType

from planner.layouts.room import Room

NAMES = (
    "converged",
    "fsx-lustre",
    "separate-nvme",
    "s3-stream",
    "fsx-lustre-scratch",
)


def _module(name: str, answer: str = "") -> ModuleType:
    return import_module(f"planner.layouts.{name.replace('-', '_')}{answer and f'.{answer}'}")


ROOMS: Mapping[str, Room] = {name: _module(name).ROOM for name in NAMES}
DEFAULTS = tuple(name for name, room in ROOMS.items() if room.is_default)
WITH_SETTINGS = tuple(name for name, room in ROOMS.items() if room.has_settings)
DEPLOYED = tuple(name for name, room in ROOMS.items() if not room.not_deployed)


def answer_of(name: str, answer: str) -> ModuleType:
    """One module of a layout, imported now: settings, checks or layout."""
    return _module(name, answer)
