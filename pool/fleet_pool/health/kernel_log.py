"""NVIDIA's errors in the kernel log, by the records of /dev/kmsg. Pure.

A record is `priority,sequence,microseconds,flags;text` (Linux, Documentation/ABI/testing/dev-kmsg). The sequence
number names a record once per boot, so lines that come twice or late count once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from fleet_pool.compat import frozen
from fleet_pool.health.limits import RECOVERY, XIDS, Action

RECORD = re.compile(r"^\d+,(?P<sequence>\d+),\d+,[^;]*;(?P<text>.*)$")
XID = re.compile(r"NVRM: Xid \((?:PCI:)?(?P<bus>[0-9a-fA-F:.]+)\): (?P<code>\d+)\b(?:, )?(?P<more>.*)$")
SXID = re.compile(
    r"nvidia-nvswitch\d+: SXid \(PCI:(?P<bus>[0-9a-fA-F:.]+)\): (?P<code>\d+), (?P<more>(?:Non-f|F)atal.*)$"
)
WANTED = re.compile(r"\((?P<wanted>[^()]*)\)\s*$")


@frozen
class Event:
    """kind: xid or sxid. bus: PCI address."""

    sequence: int
    kind: str
    code: int
    bus: str
    text: str


def event_of(line: str) -> Event | None:
    """The error in one record; None for everything else."""
    record = RECORD.match(line)
    if not record:
        return None
    for kind, pattern in (("xid", XID), ("sxid", SXID)):
        found = pattern.search(record["text"])
        if found:
            sequence, code = int(record["sequence"]), int(found["code"])
            return Event(sequence=sequence, kind=kind, code=code, bus=found["bus"], text=record["text"].strip()[:300])
    return None


def action_of(event: Event) -> Action:
    """What one error calls for. A code that the table lacks is reported."""
    if event.kind == "sxid":
        return Action.RESTART if ", Fatal," in event.text else Action.REPORT
    if event.code == RECOVERY:
        # what it wants in words, after "changed from ... to": with a driver's word for nothing, nothing
        wanted = WANTED.search(event.text)
        known = wanted is not None and any(word in wanted["wanted"] for word in ("Reset", "Reboot", "FLR"))
        return Action.RESTART if known else Action.REPORT
    known_code = XIDS.get(event.code)
    return known_code.action if known_code else Action.REPORT


class Stream:
    """Errors that are new. after: the last sequence number that a person has dealt with."""

    def __init__(self, after: int = -1) -> None:
        self._after, self._seen = after, set[int]()

    def new(self, lines: Iterable[str]) -> list[Event]:
        """Each error once, in the kernel's order."""
        found = {event.sequence: event for event in map(event_of, lines) if event and event.sequence > self._after}
        fresh = [found[number] for number in sorted(found) if number not in self._seen]
        self._seen.update(event.sequence for event in fresh)
        return fresh
