"""Answers of AWS that were read whole, kept until the book is written: an update that stops goes on from there."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from planner.account.masking import masked


class SavedAnswers:
    """The answers of one day in a folder, by name. Account ids are masked before anything is written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.reused = 0

    @classmethod
    def of(cls, books: Path, day: date, *asked: object) -> SavedAnswers:
        """Those of the same questions on the same day; what is left of earlier days is removed."""
        name = f".answers-{day}-"
        for folder in books.glob(".answers-*"):
            if not folder.name.startswith(name):
                shutil.rmtree(folder, ignore_errors=True)
        return cls(books / (name + hashlib.sha256(repr(asked).encode()).hexdigest()[:12]))

    def entries(self, name: str, ask: Callable[[], Iterable[Mapping[str, Any]]]) -> list[dict[str, Any]]:
        """What was saved under the name, else what `ask` gives; an answer that breaks off is not saved."""
        path = self.folder / f"{name}.json.gz"
        try:
            found = json.loads(gzip.decompress(path.read_bytes()))
            self.reused += 1
            return [_with_times(one) for one in found]
        except (OSError, ValueError, EOFError):
            pass  # not asked yet, or half-written
        text = masked(json.dumps([dict(one) for one in ask()], default=datetime.isoformat))
        partial = path.with_suffix(f".{os.getpid()}.partial")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            partial.write_bytes(gzip.compress(text.encode(), mtime=0))
            partial.replace(path)
        except FileNotFoundError:
            pass  # another update of the same questions has just ended and removed the folder
        return [_with_times(one) for one in json.loads(text)]

    def forget(self) -> None:
        """Remove all answers."""
        shutil.rmtree(self.folder, ignore_errors=True)


_TIMES = ("Timestamp", "StartDate", "EndDate")


def _with_times(entry: dict[str, Any]) -> dict[str, Any]:
    times = {name: datetime.fromisoformat(entry[name]) for name in _TIMES if name in entry}
    return {**entry, **times}
