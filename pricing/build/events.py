"""Price events: which change affects which price.

The sentences in price_events.csv have fixed forms: one that no pattern matches stops the build, because prices would be
carried across the change unnoticed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from pricing.build.days import Change, last_day

_DAY = r"(\d{4}-\d\d-\d\d)"
_RESERVED = re.compile(r"(\S+) (Standard|Convertible) RI ([13])-yr (?:No|Partial|All) Upfront (\S+)")
_SAVINGS = re.compile(r"(\S+) (EC2 Instance|Compute) Savings Plan ([13])-yr, all Regions")
_ON_DEMAND = re.compile(r"(\S+) on-demand (\S+)")
_BLOCK = re.compile(r"(\S+) (US regions|most Regions|[a-z]{2}(?:-[a-z]+)+-\d)(?: \(rate after the rise; .*\))?")
# Commercial Regions of the United States and their Local Zones; GovCloud has rates of its own.
_US_REGION = re.compile(r"us-(east|west)-\d")


def parse_change(text: str, what: str = "") -> Change:
    """When the price changed.

    `2025-06-01 effective`: the new price is valid from that day. `... (purchases after that day)`: from the next.
    `2025-06-01 assumed (...)`: the assumed day is used. `between A and B`: old on A, new on B. `2026-01`: some day of
    the month. Raises ValueError for any other text.
    """
    if match := re.fullmatch(f"between {_DAY} and {_DAY}", text):
        old_until, new_from = map(date.fromisoformat, match.groups())
        return Change(old_until=old_until, new_from=new_from, what=what)
    if match := re.fullmatch(r"(\d{4})-(\d\d)", text):
        end = last_day(int(match[1]), int(match[2]))
        return Change(old_until=end.replace(day=1) - timedelta(days=1), new_from=end, what=what)
    if match := re.match(_DAY + r" (effective|assumed)\b", text):
        day = date.fromisoformat(match[1])
        if "purchases after that day" in text:
            day += timedelta(days=1)
        return Change(old_until=day - timedelta(days=1), new_from=day, what=what)
    raise ValueError(f"date of a price event {text!r} is not understood")


@dataclass(frozen=True, kw_only=True)
class Scope:
    """The keys that a change affects: table, then the first columns of the key; "*" matches anything."""

    table: str
    instance_type: str = "*"
    region: str = "*"
    option_prefix: str = ""
    service_item: tuple[str, str] = ("", "")

    def covers(self, key: tuple[str, ...]) -> bool:
        """Whether the key (as in Observation.key) is affected."""
        if key[0] != self.table:
            return False
        if self.table == "metered":
            return key[1:3] == self.service_item
        if self.instance_type != key[1]:
            return False
        region_fits = _US_REGION.match(key[2]) is not None if self.region == "US" else self.region in ("*", key[2])
        # all three payment options of a term change together; the events name the one that was observed
        return region_fits and (not self.option_prefix or key[3].startswith(self.option_prefix))


def parse_scope(service: str, what: str) -> Scope:
    """What the event's sentence is about. Raises ValueError for an unknown sentence."""
    if service == "AmazonVPC" and what == "public IPv4 address in use, all Regions":
        return Scope(table="metered", service_item=("AmazonVPC", "Public IPv4 address, in use"))
    if service == "EC2 Capacity Blocks" and (match := _BLOCK.fullmatch(what)):
        region = "US" if match[2] == "US regions" else match[2]
        return Scope(table="capacity_blocks", instance_type=match[1], region=region)
    if service == "AmazonEC2":
        if match := _RESERVED.fullmatch(what):
            return Scope(
                table="commitments",
                instance_type=match[1],
                region=match[4],
                option_prefix=f"ri-{match[3]}y-{match[2].lower()}-",
            )
        if match := _SAVINGS.fullmatch(what):
            kind = "instance" if match[2] == "EC2 Instance" else "compute"
            return Scope(table="commitments", instance_type=match[1], option_prefix=f"sp-{match[3]}y-{kind}-")
        if match := _ON_DEMAND.fullmatch(what):
            return Scope(table="on_demand", instance_type=match[1], region=match[2])
    raise ValueError(f"price event {service!r}: {what!r} is not understood")


class Events:
    """All changes from a source, with those that affect a key."""

    def __init__(self, rows: Iterable[Mapping[str, str]]) -> None:
        self._events = tuple(
            (parse_scope(row["service"], row["what"]), parse_change(row["date"], row["what"])) for row in rows
        )

    def of(self, key: tuple[str, ...]) -> tuple[Change, ...]:
        """The changes that affect the key, in the order of the source."""
        return tuple(change for scope, change in self._events if scope.covers(key))
