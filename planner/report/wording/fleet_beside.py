"""Other places for a fleet's data, its nodes owned, and what spot could save, in words."""

from __future__ import annotations

from planner.fleet.result import FleetComparison, Spot, Stored
from planner.plan.wording import listed
from planner.report.wording import figures
from planner.report.wording.table import Column

LAYOUTS = {
    "converged": "the nodes' drives",
    "fsx-lustre": "FSx for Lustre",
    "separate-nvme": "a separate cluster",
}


def places(found: FleetComparison) -> str:
    """What other places for the hot data cost at least, in a sentence; "" without hot data."""
    said = []
    for layout in dict.fromkeys(one.layout for one in found.stored):
        prices = [one.usd for one in found.stored if one.layout == layout and one.usd is not None]
        if layout != found.plan.storage.layout and prices:
            least = f"{'from ' if len(prices) > 1 else ''}{figures.usd(min(prices))}" if any(prices) else "on no bill"
            said.append(f"on {LAYOUTS[layout]}: {least}")
    return f"Hot data {'; '.join(said)}." if said else ""


def place_columns(found: FleetComparison) -> list[Column]:
    """Each place, what it holds, and what it costs over the plan's months."""
    rows, months = found.stored, found.plan.run.months
    return [
        Column(title="Where hot data is", values=[_named(one) for one in rows], text=True),
        Column(title="Holds TB", values=[f"{one.usable_tb:,.0f}" for one in rows]),
        Column(title=f"$ in {months} months", values=["-" if one.usd is None else _usd(one.usd) for one in rows]),
        Column(
            title="$/TB-month",
            values=["-" if one.usd is None else f"{one.usd / one.usable_tb / months:,.2f}" for one in rows],
        ),
    ]


def _usd(value: float) -> str:
    return figures.dollars(value) if value else "0"


def _named(one: Stored) -> str:
    return f"{LAYOUTS[one.layout]}{f', {one.detail}' if one.detail else ''}"


def place_notes(found: FleetComparison) -> list[str]:
    """What the table does not say."""
    said = ["Beside it S3 keeps all data in every case. Whether a place reads fast enough, a training plan checks."]
    if found.plan.purchase.idle == "release" and any(one.layout == "converged" for one in found.stored):
        said.append(
            "Idle On-Demand nodes are released, and their drives with them: the cache is sure on committed nodes alone."
        )
    return said


def owned(found: FleetComparison) -> list[str]:
    """The same nodes, owned."""
    one, best = found.owned, found.best
    if one is None or best is None or best.cost_usd is None:
        return []
    months = figures.many(found.plan.run.months, "month")
    return [
        f"The same nodes, owned: {figures.usd(one.usd.p50)} over {months} ({figures.usd(one.usd.p10)} to "
        f"{figures.usd(one.usd.p90)}) in loss of value and electricity, beside {figures.usd(best.cost_usd.p50)} on "
        f"AWS. {figures.usd(one.purchase_usd.p50)} is paid before, and the nodes are yours afterwards.",
        f"Not in it: building, staff, spare parts, and what jobs would need beyond these nodes. They run jobs "
        f"{figures.percent(one.utilisation)} of the time.",
    ]


def spot(one: Spot) -> list[str]:
    """At most what, what interruptions leave of it, and why it is no choice."""
    saved = one.saved_usd
    left = (
        f"saves {figures.usd(saved.p50)} ({figures.usd(saved.p10)} to {figures.usd(saved.p90)})"
        if saved.p10 >= 0
        else f"costs {figures.usd(-saved.p50)} more"
        if saved.p50 < 0
        else f"saves {figures.usd(saved.p50)}, or costs up to {figures.usd(-saved.p10)} more,"
    )
    return [
        f"{listed(one.projects, 3)} may be interrupted: {one.node_hours:,.0f} node-hours, on spot "
        f"${one.usd_per_node_hour:.2f} each. That saves at most {figures.usd(one.most_usd)}, if spot were always there "
        "and all of these hours were On-Demand before.",
        f"With {one.interruptions_per_day:.0f} interruptions of a job a day, as were seen where spot is scarce, it "
        f"{left} against On-Demand, and these jobs take {one.elapsed_factor:.1f} times as long.",
        "It is no choice of this fleet: nobody says how many spot nodes of these types there are, so no wait can be "
        "promised with them. `planner mix` buys hours with spot; `planner simulate` of a training plan replays a gang.",
    ]
