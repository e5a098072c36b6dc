"""The keys of `planner sensitivity -f json`."""

from __future__ import annotations

from tools.words.word import AWS, PLANNER, VERSION, Word, word


def _end(path: str, which: str) -> list[Word]:
    return [
        word(path, "object", f"recalculated with the assumption at its {which} percentile"),
        word(f"{path}.value", "number", "value of the assumption; for a random quantity its percentile", "see unit"),
        word(f"{path}.cost_usd", "number?", "cost of the scenario; null if it is not feasible", "USD"),
        word(f"{path}.days", "number?", "its length", "days"),
        word(f"{path}.first", "text?", "id of the cheapest scenario; null if none is feasible"),
    ]


KEYS: tuple[Word, ...] = (
    VERSION,
    *PLANNER,
    word("plan", "object", "the varied plan"),
    word("plan.name", "text", "name of the run in the plan"),
    word("plan.sha256", "sha256", "hash of the resolved plan in canonical form, after --set; not of the file"),
    word("plan.region", "text", "AWS Region of the run", whose=AWS),
    word("prices", "object", "the price book of all prices"),
    word("prices.as_of", "day", "day of the price book"),
    word("prices.sha256", "sha256", "hash of the price book"),
    word("seed", "count", "seed of the draws"),
    word("draws", "count", "simulated outcomes (draws) of the assumptions, the same for every scenario", "draws"),
    word("scenario", "text", "id of the scenario that the swings are about"),
    word("cost_usd", "number", "its planned cost", "USD"),
    word("days", "number", "its planned length", "days"),
    word("swings", "objects", "each assumption and its effect on the scenario, the largest in dollars first"),
    word(
        "swings[].key",
        "text",
        "the assumption's key in the plan's section assumptions, or the name of a random quantity",
    ),
    word("swings[].unit", "text", "unit of its values"),
    word("swings[].planned", "number?", "its central value; null for a random quantity", "see unit"),
    *_end("swings[].low", "5th"),
    *_end("swings[].high", "95th"),
    word(
        "swings[].of",
        "text",
        "what low and high are: plan: the planned figures; p50: the middle of the outcomes, of people's time, which no "
        "plan has; mean: over the outcomes, of a worker pool",
    ),
    word("swings[].source", "text", "source of its range"),
    word("leader", "text?", "id of what is recommended as planned; null if nothing is"),
    word(
        "searches",
        "objects",
        "each assumption that has a value, and the values at which another scenario becomes the recommended one",
    ),
    word("searches[].key", "text", "the assumption"),
    word("searches[].unit", "text", "unit of its values"),
    word("searches[].planned", "number", "its central value", "see unit"),
    word("searches[].tried_from", "number", "the lowest value that was tried", "see unit"),
    word("searches[].tried_to", "number", "the highest value that was tried", "see unit"),
    word("searches[].plans_priced", "count", "number of values that were tried", "plans"),
    *(
        word(
            f"searches[].block_days_at_{end}",
            "number?",
            f"length of the Capacity Block that is recommended at the {end} end; null without one",
            "days",
        )
        for end in ("low", "high")
    ),
    word("searches[].flips", "objects", "the nearest change of the recommendation on each side of the planned value"),
    word("searches[].flips[].value", "number", "at this value `first` is recommended", "see unit"),
    word("searches[].flips[].keeps", "number", "up to this value `before` is recommended", "see unit"),
    word("searches[].flips[].before", "text?", "id of what is recommended as planned; null if nothing is"),
    word("searches[].flips[].first", "text?", "id of what is recommended at `value`; null if nothing is"),
    word("searches[].flips[].first_cost_usd", "number?", "what `first` costs at `value`", "USD"),
    word("searches[].flips[].inside_range", "flag", "whether `value` is between the 5th and the 95th percentile"),
    word("searches[].flips[].set", "text", "option for `planner compare` to show it: --set assumptions.KEY=VALUE"),
    word("odds", "objects", "scenarios by how often they are the cheapest, down to 1 in 2,000 draws"),
    word("odds[].scenario", "text", "id of the scenario"),
    word("odds[].cheapest_fraction", "fraction", "share of the draws in which it is the cheapest", "fraction"),
    word(
        "odds[].below_best_fraction",
        "fraction?",
        "share in which it costs less than the scenario that ranks first",
        "fraction",
    ),
    word("pair", "object?", "two scenarios compared draw by draw; null without --against"),
    word("pair.a", "text", "id of the first scenario"),
    word("pair.b", "text", "id of the second scenario"),
    word("pair.below_fraction", "fraction", "share of the draws in which `a` costs less", "fraction"),
    word("pair.same_fraction", "fraction", "share in which both cost the same, or neither finishes", "fraction"),
    word("pair.above_fraction", "fraction", "share in which `a` costs more", "fraction"),
    word("pair.saves_usd", "object", "how much `a` saves compared with `b`; negative if it costs more"),
    word("pair.saves_usd.p10", "number?", "10 % of the draws are below", "USD"),
    word("pair.saves_usd.p50", "number?", "half of the draws are below", "USD"),
    word("pair.saves_usd.p90", "number?", "10 % of the draws are above", "USD"),
)
