"""What is asked of a kind of plan: the plan and how to price it, who watches, and how the answer should look."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from datetime import date

    from planner.answer.gates import Violation
    from planner.plan.load import Loaded
    from pricing.book import PriceBook

# what a kind of plan does for more than a moment, as a person reads it
PRICING, SEARCHING = "Pricing the plan", "Pricing fleets"
STUDYING, REPLAYING = "Trying what would change the answer", "Replaying jobs"
Each = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]
Step = Callable[[], None]


@dataclass(frozen=True, kw_only=True)
class Ask:
    """A plan of any kind and how to price it. draws: None for as many as its kind takes by itself."""

    loaded: Loaded
    book: PriceBook
    draws: int | None = None
    seed: int = 0
    as_of: date | None = None
    max_price_age_days: int | None = None


class Watch:
    """Shows a person what is being done."""

    def each(self, what: str) -> AbstractContextManager[Each]:
        """Applies a function to many things, in several processes, and counts them."""
        raise NotImplementedError

    def steps(self, what: str, total: int) -> AbstractContextManager[Step]:
        """What is called after each of so many steps."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Look:
    """How an answer is written. width: cells of a line in a terminal. top: rows of a table, 0 for all, None for as many
    as fit. plan_path, again: the plan and its options as next commands name them. verbose: with assumptions.
    everything: with what is not eligible. gates: what they found, None where none was asked for. row: the choice of a
    format that has one alone. architecture: with a picture of the stack. of: what a study shows, "cost_usd" or "days".
    depth: levels of inputs, None for all. bills: of AWS, beside the plan.
    """

    width: int = 80
    colour: bool = False
    ascii_only: bool = False
    top: int | None = None
    plan_path: str = ""
    again: tuple[str, ...] = ()
    verbose: bool = False
    everything: bool = False
    gates: Sequence[Violation] | None = None
    row: str = "best"
    architecture: bool = True
    of: str = "cost_usd"
    depth: int | None = None
    bills: tuple[str, ...] = ()
