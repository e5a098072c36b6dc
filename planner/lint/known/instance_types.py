"""Instance types: network cards, interfaces per card, EFA, and markets.

Source: DescribeInstanceTypes (as shipped with moto 5.2.1) and the type names of botocore 1.44.5, both Apache 2.0. A
type that only botocore lists has no numbers, and rules about numbers ignore it.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from planner.lint.read.suggestions import suggestion

# cards without EFA, for types where only some cards have it (17 cards, 16 with EFA)
WITHOUT_EFA = {"p6-b300.48xlarge": (0,)}
# types with EFA on Nitro older than v4, which FSx for Lustre does not support
NO_LUSTRE_EFA = ("p3dn.", "p4d.", "p4de.", "g4dn.", "c5n.", "m5n.", "m5dn.", "r5n.", "r5dn.", "i3en.", "inf1.", "dl1.")


@dataclass(frozen=True, kw_only=True)
class Machine:
    """cards, per_card, efa: None if not known. buys: AWS's usage classes, empty if not known."""

    name: str
    cards: int | None
    per_card: int | None
    efa: int | None
    buys: tuple[str, ...]

    def carries_efa(self, card: int) -> bool:
        return self.efa != 0 and card not in WITHOUT_EFA.get(self.name, ())


@cache
def machines() -> dict[str, Machine]:
    """Every instance type that AWS lists, by name."""
    text = Path(__file__).with_name("instance_types.csv").read_text(encoding="utf-8")

    def numeral(cell: str) -> int | None:
        return int(cell) if cell else None

    return {
        row["instance_type"]: Machine(
            name=row["instance_type"],
            cards=numeral(row["network_cards"]),
            per_card=numeral(row["interfaces_per_card"]),
            efa=numeral(row["efa_interfaces"]),
            buys=tuple(row["buys"].split()),
        )
        for row in csv.DictReader(text.splitlines())
    }


def nearest(name: str) -> str:
    """`; did you mean 'p5.48xlarge'?` or ""."""
    return suggestion(name, list(machines()))
