"""An acceptance file: figures that somebody published or promised, asked of a pool of any size, by node.

name: proof of concept of a vendor
source: where it was published
nodes: 6
read_gb_per_s: 18
operations_per_second: 1300000
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from planner.acceptance.found import CHECKPOINT, Found
from planner.acceptance.line import MISS, NOT_MEASURED, PASS, Line
from planner.acceptance.words import number
from planner.plan.textfile import label_of, refuse
from planner.plan.values_file import read_values

RATES = ("read_gb_per_s", "write_gb_per_s", "operations_per_second")


@dataclass(frozen=True, kw_only=True)
class Targets:
    """nodes: that the figures are of. A figure of all nodes, or None."""

    name: str
    source: str
    nodes: int
    read_gb_per_s: float | None = None
    write_gb_per_s: float | None = None
    operations_per_second: float | None = None


def read_targets(path: str) -> Targets:
    """Raises PlanProblems with what is wrong and where."""
    tree, where = read_values(path), label_of(path)
    data, known = tree.data, [one.name for one in fields(Targets)]
    if not isinstance(data, dict):
        raise refuse(where, "an acceptance file is a mapping", f"with {', '.join(known)}")
    for key, value in data.items():
        place = tree.places.get((key,))
        if key not in known:
            raise refuse(where, f"unknown key {key!r}", f"known: {', '.join(known)}", place)
        if key in ("name", "source"):
            if not isinstance(value, str) or not value.strip():
                raise refuse(where, f"{key}: text expected, not {value!r}", "", place)
        elif not _is_positive(value) or (key == "nodes" and value != int(value)):
            what = "a whole number" if key == "nodes" else "a number"
            raise refuse(where, f"{key}: {what} above zero expected, not {value!r}", "", place)
    lacking = [key for key in ("name", "source", "nodes") if key not in data]
    if lacking or not any(key in data for key in RATES):
        raise refuse(where, f"{', '.join(lacking) or 'every figure'} is missing", f"one of {', '.join(RATES)} at least")
    return Targets(**data)


def _is_positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf")


def lines_against(targets: Targets, found: Found) -> Iterator[Line]:
    """Each figure by node against the best that was measured, whatever the size of objects: files of figures rarely
    say it."""
    parts = [part for part in found.parts if part.name != CHECKPOINT]
    nodes = len(found.nodes) - len(found.not_ready)
    for key, of in (
        ("read_gb_per_s", [(part.read.gb_per_s, part.object_bytes) for part in parts]),
        ("write_gb_per_s", [(part.write.gb_per_s, part.object_bytes) for part in found.parts]),
        ("operations_per_second", [(part.read.objects_per_s, part.object_bytes) for part in parts]),
    ):
        wanted = getattr(targets, key)
        if wanted is None:
            continue
        id, what = f"against.{key}", f"{targets.name}: {key.replace('_', ' ')} per node"
        each = wanted / targets.nodes
        if not of or not nodes:
            yield Line(id=id, state=NOT_MEASURED, what=what, said=found.why.get("bench", "no node was measured"))
            continue
        best, size = max(of)
        measured = best / nodes
        share = f"{measured / each:.0%}".replace("%", " %")
        said = (
            f"{number(measured)} with objects of {size:,} bytes, {share} of {number(each)} "
            f"({number(wanted)} over {targets.nodes} nodes)"
        )
        state = PASS if measured >= each else MISS
        yield Line(id=id, state=state, what=what, said=said, measured=measured, planned=each, means=targets.source)
