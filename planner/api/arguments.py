"""Arguments of the command line and of the Python interface, checked: days, numbers, scenarios. It loads no model."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from operator import index
from typing import TYPE_CHECKING, Any, TypeVar

from planner.errors import UsageProblem

if TYPE_CHECKING:
    from planner.answer.compared import Compared
    from planner.answer.row import Row


R = TypeVar("R", bound="Row")
T = TypeVar("T")
MAX_AGE_DAYS = 1_000_000


def day_of(text: str | date, option: str) -> date:
    """A day from YYYY-MM-DD. option: what gave it, for the message. Raises UsageProblem."""
    if isinstance(text, datetime):
        return text.date()
    if isinstance(text, date):
        return text
    try:
        return date.fromisoformat(text)
    except (TypeError, ValueError):
        raise UsageProblem(f"{option} {text!r} is not a day: write 2026-09-01") from None


def python_of(thing: object) -> Any:
    """The Python interface of the kind of a plan, or of a comparison's plan. Of anything else training's, which says
    what is wrong with it."""
    from planner.kinds.registry import TRAINING
    from planner.plan.load import Loaded

    loaded = thing if isinstance(thing, Loaded) else getattr(thing, "loaded", None)
    return (loaded.kind if isinstance(loaded, Loaded) else TRAINING).part("python")


def whole_number(value: Any, argument: str, most: int, least: int = 0) -> int:
    """A whole number from `least` to `most`, given as any numeric type. argument: its name. Raises UsageProblem."""
    try:
        number = int(value)
        if number == value and least <= number <= most:
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise UsageProblem(f"{argument} must be {least} to {most:,}, not {value!r}")


def age_limit(max_price_age_days: int | None) -> int | None:
    given = max_price_age_days
    return None if given is None else whole_number(given, "max_price_age_days", MAX_AGE_DAYS, 1)


def checked_comparison(value: object, caller: str) -> None:
    """Raises UsageProblem for what is no result of `planner.compare`. caller: the function that needs one."""
    from planner.decide.comparison import Comparison

    if not isinstance(value, Comparison):
        raise UsageProblem(
            f"{caller} needs a comparison, not {value!r}: comparison = planner.compare(planner.load(FILE))"
        )


def numbered(scenarios: Sequence[T], number: object) -> T:
    """The scenario of a number from 0. Raises IndexError; UsageProblem for what is no whole number."""
    try:
        return scenarios[index(number)]  # pyright: ignore[reportArgumentType]  anything else is the TypeError below
    except IndexError:
        raise IndexError(f"no scenario {number}: this comparison has {len(scenarios)}, counted from 0") from None
    except TypeError:
        raise UsageProblem(
            f"a scenario is named by id, rank or 'best', or by a number from 0, not by {number!r}"
        ) from None


def named(
    comparison: Compared[R],
    text: str,
    *,
    why: str = "`planner compare` says why",
    listing: str = "`planner explain PLAN` lists the ids",
) -> R:
    """The scenario of an id, of a rank (`3` or `#3`), `best` (the recommended one), `cheapest` or `safest`.

    why, listing: ends of the messages, which name the next command or expression. Raises UsageProblem.
    """
    from planner.plan.wording import did_you_mean

    if text == "best":
        if comparison.best is None:
            others = f"; the lowest planned cost is that of {comparison.cheapest.id}" if comparison.cheapest else ""
            raise UsageProblem(f"no scenario is recommended{others}: {why}")
        return comparison.best
    if text in ("cheapest", "safest"):
        found = comparison.cheapest if text == "cheapest" else comparison.safest
        if found is None:
            what = "both feasible and completely priced" if text == "cheapest" else "eligible"
            raise UsageProblem(f"no scenario is {what}, so none is the {text}: {why}")
        return found
    rank = text.removeprefix("#")
    if rank.isascii() and rank.isdigit() and 1 <= int(rank[:9]) <= len(comparison.scenarios):
        return comparison.scenarios[int(rank) - 1]
    found = next((s for s in comparison.scenarios if s.id == text), None)
    if found is None:
        near = did_you_mean(text, [s.id for s in comparison.scenarios])
        hint = near or f"ranks are 1 to {len(comparison.scenarios)}; {listing}"
        raise UsageProblem(f"no scenario {text!r}: {hint}")
    return found
