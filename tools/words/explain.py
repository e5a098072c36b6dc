"""The keys of `planner explain -f json`: scenarios, numbers of a scenario, one number, or a line without a price."""

from __future__ import annotations

from tools.words.word import PLANNER, VERSION, Word, spread, word

_HEAD: tuple[Word, ...] = (
    VERSION,
    *PLANNER,
    word("plan", "text", "name of the run in the plan"),
)
_PLACE: tuple[Word, ...] = (
    *_HEAD,
    word("scenario", "text", "id of the scenario"),
    word("rank", "count", "rank in the comparison"),
    word("feasible", "flag", "whether limits, sizes and offers allow it"),
    word("why_not", "texts", "why it is not feasible, each reason a sentence"),
)


def _number(path: str) -> list[Word]:
    """A number and its derivation."""
    return [
        word(f"{path}id", "text", "name of the number, as in `planner explain`"),
        word(f"{path}value", "given", "the number; inf for a range without an end", "see unit"),
        word(f"{path}unit", "text", "its unit"),
        word(f"{path}equation", "equation?", "number of its equation, see docs/model.md; null if there is none"),
        word(
            f"{path}how",
            "text?",
            "arithmetic over the inputs, or the source of the number; null if it has an equation",
        ),
        word(f"{path}steps", "texts", "the equation, step by step, with numbers"),
        word(f"{path}calc", "text?", "command that repeats the calculation; null without an equation"),
        word(f"{path}inputs", "objects", "inputs of the calculation"),
        word(f"{path}inputs[].name", "text", "name of the input in the equation"),
        word(f"{path}inputs[].value", "given", "its value", "see unit"),
        word(f"{path}inputs[].unit", "text", "its unit"),
        word(f"{path}inputs[].origin", "text", "source of the value: plan:, assumption:, price:, run:, fact: ..."),
        word(f"{path}inputs[].words", "text", "the source as text, with file and line, or with source and date"),
    ]


def _runs(path: str) -> list[Word]:
    late = "; null if too many are late"
    return [
        word(f"{path}.mean", "number?", f"mean of USD or days{late}", "see unit"),
        *(word(f"{path}.p{n}", "number?", f"{n}th percentile{late}", "see unit") for n in (10, 50, 90)),
    ]


SCENARIOS: tuple[Word, ...] = (
    *_HEAD,
    word("scenarios", "objects", "all scenarios by rank"),
    word("scenarios[].rank", "count", "rank in the comparison"),
    word("scenarios[].id", "text", "layout[+variant]/instance_type[xN]/purchase"),
    word("scenarios[].feasible", "flag", "whether limits, sizes and offers allow it"),
    word("scenarios[].complete", "flag", "whether every line has a price"),
)
NUMBERS: tuple[Word, ...] = (
    *_PLACE,
    word("numbers", "objects", "every number of the scenario"),
    word("numbers[].id", "text", "its name, as in `planner explain`"),
    word("numbers[].value", "given", "the number", "see unit"),
    word("numbers[].unit", "text", "its unit"),
    word("numbers[].lower_bound", "flag", "whether it is a lower bound because a price is missing"),
    word("unpriced", "texts", "names of the lines without a price"),
)
NUMBER: tuple[Word, ...] = (
    *_PLACE,
    *_number(""),
    word(
        "lower_bound", "text?", "the missing prices that make it a lower bound without a range; null if none is missing"
    ),
    word("behind", "objects", "every number that it depends on, each once, the nearest first"),
    *_number("behind[]."),
    word("draws", "object?", "its range; null without draws, for a lower bound, and if it does not vary"),
    *spread("draws", "see unit", "the number"),
    word("moved", "text", "name of the number that the movers change; for an assumption, the planned cost"),
    word(
        "movers", "objects", "assumptions by how much they change it, recalculated at the low and the high end of each"
    ),
    word("movers[].key", "text", "the assumption"),
    word("movers[].unit", "text", "unit of its values"),
    word("movers[].low", "number", "its 5th percentile; 0.05 for a random quantity without a key", "see unit"),
    word("movers[].value", "number", "its central value", "see unit"),
    word("movers[].high", "number", "its 95th percentile; 0.95 for a random quantity without a key", "see unit"),
    word("movers[].low_means", "text?", "meaning of the 5th percentile of a random quantity: a price, a rate"),
    word("movers[].high_means", "text?", "the same for the 95th percentile"),
    word("movers[].set", "text?", "path for --set; null for a random quantity without a key"),
    word("movers[].at_low", "number?", "the number with the assumption at `low`; null if there is none", "see unit"),
    word("movers[].at_high", "number?", "the number with the assumption at `high`", "see unit"),
    word("simulated", "object?", "cost and days of spot with fallback: simulated runs by its rule; null for all else"),
    word("simulated.runs", "count", "how many runs, each in the market of a draw, everything else as planned"),
    word("simulated.closed_form", "object?", "the model's own figures in the same markets"),
    *_runs("simulated.closed_form"),
    word("simulated.rule", "object?", "what the runs came to"),
    *_runs("simulated.rule"),
)
UNPRICED: tuple[Word, ...] = (
    *_PLACE,
    word("id", "text", "name of the line"),
    word("value", "null", "always null: there is no price"),
    word("unit", "= USD", "unit of the line"),
    word("unpriced", "object", "what is missing"),
    word("unpriced.what", "text", "what has no price"),
    word("unpriced.nearest", "texts", "similar things that have a price"),
)
