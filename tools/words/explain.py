"""The keys of `planner explain -f json`: the scenarios, the numbers of one, a number, or a line without a price."""

from __future__ import annotations

from tools.words.word import PLANNER, VERSION, Word, spread, word

_HEAD: tuple[Word, ...] = (
    VERSION,
    *PLANNER,
    word("plan", "text", "name of the run, as the plan has it"),
)
_PLACE: tuple[Word, ...] = (
    *_HEAD,
    word("scenario", "text", "id of the scenario"),
    word("rank", "count", "its place in the comparison"),
    word("feasible", "flag", "whether limits, sizes and offers allow it"),
    word("why_not", "texts", "why it is not feasible, each reason a sentence"),
)


def _number(path: str) -> list[Word]:
    """A number and how it came about."""
    return [
        word(f"{path}id", "text", "name of the number, as explain takes it"),
        word(f"{path}value", "given", "the number; inf is a bound that never ends", "see unit"),
        word(f"{path}unit", "text", "its unit"),
        word(f"{path}equation", "equation?", "number of its equation, see docs/model.md; null: read off or in words"),
        word(
            f"{path}how",
            "text?",
            "arithmetic over the inputs, or where the number is taken from; null: equation",
        ),
        word(f"{path}steps", "texts", "the equation step by step with its numbers"),
        word(f"{path}calc", "text?", "command that gives it again; null where it is no equation"),
        word(f"{path}inputs", "objects", "what it was made from"),
        word(f"{path}inputs[].name", "text", "name of the input, as the equation has it"),
        word(f"{path}inputs[].value", "given", "its value", "see unit"),
        word(f"{path}inputs[].unit", "text", "its unit"),
        word(f"{path}inputs[].origin", "text", "where it comes from: plan:, assumption:, price:, run:, fact: ..."),
        word(f"{path}inputs[].words", "text", "the same in words, with file and line, or source and date"),
    ]


SCENARIOS: tuple[Word, ...] = (
    *_HEAD,
    word("scenarios", "objects", "all of them by rank"),
    word("scenarios[].rank", "count", "its place in the comparison"),
    word("scenarios[].id", "text", "layout[+variant]/instance_type[xN]/purchase"),
    word("scenarios[].feasible", "flag", "whether limits, sizes and offers allow it"),
    word("scenarios[].complete", "flag", "whether every line has a price"),
)
NUMBERS: tuple[Word, ...] = (
    *_PLACE,
    word("numbers", "objects", "every number of the scenario"),
    word("numbers[].id", "text", "its name, as explain takes it"),
    word("numbers[].value", "given", "the number", "see unit"),
    word("numbers[].unit", "text", "its unit"),
    word("numbers[].lower_bound", "flag", "whether it lacks what has no price: at least so much"),
    word("unpriced", "texts", "names of the lines that have no price"),
)
NUMBER: tuple[Word, ...] = (
    *_PLACE,
    *_number(""),
    word("lower_bound", "text?", "which prices it lacks: at least so much, and no range; null: it lacks none"),
    word("behind", "objects", "every number that it rests on, each once, the nearest first"),
    *_number("behind[]."),
    word("draws", "object?", "its range; null where nothing was drawn, of a lower bound, or where it has none"),
    *spread("draws", "see unit", "the number"),
    word("moved", "text", "name of the number that the movers move; of an assumption the planned cost"),
    word("movers", "objects", "assumptions by how far they move it, each planned again at both of its ends"),
    word("movers[].key", "text", "the assumption"),
    word("movers[].unit", "text", "unit of its values"),
    word("movers[].low", "number", "its 5th percentile; of a stream of draws 0.05", "see unit"),
    word("movers[].value", "number", "its central value", "see unit"),
    word("movers[].high", "number", "its 95th percentile; of a stream of draws 0.95", "see unit"),
    word("movers[].low_means", "text?", "what the 5th percentile of a stream of draws is: a price, a rate"),
    word("movers[].high_means", "text?", "the same of its 95th percentile"),
    word("movers[].set", "text?", "path that --set takes; null for a stream of draws"),
    word("movers[].at_low", "number?", "the number with the assumption at `low`; null: there is none then", "see unit"),
    word("movers[].at_high", "number?", "the number with the assumption at `high`", "see unit"),
)
UNPRICED: tuple[Word, ...] = (
    *_PLACE,
    word("id", "text", "name of the line"),
    word("value", "null", "always null: there is no price"),
    word("unit", "= USD", "what the line would be in"),
    word("unpriced", "object", "what is missing"),
    word("unpriced.what", "text", "what has no price"),
    word("unpriced.nearest", "texts", "what has one and is near"),
)
