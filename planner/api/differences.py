"""What changed between two comparisons: from Python and for the command line."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from planner.api.comparisons import LIST_IDS, Comparison
from planner.errors import UsageProblem
from planner.report.diff.comparisons import changes
from planner.report.diff.differences import Changes, Figure

if TYPE_CHECKING:
    import pandas

Document = Mapping[str, Any]
Saved = str | os.PathLike[str]
FIGURES = ("cost_usd", "cost_p90_usd", "days", "days_p90")


@dataclass(frozen=True, kw_only=True, repr=False)
class Difference:
    """What changed from one comparison to another. `str()` is what `planner diff` prints."""

    changes: Changes = field(repr=False)

    @property
    def different(self) -> bool:
        """Whether the plan, an assumption, a scenario or a bill differs; dates and sources do not count."""
        return self.changes.different

    @property
    def best_cost_usd(self) -> Figure:
        """Planned cost of the recommended scenario before and after, and its change where that is known."""
        return self.changes.best_cost_usd

    def text(self, *, width: int = 100, colour: bool = False, ascii_only: bool = False, top: int = 0) -> str:
        """Lines of at most `width` cells (at least 32). top: entries of each list, 0 for all."""
        from planner.report.terminal.difference_text import render

        return render(self.changes, width=width, colour=colour, ascii_only=ascii_only, top=top)

    def to_dict(self) -> dict[str, Any]:
        """The document of `planner diff -f json`, as plain data: USD and days."""
        from planner.report.terminal.difference_text import render_json

        return json.loads(render_json(self.changes))

    def to_frame(self) -> pandas.DataFrame:
        """A row a scenario: its status, and cost in USD and days before, after and as a change, empty where unknown.

        Raises UsageProblem where pandas is not installed: it comes with the extra `notebook`.
        """
        from planner.api.frames import pandas_for

        pandas = pandas_for("to_frame")
        rows = [
            {"id": row["id"], "status": row["status"]}
            | {f"{name}_{part}": row[name][part] for name in FIGURES for part in ("before", "after", "change")}
            for row in self.to_dict()["scenarios"]
        ]
        frame = pandas.DataFrame(rows)
        for column in frame.columns[2:]:
            frame[column] = pandas.to_numeric(frame[column])
        return frame

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        found = self.changes
        return (
            f"Difference(different={found.different}, best_before={found.best_before!r}, "
            f"best_after={found.best_after!r}, best_cost_change_usd={found.best_cost_usd.change!r})"
        )

    def _repr_html_(self) -> str:
        from planner.report.html.notebook import difference_html

        return difference_html(self.changes)


def diff(before: Comparison | Saved, after: Comparison | Saved, *, scenarios: Sequence[str] = ()) -> Difference:
    """Show what changed from one comparison to another, in dollars and days, by scenario and bill line.

    before, after: comparisons, or files that `planner compare -f json` wrote; compare plans with the same draws and
    seed. scenarios: whose bills are compared besides those of the recommended ones: ids, ranks in `after`, or `"best"`.

    Raises UsageProblem for what is no comparison, and for a scenario that neither side has.
    """
    (old, plan_before), (new, plan_after) = _side(before, "before"), _side(after, "after")
    return difference_of(old, new, plan_before=plan_before, plan_after=plan_after, scenarios=scenarios)


def difference_of(
    before: Document,
    after: Document,
    *,
    plan_before: Document | None,
    plan_after: Document | None,
    scenarios: Sequence[str] = (),
    listing: str = LIST_IDS,
) -> Difference:
    """What `diff` gives for two documents of comparisons; `planner diff` prints it. plan_before, plan_after: where
    they are known. listing: end of a message that says how to list ids. Raises UsageProblem."""
    ids = [_named(name, before, after, listing) for name in scenarios]
    found = changes(before, after, plan_before=plan_before, plan_after=plan_after, scenarios=ids)
    return Difference(changes=found)


def _side(given: object, name: str) -> tuple[Document, Document | None]:
    """The document of one side, and its plan where that is known. Raises UsageProblem."""
    from planner.plan.textfile import label_of, read_bytes
    from planner.report.data import saved
    from planner.report.data.comparison_json import document

    if isinstance(given, Comparison):
        return document(given), given.plan
    if isinstance(given, str | os.PathLike):
        path = os.fspath(given)
        return saved.parse(read_bytes(path, saved.MAX_BYTES), label_of(path)), None
    raise UsageProblem(f"{name} is a comparison, or the file of a saved one, not {given!r}: planner.compare(plan)")


def _named(text: str, before: Document, after: Document, listing: str) -> str:
    """The id of a scenario that either side has, of a rank of `after` (`3` or `#3`), or of its best."""
    from planner.plan.wording import did_you_mean, shown

    ids = [scenario["id"] for scenario in after["scenarios"]]
    whole = [s["id"] for s in after["scenarios"] if s["feasible"] and s["complete"]]
    if text == "best" and whole:
        return whole[0]
    rank = text.removeprefix("#")
    if rank.isascii() and rank.isdigit() and 1 <= int(rank[:9]) <= len(ids):
        return ids[int(rank) - 1]
    known = {*ids, *(scenario["id"] for scenario in before["scenarios"])}
    if text not in known:
        near = did_you_mean(text, known) or f"ranks of B are 1 to {len(ids)}; {listing}"
        raise UsageProblem(f"no scenario is called {shown(text)} on either side: {near}")
    return text
