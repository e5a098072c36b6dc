"""The keys of `planner sensitivity -f json`."""

from __future__ import annotations

from tools.words.word import AWS, PLANNER, VERSION, Word, word


def _end(path: str, which: str) -> list[Word]:
    return [
        word(path, "object", f"planned again with the assumption at its {which} percentile"),
        word(f"{path}.value", "number", "where the assumption stood; of a stream of draws its percentile", "see unit"),
        word(f"{path}.cost_usd", "number?", "what the scenario costs then; null where it is not feasible", "USD"),
        word(f"{path}.days", "number?", "how long it takes then", "days"),
        word(f"{path}.first", "text?", "id of the scenario that is the cheapest then; null: none is feasible"),
    ]


KEYS: tuple[Word, ...] = (
    VERSION,
    *PLANNER,
    word("plan", "object", "the plan that was varied"),
    word("plan.name", "text", "name of the run, as the plan has it"),
    word("plan.sha256", "sha256", "hash of the resolved plan in canonical form, after --set; not of the file"),
    word("plan.region", "text", "AWS Region of the run", whose=AWS),
    word("prices", "object", "the price book behind every price"),
    word("prices.as_of", "day", "day of the price book"),
    word("prices.sha256", "sha256", "hash of the price book"),
    word("seed", "count", "seed of the draws"),
    word("draws", "count", "draws over the assumptions, the same for every scenario", "draws"),
    word("scenario", "text", "id of the scenario whose figures the swings are"),
    word("cost_usd", "number", "its planned cost", "USD"),
    word("days", "number", "its planned length", "days"),
    word("swings", "objects", "each assumption and what it does to the scenario, the widest in dollars first"),
    word("swings[].key", "text", "the assumption, as the plan's section assumptions takes it, or a stream of draws"),
    word("swings[].unit", "text", "unit of its values"),
    word("swings[].planned", "number?", "its central value; null for a stream of draws", "see unit"),
    *_end("swings[].low", "5th"),
    *_end("swings[].high", "95th"),
    word("swings[].source", "text", "where its range comes from"),
    word("leader", "text", "id of the cheapest scenario as planned"),
    word("searches", "objects", "each assumption that has a value, and where another scenario becomes the cheapest"),
    word("searches[].key", "text", "the assumption"),
    word("searches[].unit", "text", "unit of its values"),
    word("searches[].planned", "number", "its central value", "see unit"),
    word("searches[].tried_from", "number", "the lowest value that was planned with", "see unit"),
    word("searches[].tried_to", "number", "the highest value that was planned with", "see unit"),
    word("searches[].plans_priced", "count", "how many values were planned with", "plans"),
    word("searches[].flips", "objects", "each change of the cheapest, by its distance from the planned value"),
    word("searches[].flips[].value", "number", "from here on, away from the planned value, it is `first`", "see unit"),
    word("searches[].flips[].keeps", "number", "up to here it is `before`", "see unit"),
    word("searches[].flips[].before", "text?", "id of the cheapest up to `keeps`; null: none is feasible"),
    word("searches[].flips[].first", "text?", "id of the cheapest from `value` on; null: none is feasible"),
    word("searches[].flips[].first_cost_usd", "number?", "what `first` costs at `value`", "USD"),
    word("searches[].flips[].before_cost_usd", "number?", "what `before` costs at `value`", "USD"),
    word("searches[].flips[].inside_range", "flag", "whether `value` lies between the 5th and the 95th percentile"),
    word("searches[].flips[].set", "text", "option with which `planner compare` shows it: --set assumptions.KEY=VALUE"),
    word("unsearched", "texts", "streams of draws that were not searched: no one value of them can be planned with"),
    word("odds", "objects", "scenarios by how often they are the cheapest, down to one draw in two thousand"),
    word("odds[].scenario", "text", "id of the scenario"),
    word("odds[].cheapest_fraction", "fraction", "share of the draws in which it costs least of all", "fraction"),
    word("odds[].below_best_fraction", "fraction?", "share in which it costs less than the lowest plan", "fraction"),
    word("pair", "object?", "two scenarios draw by draw; null without --against"),
    word("pair.a", "text", "id of the one"),
    word("pair.b", "text", "id of the other"),
    word("pair.below_fraction", "fraction", "share of the draws in which a costs less", "fraction"),
    word("pair.same_fraction", "fraction", "share in which both cost the same, or neither ends", "fraction"),
    word("pair.above_fraction", "fraction", "share in which a costs more", "fraction"),
    word("pair.saves_usd", "object", "what a saves against b; below zero it costs more"),
    word("pair.saves_usd.p10", "number?", "one draw in ten is below", "USD"),
    word("pair.saves_usd.p50", "number?", "half of the draws are below", "USD"),
    word("pair.saves_usd.p90", "number?", "one draw in ten is above", "USD"),
)
