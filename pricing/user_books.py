"""The price books of a person, beside the bundled ones: in the folder that the platform has for data.

A book is a folder named after its date; one without a manifest is half-written and is no book.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from pricing import snapshot

VARIABLE = "PLANNER_DATA"
_NAME = "gpu-fleet-planner"


def data_folder(environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> Path:
    """Where a person's data are: $PLANNER_DATA, else as the platform has it (XDG, Library, LOCALAPPDATA)."""
    said = os.environ if environment is None else environment
    if said.get(VARIABLE):
        return Path(said[VARIABLE])
    home = Path(said.get("HOME") or said.get("USERPROFILE") or Path.home())
    if platform == "darwin":
        return home / "Library" / "Application Support" / _NAME
    if platform == "win32":
        return Path(said.get("LOCALAPPDATA") or home / "AppData" / "Local") / _NAME
    return Path(said.get("XDG_DATA_HOME") or home / ".local" / "share") / _NAME


def books_folder() -> Path:
    """Where `planner prices update` writes books."""
    return data_folder() / "prices"


def user_books(folder: Path | None = None) -> dict[date, Path]:
    """The complete books of a person by date, oldest first."""
    folder = folder or books_folder()
    return {
        day: folder / day.isoformat()
        for day in snapshot.available(folder)
        if (folder / day.isoformat() / "manifest.json").is_file()
    }


def newest_as_of(day: date) -> Path:
    """The book of the day, else the newest before it, of the bundled books and a person's own; a bundled one wins a
    tie. Raises LookupError that lists the books."""
    books = {**user_books(), **{one: snapshot.DATA / one.isoformat() for one in snapshot.available()}}
    fitting = [one for one in books if one <= day]
    if not fitting:
        there = ", ".join(map(str, sorted(books))) or "none at all"
        raise LookupError(f"no price book is of {day} or before; available: {there}")
    return books[max(fitting)]
