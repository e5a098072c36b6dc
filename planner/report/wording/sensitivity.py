"""What is said of a sensitivity study: what the cost depends on, what changes the ranking, how probable that is."""

from __future__ import annotations

import math
from collections.abc import Sequence

from planner.decide.comparison import Comparison
from planner.decide.leaders import rank_of
from planner.decide.probability import LowerCostProbability
from planner.decide.sensitivity import End, Swing
from planner.decide.study import Study
from planner.estimate.result import Scenario
from planner.report.wording import alternatives, figures, rounding
from planner.report.wording.break_evens import INFEASIBLE, short_id, unmoved, value
from planner.report.wording.spoken_choice import spoken_id

WHAT_IT_DEPENDS_ON = (
    "What it depends on: recalculated at the low and the high end of each assumption, the others as planned"
)
WHAT_WOULD_CHANGE = "What would change the choice."
NOTHING_CHANGES_IT = "nothing: no assumption with a range changes it"
TRY_ONE = "To try such a value:"
NO_DRAWS = "Probability: no outcomes were simulated (--draws 0), so there are no shares."


def title(comparison: Comparison, study: Study) -> str:
    """Which scenario is studied, its planned figures, and how many plans were priced."""
    scenario = study.scenario
    assert scenario.cost_usd is not None and scenario.days is not None  # noqa: PT018  a study has a priced scenario
    return (
        f"{alternatives.named(comparison, scenario)}: ${figures.dollars(scenario.cost_usd.plan)} planned in "
        f"{figures.days(scenario.days.plan)} days; {figures.many(study.plans_priced, 'plan')} priced for this page"
    )


def unit(of: str) -> str:
    return "$" if of == "cost_usd" else "days"


def at_end(end: End, of: str) -> str:
    """The scenario's cost or days with an assumption at one of its ends."""
    if end.cost_usd is None or end.days is None:
        return INFEASIBLE
    return figures.dollars(end.cost_usd) if of == "cost_usd" else figures.days(end.days)


def ends(swing: Swing, of: str) -> list[str]:
    """Both ends of an assumption, as a record has them."""
    return [
        f"{which} {value(swing.parameter, end.at)}: {unit(of)} {at_end(end, of)}"
        for which, end in (("low", swing.low), ("high", swing.high))
    ]


def changes(study: Study, swing: Swing) -> str:
    """At which ends another scenario is recommended."""
    planned = study.searches[0].planned.id or None
    found = [which for which, end in (("low", swing.low), ("high", swing.high)) if end.first != planned]
    return "at " + " and ".join(found) if found else "no"


def left_out(smaller: int, unchanged: int) -> list[str]:
    """What the table does not show: assumptions with a smaller effect, and those without any."""
    found = [f"... and {smaller} with a smaller effect (--top 0 shows all)"] if smaller else []
    verb = "has" if unchanged == 1 else "have"
    found += [f"{figures.many(unchanged, 'assumption')} with a range {verb} no effect on it"] if unchanged else []
    return found


def unchanged(study: Study) -> str:
    """What was tried without changing the decision."""
    entries = unmoved(study)
    if not entries:
        return "Every number that was tried changes it at some value."
    names = "1 more number does" if len(entries) == 1 else f"{len(entries)} more numbers do"
    return f"{names} not change it at either end, where everything is decided again (-f json lists them)."


def pair(comparison: Comparison, odds: LowerCostProbability, fleet: str) -> str:
    """Two scenarios, draw by draw."""
    a, b = (spoken_id(one, place=not fleet) for one in (odds.a, odds.b))
    same = f", the same in {odds.same_fraction:.1%}" if odds.same_fraction else ""
    a = a[:1].upper() + a[1:]
    return (
        f"{a} costs less than {b} in {odds.below_fraction:.1%} of {comparison.draws:,} simulated outcomes{same}. In "
        f"the median outcome it {_saves(odds.saves_usd_p50)}; at P10 it {_saves(odds.saves_usd_p10)}, at P90 it "
        f"{_saves(odds.saves_usd_p90)}."
    )


def _saves(usd: float) -> str:
    size = figures.dollars(abs(usd))
    return f"saves ${size}" if usd >= 0 else f"costs ${size} more"


def how_often(comparison: Comparison) -> str:
    return f"How often each is the cheapest, in {comparison.draws:,} simulated outcomes with everything varied at once"


def cheapest_shares(found: Sequence[Scenario]) -> list[str]:
    """How often each is the cheapest, to a tenth of a percent; they add up to 100% where they are all of it."""
    fractions = [s.cheapest_fraction or 0.0 for s in found]
    rest = 1 - math.fsum(fractions)
    return rounding.percents([*fractions, rest] if rest > 1e-9 else fractions, 1)[: len(found)]


def likely(comparison: Comparison, scenario: Scenario, share: str, fleet: str) -> str:
    """`62.4%  #4 s3-stream, spot: misses the deadline in 19% of the outcomes`."""
    name = f"#{rank_of(comparison, scenario)} {short_id(scenario.id, fleet)}"
    return f"{share:>6}  {name}: {alternatives.beside(comparison, scenario)}"
