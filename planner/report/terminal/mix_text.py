"""The mix of commitments in a terminal, as a card to decide by."""

from __future__ import annotations

import numpy as np

from planner.mix.advice import Purchase
from planner.mix.answer import Mix
from planner.report.wording.figures import many, usd
from planner.report.wording.mix import amount, due_now, is_owned, not_known, thing
from planner.report.wording.wrapping import for_terminal, wrap
from pricing.book import PriceBook

ROW = "   "  # begins a line of a table, which is not wrapped
MOST = 5  # purchases on the card
RANKED = {"p50": "the least median cost (P50)", "p90": "the least cost that 9 of 10 outcomes stay below (P90)"}


def render(found: Mix, book: PriceBook, *, width: int, ascii_only: bool) -> str:
    """The card in lines of at most `width` cells."""
    parts = [*_now(found), "", *_later(found), "", *_costs(found), "", *_past(found), "", *_unknown(found)]
    parts.append(f"Prices as of {book.as_of}, {found.asked.region}, USD list price before tax.")
    lines: list[str] = []
    for part in parts:
        lines += [part] if not part or part.startswith(ROW) else wrap(part, width, "    ")
    text = "\n".join(lines) + "\n"
    return for_terminal(text, ascii_only)


def _now(found: Mix) -> list[str]:
    demand, bought = found.demand, [one for one in found.advice.purchases if one.month == 0 and not is_owned(one)]
    head = f"Commitments for {many(demand.hours, 'hour')} of {many(len(demand.firm), 'type')}"
    if not bought:
        return [f"{head}: buy nothing now. On-Demand{' and spot' * bool(demand.interruptible)} costs least."]
    saving = np.quantile(1 - found.advice.costs / found.advice.on_demand, [0.1, 0.5, 0.9])
    share = f"{saving[1]:.0%} less than On-Demand ({saving[0]:.0%} to {saving[2]:.0%})"
    largest = sorted(bought, key=lambda one: -one.usd)
    rest = f"  {many(len(bought) - MOST, 'smaller purchase')} more: -f json" if len(bought) > MOST else ""
    return [
        f"{head}. Buy now, for {share}:",
        *(f"  {_purchase(one)}" for one in largest[:MOST]),
        *[rest] * bool(rest),
        *_due(found),
    ]


def _due(found: Mix) -> list[str]:
    due = due_now(found)
    about = "about " if found.asked.upfront == "partial" else ""
    return [f"  Paid at once: {about}{usd(due)}."] if due else []


def _purchase(one: Purchase) -> str:
    use = f", {one.used:.0%} used" if one.used is not None else ""
    return f"{amount(one)}: {thing(one)}; {usd(one.usd)} in 12 months{use}"


def _later(found: Mix) -> list[str]:
    later = [one for one in found.advice.purchases if one.month]
    if not later:
        return ["Later: nothing is expected; look again each month."]
    said = [f"month {one.month + 1} {amount(one)} ({thing(one).split(':')[0].split(',')[0]})" for one in later[:4]]
    more = f"; {len(later) - 4} more in JSON" if len(later) > 4 else ""
    return [f"Decide later, each month on what has happened; expected: {'; '.join(said)}{more}."]


def _costs(found: Mix) -> list[str]:
    advice = found.advice
    rows = [("", ("P10", "P50", "P90")), ("this mix", _three(advice.costs)), ("On-Demand", _three(advice.on_demand))]
    lines = [f"Cost of the next 12 months over {len(advice.costs)} outcomes; {RANKED[found.asked.rank_by]}:"]
    lines += [f"{ROW}{name:<12}{''.join(f'{cell:>10}' for cell in cells)}".rstrip() for name, cells in rows]
    share = {"p50": 0.5, "p90": 0.9}[found.asked.rank_by]
    own = np.quantile(advice.costs, share)
    others = {name: np.quantile(costs, share) / own - 1 for name, costs in advice.others.items() if name != "on-demand"}
    others["best for the mean demand"] = np.quantile(advice.mean_optimum, share) / own - 1
    said = ", ".join(f"{name} {over:+.2%}" for name, over in sorted(others.items(), key=lambda pair: pair[1]))
    return [*lines, f"  Simpler rules instead: {said}."]


def _three(costs: np.ndarray) -> tuple[str, ...]:
    return tuple(usd(float(value)) for value in np.quantile(costs, [0.1, 0.5, 0.9]))


def _past(found: Mix) -> list[str]:
    past = found.past
    if not past.lower:
        return ["In the hours of the file nothing had to be paid."]
    known = {name: past.others[name] for name in ("on-demand", "best plan", "60-day look-back") if name in past.others}
    over = ", ".join(f"{name} {cost / past.cost - 1:+.1%}" for name, cost in known.items())
    proof = max(past.cost / past.lower - 1, 0.0)
    return [
        f"With hindsight, the last {past.hours:,} hours of the file cost {usd(past.cost)} at best, by AWS's order of "
        f"application; proven: no mix saves more than another {proof:.4%}. Others: {over}."
    ]


def _unknown(found: Mix) -> list[str]:
    return ["Not known:", *(f"  - {text}" for text in not_known(found))]
