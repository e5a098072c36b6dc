"""What is to go wrong, and when: a file that the test writes and the provider reads at every call.

A fault fires once. fail: AWS refuses, nothing is done. lost: it is done, and the answer does not come. before, after:
the call hangs before or after it is done, until somebody kills the provider. late: it hangs, and is done when the test
says so, whoever is still there to hear of it.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

OPERATIONS = ("create", "update", "delete", "read")
WAYS = ("fail", "lost", "before", "after", "late")


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing to go wrong: at which operation on the resource of which logical name, and how."""

    operation: str
    name: str
    way: str

    def __post_init__(self) -> None:
        if self.operation not in OPERATIONS or self.way not in WAYS:
            raise ValueError(f"no fault {self}")


class Faults:
    """The faults still to come, in a file; beside it, a mark of each call that hangs."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def plan(self, *faults: Fault) -> None:
        """These and no others."""
        for mark in (self.hangs, self.go):
            mark.unlink(missing_ok=True)
        self._write([asdict(fault) for fault in faults])

    def left(self) -> list[Fault]:
        """What has not fired yet."""
        return [Fault(**entry) for entry in json.loads(self.path.read_text())] if self.path.exists() else []

    def fires(self, operation: str, name: str) -> str:
        """The way in which this call goes wrong, or nothing; it is no longer to come then."""
        left = self.left()
        for fault in left:
            if (fault.operation, fault.name) == (operation, name):
                self._write([asdict(other) for other in left if other is not fault])
                return fault.way
        return ""

    @property
    def hangs(self) -> Path:
        """Is there once a call hangs."""
        return self.path.with_suffix(".hangs")

    @property
    def go(self) -> Path:
        """A late call goes on when it is there, and takes it away when it is done."""
        return self.path.with_suffix(".go")

    def _write(self, faults: list[dict[str, str]]) -> None:
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(faults))
        os.replace(new, self.path)
