"""The keys of `planner optimize -f json`."""

from __future__ import annotations

from tools.words.word import AWS, PLANNER, VERSION, Word, spread, word


def _point(path: str) -> list[Word]:
    """A choice with its fleet."""
    return [
        word(f"{path}.id", "text", "id of the choice; it does not say the spares"),
        word(f"{path}.nodes", "count", "paid GPU nodes, spares included", "nodes"),
        word(f"{path}.spares", "count", "how many of them are spare", "nodes"),
        word(f"{path}.days", "object", "length of the run"),
        *spread(f"{path}.days", "days", "length of the run"),
        word(f"{path}.cost_usd", "object", "cost of the finished run"),
        *spread(f"{path}.cost_usd", "USD before tax", "cost of the finished run"),
        word(f"{path}.deployable", "flag", "whether a stack can be deployed as it was priced"),
        word(f"{path}.why_not_deployable", "text", "why it cannot; empty if it can"),
        word(f"{path}.unproven", "text", "why nobody can count on its figures, and it is not recommended; or empty"),
    ]


KEYS: tuple[Word, ...] = (
    VERSION,
    *PLANNER,
    word("plan", "object", "the plan that was searched"),
    word("plan.name", "text", "name of the run in the plan"),
    word("plan.sha256", "sha256", "hash of the resolved plan in canonical form, after --set; not of the file"),
    word("plan.region", "text", "AWS Region of the run", whose=AWS),
    word("prices", "object", "the price book of all prices"),
    word("prices.as_of", "day", "day of the price book"),
    word("prices.age_days", "integer?", "age of the book on --as-of or the plan's start; null without either", "days"),
    word("prices.sha256", "sha256", "hash of the price book"),
    word("prices.intact", "flag", "whether the book is unchanged since it was built"),
    word("seed", "count", "seed of the draws"),
    word("draws", "count", "simulated outcomes (draws) of the assumptions, the same for every choice", "draws"),
    word("minimize", "cost | time", "what was minimized"),
    word("searched", "object", "the fleets that were priced"),
    word("searched.low", "count", "the lowest node count", "nodes"),
    word("searched.high", "count", "the highest node count; every one between is priced too", "nodes"),
    word("searched.stated", "flag", "whether the plan gives the range; else it lies around the plan's node count"),
    word("searched.most_spares", "count", "spare nodes, from 0 to this number", "nodes"),
    word("answer", "object", "what is recommended, by which rule, and what else to consider"),
    word("answer.rule", "object", "the decision rule"),
    word("answer.rule.confidence", "fraction", "share of the draws that must keep the limits", "fraction"),
    word("answer.rule.rank_by", "p50 | p90 | mean | planned", "the cost by which eligible choices rank"),
    word("answer.rule.limit_days", "number?", "days allowed to the recommended or else the nearest choice", "days"),
    word("answer.rule.limit_basis", "text?", "whether the limit is the plan's or assumed"),
    word("answer.recommended", "text?", "id of the recommended choice; null if none is eligible and deployable"),
    word("answer.reason", "text", "why, in sentences"),
    word("answer.tied", "texts", "always empty: `compare` with answer.set names the choices that tie on its fleet"),
    word("answer.alternatives", "objects", "at most two other choices to consider"),
    word("answer.alternatives[].id", "text", "id of the choice"),
    word(
        "answer.alternatives[].kind",
        "cheaper-if | shorter-if | safest",
        "cheaper or, where time is minimized, shorter under a condition; or with the lowest P90",
    ),
    word("answer.alternatives[].condition", "text", "what makes it the better choice, in a sentence"),
    word("answer.proposals", "texts", "always empty: spares and node counts are searched"),
    word("answer.steps", "texts", "always empty: `compare` with answer.set prices phases that speed up later ones"),
    word("answer.electricity", "null", "always null: `compare` with answer.set has it"),
    word("answer.best", "object?", "the recommended choice; null without one"),
    *_point("answer.best"),
    word("answer.cheapest", "object?", "the eligible choice with the lowest cost, deployable or not; null without one"),
    *_point("answer.cheapest"),
    word("answer.set", "texts", "path=value of its fleet, as in --set; empty without a recommended choice"),
    word("frontier", "objects", "eligible choices that none beats in both cost and time, the shortest run first"),
    *_point("frontier[]"),
    word("rejected", "objects", "each layout, purchase family and instance type that is not recommended"),
    word("rejected[].kind", "layout | purchase | type", "what the family is"),
    word("rejected[].family", "text", "its id: fsx-lustre, capacity-block, ri, p5.48xlarge"),
    word("rejected[].name", "text", "its name"),
    word("rejected[].why", "text", "the reason against its best choice"),
    word("rejected[].best", "text", "id of its best choice"),
    word("evaluated", "count", "choices of the grid, each priced in all draws or excluded by its commitment's cost"),
)
