"""One word: where it stands, what it means, its unit, whose it is."""

from __future__ import annotations

from dataclasses import dataclass

AWS, FOCUS, OURS = "AWS", "FOCUS 1.x", "ours"


@dataclass(frozen=True, kw_only=True)
class Word:
    """One key of a JSON document. path: as in scenarios[].bill[].list_cost.

    kind: see KINDS in tools/schema.py; a question mark behind it means that it may be null. column: of the CSV.
    """

    path: str
    kind: str
    meaning: str
    unit: str = ""
    whose: str = OURS
    column: str = ""


def word(path: str, kind: str, meaning: str, unit: str = "", whose: str = OURS, column: str = "") -> Word:
    return Word(path=path, kind=kind, meaning=meaning, unit=unit, whose=whose, column=column)


VERSION = word("schema_version", "= 1", "version of this document; a key may be added without a new one")

# which program it comes from; columns of the CSV, which says so in every row
PLANNER = (
    word("planner", "object", "the program that wrote this document"),
    word("planner.version", "text", "its version", column="x_PlannerVersion"),
    word(
        "planner.model_sha256",
        "sha256",
        "hash of the source that figures come from: two documents with the same one differ by their inputs alone",
        column="x_ModelSha256",
    ),
)


def spread(path: str, unit: str, what: str, columns: tuple[str, str, str] = ("", "", "")) -> list[Word]:
    """A planned figure and three percentiles of the draws."""
    kind = "number"
    central = f"{what}, every assumption at its central value; not the middle of the range"
    return [
        word(f"{path}.plan", kind, central, unit),
        word(f"{path}.p10", kind, f"{what}: one draw in ten is below", unit, column=columns[0]),
        word(f"{path}.p50", kind, f"{what}: half of the draws are below", unit, column=columns[1]),
        word(f"{path}.p90", kind, f"{what}: one draw in ten is above", unit, column=columns[2]),
    ]


def bound(path: str, what: str) -> Word:
    """Whether a figure lacks what has no price."""
    return word(f"{path}.lower_bound", "flag", f"whether {what} lacks what has no price: at least so much, no range")
