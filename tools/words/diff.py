"""The keys of `planner diff -f json`."""

from __future__ import annotations

from tools.words.word import PLANNER, VERSION, Word, word


def _side(path: str, which: str) -> list[Word]:
    return [
        word(path, "object", f"origin of the figures of {which}"),
        word(f"{path}.planner_version", "text?", "version of the planner; null if an older version saved the file"),
        word(f"{path}.model_sha256", "sha256?", "hash of the model's source; null if an older version saved the file"),
        word(f"{path}.plan_name", "text", "name of the run in the plan"),
        word(f"{path}.plan_sha256", "sha256", "hash of the resolved plan in canonical form"),
        word(f"{path}.prices_as_of", "day", "day of the price book"),
        word(f"{path}.prices_age_days", "integer?", "age of the book on --as-of or the plan's start", "days"),
        word(f"{path}.prices_sha256", "sha256", "hash of the price book"),
        word(f"{path}.seed", "count", "seed of the draws"),
        word(f"{path}.draws", "count?", "simulated outcomes (draws) of the assumptions", "draws"),
    ]


def _figure(path: str, what: str, unit: str) -> list[Word]:
    return [
        word(path, "object", what),
        word(f"{path}.before", "number?", "in A; null if A has none", unit),
        word(f"{path}.after", "number?", "in B; null if B has none", unit),
        word(f"{path}.before_is_floor", "flag", "whether A's figure is a lower bound because a price is missing"),
        word(f"{path}.after_is_floor", "flag", "whether B's figure is a lower bound"),
        word(f"{path}.change", "number?", "after minus before; null unless it is exact", unit),
        word(f"{path}.change_at_least", "number?", "smallest possible change; null if unknown", unit),
        word(f"{path}.change_at_most", "number?", "largest possible change; null if unknown", unit),
    ]


def _assumed(path: str, which: str) -> list[Word]:
    return [
        word(path, "object?", f"in {which}; null if {which} does not use it"),
        word(f"{path}.value", "number", "central value", "see unit"),
        word(f"{path}.low", "number", "5th percentile", "see unit"),
        word(f"{path}.high", "number", "95th percentile", "see unit"),
        word(f"{path}.unit", "text", "unit of the three values"),
    ]


_ROW, _BILL, _LINE = "scenarios[]", "bills[]", "bills[].lines[]"

KEYS: tuple[Word, ...] = (
    VERSION,
    *PLANNER,
    *_side("before", "A"),
    *_side("after", "B"),
    word("different", "flag", "whether anything but dates, sources and notes differs; --exit-code reports it"),
    word("best_before", "text?", "id of the scenario with the lowest planned cost in A; null if none is complete"),
    word("best_after", "text?", "the same in B"),
    *_figure("best_cost_usd", "planned cost of the two", "USD"),
    *_figure("best_cost_p90_usd", "P90 of their cost", "USD"),
    *_figure("best_days", "their planned length", "days"),
    word(
        "safest_before",
        "text?",
        "id of the scenario with the lowest P90 in A among those that finish; null if there is none",
    ),
    word("safest_after", "text?", "the same in B"),
    *_figure("safest_cost_p90_usd", "P90 of their cost", "USD"),
    word("scenarios", "objects", "every scenario of A or B, also those that did not change"),
    word(f"{_ROW}.id", "text", "layout[+variant]/instance_type[xN]/purchase"),
    word(
        f"{_ROW}.status",
        "same | changed | added | removed | now feasible | no longer feasible",
        "change from A to B",
    ),
    word(f"{_ROW}.rank_before", "count?", "rank in A; null if A does not have it"),
    word(f"{_ROW}.rank_after", "count?", "rank in B"),
    word(f"{_ROW}.why_not_before", "texts", "why it is not feasible in A, each reason a sentence"),
    word(f"{_ROW}.why_not_after", "texts", "the same in B"),
    *_figure(f"{_ROW}.cost_usd", "planned cost", "USD"),
    *_figure(f"{_ROW}.cost_p90_usd", "P90 of the cost", "USD"),
    *_figure(f"{_ROW}.days", "planned length", "days"),
    *_figure(f"{_ROW}.days_p90", "P90 of the length", "days"),
    word(f"{_ROW}.unpriced_before", "texts", "names of its lines without a price in A"),
    word(f"{_ROW}.unpriced_after", "texts", "the same in B"),
    word(f"{_ROW}.differs", "flag", "whether it differs, as counted by `different`"),
    word("bills", "objects", "bills line by line: of both recommended scenarios, and of those named with --scenario"),
    word(f"{_BILL}.before", "text", "id of the scenario in A"),
    word(f"{_BILL}.after", "text", "id of the scenario in B"),
    word(f"{_BILL}.exact", "flag", "whether known_change_usd is the change of the total: every line has a price"),
    word(f"{_BILL}.known_change_usd", "number", "change of the lines with a price: sum of the next six", "USD"),
    word(f"{_BILL}.quantity_effect_usd", "number", "change due to quantities", "USD"),
    word(f"{_BILL}.price_effect_usd", "number", "change due to prices", "USD"),
    word(f"{_BILL}.added_usd", "number", "change due to lines that A does not have", "USD"),
    word(f"{_BILL}.removed_usd", "number", "change due to lines that B does not have", "USD"),
    word(f"{_BILL}.price_found_usd", "number", "change due to lines that have a price only in B", "USD"),
    word(f"{_BILL}.price_lost_usd", "number", "change due to lines that have a price only in A", "USD"),
    word(f"{_BILL}.lines", "objects", "lines of either bill"),
    word(f"{_LINE}.line", "text", "name of the line"),
    word(f"{_LINE}.unit", "text", "its pricing unit"),
    word(f"{_LINE}.status", "same | changed | added | removed | price found | price lost", "change from A to B"),
    word(f"{_LINE}.quantity_before", "number?", "number of units in A", "see unit"),
    word(f"{_LINE}.quantity_after", "number?", "number of units in B", "see unit"),
    word(f"{_LINE}.unit_price_before_usd", "number?", "effective price of one unit in A", "USD per unit"),
    word(f"{_LINE}.unit_price_after_usd", "number?", "effective price of one unit in B", "USD per unit"),
    word(f"{_LINE}.price_date_before", "text?", "day of A's price"),
    word(f"{_LINE}.price_date_after", "text?", "day of B's price"),
    word(f"{_LINE}.cost_before_usd", "number?", "effective cost in A", "USD"),
    word(f"{_LINE}.cost_after_usd", "number?", "effective cost in B", "USD"),
    word(f"{_LINE}.change_usd", "number", "cost in B minus cost in A", "USD"),
    word(f"{_LINE}.quantity_effect_usd", "number?", "change due to the quantity", "USD"),
    word(f"{_LINE}.price_effect_usd", "number?", "change due to the price", "USD"),
    word(f"{_BILL}.unpriced_before", "texts", "names of the lines without a price in A"),
    word(f"{_BILL}.unpriced_after", "texts", "the same in B"),
    word("assumptions", "objects", "assumptions that changed"),
    word("assumptions[].key", "text", "the assumption"),
    *_assumed("assumptions[].before", "A"),
    *_assumed("assumptions[].after", "B"),
    word("plan_keys", "objects?", "what changed in the plan; null unless both sides are plans"),
    word("plan_keys[].key", "text", "path of the value, as in --set"),
    word("plan_keys[].before", "any", "the value in A; null if there is none"),
    word("plan_keys[].after", "any", "the value in B"),
    word("notes", "texts", "notes on the difference, such as different price books"),
)
