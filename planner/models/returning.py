"""G: spot with a way back: a gang that goes On-Demand while spot is gone for long, and returns (patient progress).

Spot is there for U hours on average and gone for D, both exponential. The rule (fleet_pool.slurm.patient) waits in a
gap as long as the time that is left allows, so that it uses the slack up evenly; what follows from that is here, and
`planner simulate` replays the rule itself.
"""

from __future__ import annotations

import numpy as np

from planner.models.equation import equation
from planner.models.number import Number

LONGEST_PROOF = 20.0  # of a proof by the mean time that spot is there: a market in which no gang ever returns


@equation(
    "G37",
    "held-for-proof-hours",
    units={"up_hours": "h", "down_hours": "h", "changeover_hours": "h"},
    result_unit="h",
    source="derived here: proof p = changeover / share of the time with spot; each try of it is exponential",
    steps=(
        "proof = changeover_hours * (up_hours + down_hours) / up_hours",
        "result = up_hours * (exp(min(proof / up_hours, 20)) - 1)",
    ),
)
def held_for_proof_hours(*, up_hours: Number, down_hours: Number, changeover_hours: Number) -> Number:
    """Hours that spot nodes are there, and billed, while the gang is On-Demand and waits for spot to prove itself.

    Spot has to last p hours, on schedule one changeover by the share of the time with spot. A try lasts U hours on
    average; with exp(p / U) tries, U (exp(p / U) - 1) hours are seen until one has lasted p.
    """
    proof = changeover_hours * (up_hours + down_hours) / up_hours
    return up_hours * np.expm1(np.minimum(proof / up_hours, LONGEST_PROOF))


@equation(
    "G38",
    "on-demand-spell-hours",
    units={"up_hours": "h", "down_hours": "h", "held_hours": "h"},
    result_unit="h",
    source="derived here: the rest of the gap, and one more gap after each try of spot that did not last",
    steps=("result = down_hours * (held_hours / up_hours + 1) + held_hours",),
)
def on_demand_spell_hours(*, up_hours: Number, down_hours: Number, held_hours: Number) -> Number:
    """Mean hours that a gang stays On-Demand once it has gone there. held_hours: while spot proves itself (G37).

    exp(p / U) = held / U + 1 gaps of D hours each, the first of which has begun, and the tries of spot between them.
    """
    return down_hours * (held_hours / up_hours + 1) + held_hours


@equation(
    "G39",
    "times-on-demand",
    units={
        "up_hours": "h",
        "down_hours": "h",
        "changeover_hours": "h",
        "spell_hours": "h",
        "spot_training_hours": "h",
        "on_demand_training_hours": "h",
        "limit_hours": "h",
    },
    result_unit="times",
    source="derived here: as many gaps are left as the limit needs, so that work and time end together",
    steps=(
        "cycle = up_hours + down_hours",
        "limit = max(limit_hours - 2 * changeover_hours, on_demand_training_hours)",
        "missing = cycle * on_demand_training_hours * max(1 - limit / spot_training_hours, 0)",
        "gained = limit * (spell_hours - changeover_hours) - on_demand_training_hours * (spell_hours - down_hours)",
        "left = min(missing / max(gained, 1e-9), 1)",
        "work = on_demand_training_hours * cycle / spot_training_hours",
        "result = left * on_demand_training_hours / (work + left * max(spell_hours - changeover_hours, 0))",
    ),
)
def times_on_demand(
    *,
    up_hours: Number,
    down_hours: Number,
    changeover_hours: Number,
    spell_hours: Number,
    spot_training_hours: Number,
    on_demand_training_hours: Number,
    limit_hours: Number,
) -> Number:
    """How often a gang goes On-Demand in a run. limit_hours: for training. Training hours: of all the work, on each
    kind of nodes.

    A cycle of U + D hours on spot does On-Demand work of W / S of itself; a gap that is left adds E - D hours and the
    work of E - c. The share of gaps that is left makes work and time end together; 0 where spot alone is in time, 1
    where even all gaps are not enough. Two changeovers of the limit are never planned away.

    Limits: right where a run has many gaps; within 7 % of the replayed rule in dollars.
    """
    cycle = up_hours + down_hours
    limit = np.maximum(limit_hours - 2 * changeover_hours, on_demand_training_hours)
    missing = cycle * on_demand_training_hours * np.maximum(1 - limit / spot_training_hours, 0.0)
    gained = limit * (spell_hours - changeover_hours) - on_demand_training_hours * (spell_hours - down_hours)
    left = np.minimum(missing / np.maximum(gained, 1e-9), 1.0)
    work = on_demand_training_hours * cycle / spot_training_hours
    return left * on_demand_training_hours / (work + left * np.maximum(spell_hours - changeover_hours, 0.0))
