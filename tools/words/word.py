"""One term: its path, meaning and unit, and who defines it."""

from __future__ import annotations

from dataclasses import dataclass

AWS, FOCUS, OURS = "AWS", "FOCUS 1.x", "ours"


@dataclass(frozen=True, kw_only=True)
class Word:
    """One key of a JSON document. path: as in scenarios[].bill[].list_cost.

    kind: see KINDS in tools/schema.py; a question mark after it means that it may be null. column: of the CSV.
    """

    path: str
    kind: str
    meaning: str
    unit: str = ""
    whose: str = OURS
    column: str = ""


def word(path: str, kind: str, meaning: str, unit: str = "", whose: str = OURS, column: str = "") -> Word:
    return Word(path=path, kind=kind, meaning=meaning, unit=unit, whose=whose, column=column)


VERSION = word("schema_version", "= 1", "version of this document; keys may be added without a new version")

# the program and its model; the CSV repeats them in every row
PLANNER = (
    word("planner", "object", "the program that wrote this document"),
    word("planner.version", "text", "its version", column="x_PlannerVersion"),
    word(
        "planner.model_sha256",
        "sha256",
        "hash of the source code of the model: documents with the same hash differ only by their inputs",
        column="x_ModelSha256",
    ),
)


def spread(path: str, unit: str, what: str, columns: tuple[str, str, str] = ("", "", "")) -> list[Word]:
    """The keys of a planned figure and of three percentiles of the draws."""
    kind, never = "number?", "; null if too many never finish"
    central = f"{what} with every assumption at its central value; not the median"
    return [
        word(f"{path}.plan", "number", central, unit),
        word(f"{path}.p10", kind, f"{what}: 10 % of the draws are below{never}", unit, column=columns[0]),
        word(f"{path}.p50", kind, f"{what}: half of the draws are below{never}", unit, column=columns[1]),
        word(f"{path}.p90", kind, f"{what}: 10 % of the draws are above{never}", unit, column=columns[2]),
    ]


def bound(path: str, what: str) -> Word:
    """The key that says whether a figure is a lower bound."""
    return word(
        f"{path}.lower_bound", "flag", f"whether {what} is a lower bound without a range, because a price is missing"
    )
