"""The difference between two comparisons, in dollars and days: two JSON documents in, values out.

"Before" is the first document, "after" the second. Scenarios are matched by their id. A total with an unpriced line
is a lower bound, and so is a P90 if draws do not finish; the change of a lower bound is a bound or unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from planner.estimate.facts import MAY_NOT_FINISH
from planner.plan.wording import path_text
from planner.report.diff.bills import BillChange, Document, bill_change
from planner.report.diff.differences import Changes, Figure, ScenarioChange, Side, ValueChange
from planner.report.wording import change_notes

COMPUTE, INTERRUPTIONS = "fleet.compute", "fleet.spot-interruptions"


class _Document:
    """One document, with an index of its scenarios, ranks and missing prices."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.scenarios: dict[str, Document] = {s["id"]: s for s in document["scenarios"]}
        self.ranks = {name: rank for rank, (name, s) in enumerate(self.scenarios.items(), 1) if s["feasible"]}
        self.unpriced: dict[str, list[tuple[str, str]]] = {}
        for entry in document["unpriced"]:
            self.unpriced.setdefault(entry["scenario"], []).append((entry["line"], entry["what"]))
        complete = [s for s in document["scenarios"] if s["feasible"] and s["complete"] and s["cost_usd"]]
        # documents written before the decision rule have no answer: their first complete scenario was the best
        first = complete[0]["id"] if complete else None
        answer = document.get("answer")
        named = answer.get("recommended") if isinstance(answer, Mapping) else first
        self.best = first if named is not None else None
        self.best = next((s["id"] for s in complete if s["id"] == named), self.best)
        known = [s for s in complete if s["cost_usd"]["p90"] is not None]
        known = [s for s in known if s.get("eligible", s.get("unfinished_fraction", 0.0) < MAY_NOT_FINISH)] or known
        self.safest = min(known, key=lambda s: (s["cost_usd"]["p90"], s["id"]), default={"id": self.best})["id"]

    def lines_missing(self, name: str | None) -> list[str]:
        return [line for line, _ in self.unpriced.get(name or "", [])]

    def missing_prices(self, name: str) -> tuple[str, ...]:
        return tuple(f"{line}: no price for {what}" for line, what in self.unpriced.get(name, []))

    def figure(self, name: str | None, which: str, part: str) -> tuple[float | None, bool]:
        """(value, whether it is a lower bound) of `cost_usd` or `days`; no value for a cost without the GPU nodes."""
        scenario = self.scenarios.get(name or "")
        spread = scenario[which] if scenario else None
        if scenario is None or spread is None or spread[part] is None:
            return None, False
        missing = self.lines_missing(name)
        if which == "cost_usd" and COMPUTE in missing:
            return None, False
        return spread[part], not scenario["complete"] if which == "cost_usd" else INTERRUPTIONS in missing


def changes(
    before: Document,
    after: Document,
    *,
    plan_before: Mapping[str, Any] | None = None,
    plan_after: Mapping[str, Any] | None = None,
    scenarios: Sequence[str] = (),
) -> Changes:
    """Everything that changed. scenarios: ids whose bills are compared besides those of the recommended ones."""
    old, new = _Document(before), _Document(after)
    rows = tuple(_scenario(old, new, name) for name in dict.fromkeys([*new.scenarios, *old.scenarios]))
    both = [(old.best, new.best)] if old.best and new.best else []
    named = [name for name in (new.best, old.best, new.safest, old.safest, *scenarios) if name]
    both += [(name, name) for name in named if name in old.scenarios and name in new.scenarios]
    assumed = _values(_assumed(before), _assumed(after))
    keys = (
        _values(_flat(plan_before), _flat(plan_after)) if plan_before is not None and plan_after is not None else None
    )
    hashes = before["plan"]["sha256"], after["plan"]["sha256"]
    return Changes(
        before=_side(before),
        after=_side(after),
        different=hashes[0] != hashes[1] or bool(assumed) or any(row.differs for row in rows),
        best_before=old.best,
        best_after=new.best,
        best_cost_usd=_figure(old, new, old.best, new.best, "cost_usd", "plan"),
        best_cost_p90_usd=_figure(old, new, old.best, new.best, "cost_usd", "p90"),
        best_days=_figure(old, new, old.best, new.best, "days", "plan"),
        safest_before=old.safest,
        safest_after=new.safest,
        safest_cost_p90_usd=_figure(old, new, old.safest, new.safest, "cost_usd", "p90"),
        scenarios=rows,
        bills=tuple(_bill(old, new, *pair) for pair in dict.fromkeys(both)),
        assumptions=assumed,
        plan_keys=keys,
        notes=tuple(_notes(old, new, rows)),
    )


def _side(document: Document) -> Side:
    plan, prices, planner = document["plan"], document["prices"], document.get("planner", {})
    return Side(
        planner_version=planner.get("version"),
        model_sha256=planner.get("model_sha256"),
        plan_name=plan["name"],
        plan_sha256=plan["sha256"],
        prices_as_of=prices["as_of"],
        prices_age_days=prices.get("age_days"),
        prices_sha256=prices["sha256"],
        seed=document["seed"],
        draws=document.get("draws"),
    )


def _figure(old: _Document, new: _Document, one: str | None, other: str | None, which: str, part: str) -> Figure:
    (before, low), (after, high) = old.figure(one, which, part), new.figure(other, which, part)
    known = round(after - before, 6) if before is not None and after is not None else None
    return Figure(
        before=before,
        after=after,
        before_is_floor=low,
        after_is_floor=high,
        change=None if low or high else known,
        # the true value may be above a lower bound: for `after` the change is then larger, for `before` smaller
        change_at_least=None if low else known,
        change_at_most=None if high else known,
    )


def _bill(old: _Document, new: _Document, one: str, other: str) -> BillChange:
    return bill_change(old.scenarios[one], new.scenarios[other], old.lines_missing(one), new.lines_missing(other))


def _scenario(old: _Document, new: _Document, name: str) -> ScenarioChange:
    one, other = old.scenarios.get(name), new.scenarios.get(name)
    figures = {
        (which, part): _figure(old, new, name, name, which, part)
        for which in ("cost_usd", "days")
        for part in ("plan", "p10", "p50", "p90")
    }
    before, after = old.missing_prices(name), new.missing_prices(name)
    status, differs = "added" if one is None else "removed", True
    if one is not None and other is not None:
        differs = (
            any(not figure.same for figure in figures.values())
            or sorted(before) != sorted(after)
            or any(one[key] != other[key] for key in ("feasible", "complete"))
            or any(line.status != "same" for line in _bill(old, new, name, name).lines)
        )
        status = "changed" if differs else "same"
        if one["feasible"] != other["feasible"]:
            status = "now feasible" if other["feasible"] else "no longer feasible"
    return ScenarioChange(
        id=name,
        status=status,
        rank_before=old.ranks.get(name),
        rank_after=new.ranks.get(name),
        why_not_before=tuple(one["why_not"]) if one else (),
        why_not_after=tuple(other["why_not"]) if other else (),
        cost_usd=figures["cost_usd", "plan"],
        cost_p90_usd=figures["cost_usd", "p90"],
        days=figures["days", "plan"],
        days_p90=figures["days", "p90"],
        unpriced_before=before,
        unpriced_after=after,
        differs=differs,
    )


def _assumed(document: Document) -> dict[str, Any]:
    facts = ("value", "low", "high", "unit")
    return {entry["key"]: {fact: entry[fact] for fact in facts} for entry in document["assumptions"]}


def _flat(value: Any, path: tuple[str | int, ...] = ()) -> dict[str, Any]:
    """Every value of a plan by its path, as in `--set`; a list of plain values is one value."""
    parts: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, Mapping):
        parts = value.items()
    elif isinstance(value, list) and any(isinstance(part, Mapping) for part in value):
        parts = enumerate(value)
    found = {key: inner for part, below in parts for key, inner in _flat(below, (*path, part)).items()}
    # an empty section is not a value, so that filling it does not look like removing a key
    return found or ({} if isinstance(value, Mapping) or not path else {path_text(path): value})


def _values(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[ValueChange, ...]:
    keys = dict.fromkeys([*before, *after])
    return tuple(
        ValueChange(key=key, before=before.get(key), after=after.get(key))
        for key in keys
        if before.get(key) != after.get(key)
    )


def _models(before: Side, after: Side) -> Iterable[str]:
    """Notes if figures may differ because the model does."""
    if before.model_sha256 == after.model_sha256:
        return
    for side, name in ((before, "before"), (after, "after")):
        if side.model_sha256 is None:
            yield change_notes.unknown_model(name)
    if before.model_sha256 and after.model_sha256:
        yield change_notes.other_model(
            (before.planner_version, before.model_sha256), (after.planner_version, after.model_sha256)
        )


def _notes(old: _Document, new: _Document, rows: Sequence[ScenarioChange]) -> Iterable[str]:
    """What a reader must know to judge the difference."""
    drawn = [(side.document["seed"], side.document.get("draws")) for side in (old, new)]
    if drawn[0] != drawn[1]:
        yield change_notes.OTHER_DRAWS
    yield from _models(_side(old.document), _side(new.document))
    both = [row for row in rows if row.cost_usd.before is not None and row.cost_usd.after is not None]
    bounds = sum(row.cost_usd.change is None for row in both)
    if bounds:
        yield change_notes.bounds(bounds, len(both))
    without = sum(COMPUTE in {*old.lines_missing(row.id), *new.lines_missing(row.id)} for row in rows)
    if without:
        yield change_notes.without_node_price(without)
    if any(row.cost_p90_usd.before_is_floor or row.cost_p90_usd.after_is_floor for row in both if row.cost_usd.change):
        yield change_notes.P90_IS_FLOOR
    for side, name in ((old, "before"), (new, "after")):
        if side.document["prices"].get("intact") is False:
            yield change_notes.edited_book(name)
    same_inputs = all(old.document[part]["sha256"] == new.document[part]["sha256"] for part in ("plan", "prices"))
    if same_inputs and drawn[0] == drawn[1] and any(row.differs for row in rows):
        yield change_notes.OTHER_VERSION
