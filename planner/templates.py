"""Where the templates stand: in an installed planner beside its modules, in a checkout at the top."""

from __future__ import annotations

from pathlib import Path

INSTALLED = Path(__file__).parent / "_templates"
REPOSITORY = Path(__file__).parents[1] / "templates"


def folder(part: str) -> Path:
    """part: a folder of templates/, as report or node."""
    return (INSTALLED if INSTALLED.is_dir() else REPOSITORY) / part
