"""Spot with fallback in a Slurm cluster: a run that goes On-Demand while spot is gone for long, and returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.estimate.stage import Stage
from planner.models.derived import Sourced
from planner.models.number import Number
from planner.models.returning import held_for_proof_hours, on_demand_spell_hours, times_on_demand
from planner.models.sheet import Sheet

LEAST_RATE = 1e-9  # an hour without any interruption


@dataclass(frozen=True, kw_only=True)
class Returns:
    """What patient progress needs to know of a run, as planned: its work On-Demand, the time that it has once its nodes
    are there, and what a start costs."""

    work_hours: float
    deadline_hours: float
    changeover_hours: float


@dataclass(frozen=True, kw_only=True)
class Course:
    """How a run divides between the markets. fraction: of the work on spot. spot_hours: on spot, waits included.
    unheld_hours: of these, those without a node to bill, mean over the nodes."""

    fraction: Sourced
    spot_hours: Number
    hours: Number
    unheld_hours: Number


def returning(
    spot: Stage, on_demand: Stage, changeover: Sourced, deadline: Sourced, prefix: str, sheet: Sheet
) -> Course:
    """By patient progress, in each draw at the constant rates of its market (equations G37 to G39).

    changeover: of a start On-Demand. deadline: hours that the run has, less a start. prefix: of the ids of
    the spot stage; that of the other is ON_DEMAND's.
    """
    rates = spot.interruptions.rates
    restart: Sourced = (spot.interruptions.restart_hours, "run:goodput.restart_hours")
    gang, nodes = rates.gang_rate, rates.node_reclaims
    up = sheet.arithmetic(
        "run.spot_up_hours",
        1 / np.maximum(gang[0] + nodes[0], LEAST_RATE),
        "h",
        "1 / max(gang_rate + node_reclaims, 10**-9)",
        "for which all nodes stay on spot, on average",
        gang_rate=(*gang, "1/h"),
        node_reclaims=(*nodes, "1/h"),
    )
    down = sheet.arithmetic(
        "run.spot_down_hours",
        np.where(np.asarray(gang[0]) > 0, rates.gang_wait[0], rates.node_wait[0])[()],
        "h",
        "gang_wait if gang_rate > 0 else node_wait",
        "until all are back, on average",
        gang_wait=(*rates.gang_wait, "h"),
        gang_rate=(*gang, "1/h"),
        node_wait=(*rates.node_wait, "h"),
    )
    ups: Sourced = (up, "run:run.spot_up_hours")
    downs: Sourced = (down, "run:run.spot_down_hours")
    held = sheet.equation(
        "run.proof_hours", held_for_proof_hours, up_hours=ups, down_hours=downs, changeover_hours=restart
    )
    proof: Sourced = (held, "run:run.proof_hours")
    spell = sheet.equation(
        "run.on_demand_spell_hours", on_demand_spell_hours, up_hours=ups, down_hours=downs, held_hours=proof
    )
    spells: Sourced = (spell, "run:run.on_demand_spell_hours")
    training: Sourced = (spot.training_hours, f"run:{prefix}run.training_hours")
    rest: Sourced = (on_demand.training_hours, "run:on_demand.run.training_hours")
    first = spot.market.first_wait
    limit = sheet.arithmetic(
        "run.training_limit_hours",
        deadline[0] - first[0],
        "h",
        "deadline - first_wait",
        deadline=(*deadline, "h"),
        first_wait=(*first, "h"),
    )
    times = sheet.equation(
        "run.times_on_demand",
        times_on_demand,
        up_hours=ups,
        down_hours=downs,
        changeover_hours=changeover,
        spell_hours=spells,
        spot_training_hours=training,
        on_demand_training_hours=rest,
        limit_hours=(limit, "run:run.training_limit_hours"),
    )
    moves = (times, "run:run.times_on_demand", "times")
    one = {"times": moves, "spell": (*spells, "h")}
    work = {**one, "changeover": (*changeover, "h"), "on_demand": (*rest, "h")}
    fraction = sheet.arithmetic(
        "run.spot_fraction",
        np.clip(1 - times * (spell - changeover[0]) / on_demand.training_hours, 0.0, 1.0),
        "fraction",
        "min(max(1 - times * (spell - changeover) / on_demand, 0), 1)",
        "of the work that is done on spot",
        **work,
    )
    share: Sourced = (fraction, "run:run.spot_fraction")
    start: Sourced = (spot.start_hours, "run:run.start_hours")
    hours = sheet.arithmetic(
        "run.hours",
        start[0] + fraction * training[0] + times * (spell - down),
        "h",
        "start + spot_fraction * spot + times * (spell - down)",
        "a spell On-Demand takes the place of the rest of a gap",
        start=(*start, "h"),
        spot_fraction=(*share, "fraction"),
        spot=(*training, "h"),
        down=(*downs, "h"),
        **one,
    )
    spot_hours = sheet.arithmetic(
        "run.spot_hours",
        np.maximum(hours - times * spell, 0.0),
        "h",
        "max(hours - times * spell, 0)",
        "the rest is On-Demand",
        hours=(hours, "run:run.hours", "h"),
        **one,
    )
    waits = (spot.unheld_hours, "run:run.unheld_training_hours")
    unheld = sheet.arithmetic(
        "fleet.unheld_hours",
        first[0] + np.maximum(fraction * waits[0] - times * down, 0.0) - times * held,
        "h",
        "first_wait + max(spot_fraction * unheld_training_hours - times * down, 0) - times * proof",
        "on spot without nodes to bill, less the spot nodes that are billed while they prove themselves",
        first_wait=(*first, "h"),
        spot_fraction=(*share, "fraction"),
        unheld_training_hours=(*waits, "h"),
        times=moves,
        down=(*downs, "h"),
        proof=(*proof, "h"),
    )
    return Course(fraction=share, spot_hours=spot_hours, hours=hours, unheld_hours=unheld)
