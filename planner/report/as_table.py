"""A comparison in a terminal: one screen at 80 columns, more columns where there is room."""

from __future__ import annotations

import io

from planner.decide.result import Comparison, Scenario
from planner.report.words import answer, days, dollars, span

WIDE = 120  # from here on there is room for ranges of days, goodput and storage


def render(
    comparison: Comparison, *, width: int, colour: bool, ascii_only: bool, top: int, plan_path: str = "PLAN"
) -> str:
    """The comparison as text of at most `width` columns (at least 60)."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    out = io.StringIO()
    console = Console(
        file=out,
        width=max(width, 60),
        force_terminal=colour,
        no_color=not colour,
        color_system="standard" if colour else None,
        legacy_windows=False,
        highlight=False,
        emoji=False,
        markup=False,
    )
    console.print(Text(_heading(comparison)), overflow="ellipsis", no_wrap=True)
    feasible = [s for s in comparison.scenarios if s.feasible]
    shown = feasible[: top or None]
    wide = width >= WIDE
    table = Table(box=box.ASCII if ascii_only else box.SIMPLE_HEAD, pad_edge=False, show_edge=False, expand=False)
    for title, numeric in _columns(wide):
        table.add_column(
            title,
            justify="right" if numeric else "left",
            no_wrap=True,
            overflow="ellipsis",
            ratio=None,
        )
    for rank, scenario in enumerate(shown, 1):
        table.add_row(*_row(rank, scenario, wide), style="bold" if colour and rank == 1 else None)
    if shown:
        console.print(table)
    if len(shown) < len(feasible):
        console.print(f"... and {len(feasible) - len(shown)} more, dearer or incomplete: --top 0 shows all")
    for sentence in answer(comparison):
        console.print(Text(sentence))
    _infeasible(console, comparison)
    _caveats(console, comparison, shown)
    console.print(f"Bills, sources, pictures: planner report {plan_path} -o report.html", soft_wrap=True)
    text = out.getvalue()
    text = "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
    return text.encode("ascii", "replace").decode() if ascii_only else text


def _heading(comparison: Comparison) -> str:
    prices = comparison.prices
    age = f" ({prices.age_days} days old)" if prices.age_days is not None else ""
    name = " ".join(comparison.plan_name.split())
    return f"{name} | {comparison.region} | prices {prices.as_of}{age} | {comparison.draws:,} draws, seed {comparison.seed}"


def _columns(wide: bool) -> list[tuple[str, bool]]:
    columns = [("#", True), ("Layout", False), ("Nodes", False), ("Buy", False), ("Days", True)]
    if wide:
        columns += [("P10-P90", True)]
    columns += [("Cost $", True), ("P10-P90 $", True), ("$/GPU-h", True)]
    if wide:
        columns += [("Useful", True), ("Usable TB", True), ("Read/need GB/s", True), ("$/TB-month", True)]
    return columns


def _row(rank: int, scenario: Scenario, wide: bool) -> list[str]:
    assert scenario.cost_usd is not None
    assert scenario.days is not None
    assert scenario.usd_per_useful_gpu_hour is not None
    cost, run = scenario.cost_usd, scenario.days
    bound = "" if scenario.complete else ">="
    layout = f"{scenario.layout}+{scenario.variant}" if scenario.variant else scenario.layout
    row = [
        str(rank),
        layout,
        f"{scenario.nodes}x {scenario.instance_type.split('.')[0]}",
        scenario.purchase if wide else short_purchase(scenario.purchase),
        days(run.plan) + ("*" if scenario.extrapolated else ""),
    ]
    if wide:
        row.append(span(run, days))
    row += [bound + dollars(cost.plan), span(cost, dollars), bound + f"{scenario.usd_per_useful_gpu_hour.plan:.2f}"]
    if wide and scenario.goodput and scenario.storage:
        facts = scenario.storage
        row += [
            f"{scenario.goodput.useful_fraction:.1%}",
            "-" if facts.usable_tb is None else f"{facts.usable_tb:,.1f}",
            f"{facts.read_gb_per_s:,.1f}/{facts.required_read_gb_per_s:,.1f}",
            "-" if facts.usd_per_usable_tb_month is None else f"{facts.usd_per_usable_tb_month:,.2f}",
        ]
    return row


def short_purchase(purchase: str) -> str:
    """`ri-3y-standard-no-upfront` as it fits 80 columns: `RI 3y std`."""
    parts = purchase.split("-")
    if parts[0] not in ("ri", "sp"):
        return purchase
    kinds = {"standard": "std", "convertible": "conv", "instance": "inst", "compute": "comp"}
    upfront = {"no": "", "partial": " part", "all": " all"}[parts[3]]
    return f"{parts[0].upper()} {parts[1]} {kinds[parts[2]]}{upfront}"


def _infeasible(console, comparison: Comparison) -> None:
    from rich.text import Text

    reasons: dict[tuple[str, ...], list[str]] = {}
    for scenario in comparison.scenarios:
        if not scenario.feasible:
            reasons.setdefault(scenario.why_not, []).append(scenario.id)
    for why, ids in reasons.items():
        more = f" and {len(ids) - 1} more" if len(ids) > 1 else ""
        console.print(Text(f"Not feasible: {ids[0]}{more}: {'; '.join(why)}"))


def _caveats(console, comparison: Comparison, shown: list[Scenario]) -> None:
    from rich.text import Text

    unpriced: dict[str, int] = {}
    for scenario in comparison.scenarios:
        for entry in scenario.unpriced:
            near = f" (near: {entry.nearest[0]})" if entry.nearest else ""
            key = f"{entry.line}: no price for {entry.what}{near}"
            unpriced[key] = unpriced.get(key, 0) + 1
    for text, count in unpriced.items():
        console.print(Text(f"Unpriced, so a lower bound (>=) in {count} scenarios: {text}"))
    if any(scenario.extrapolated for scenario in shown):
        console.print("* beyond the measured rows of the throughput table: extrapolated, and the range is wider")
    for warning in shown[0].warnings if shown else ():
        console.print(Text(f"Note on #1: {warning}"))
    if comparison.stale:
        console.print(Text(f"Stale: {len(comparison.stale)} prices, such as {comparison.stale[0]}"))
    for note in comparison.notes:
        console.print(Text(f"Note: {note}"))
