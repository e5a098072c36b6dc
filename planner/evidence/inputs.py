"""Inputs of a case: `k=v; k=v` with results of other equations, uncertain values and alternatives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from planner.errors import UsageProblem
from planner.evidence.case import Case
from planner.models.catalogue import all_equations, find
from planner.models.equation import Equation, Parameter
from planner.models.inputs_in_text import number_in_text, price_in_text, read_assignments, value_in_text
from planner.models.number import Number
from planner.models.units import converted
from planner.models.values import Values
from planner.plan.assumptions import Assumption, default_assumptions
from planner.plan.wording import did_you_mean
from pricing.book import PriceBook
from pricing.opening import book_dates, open_book
from pricing.snapshot import BrokenBook

DRAWS = 20_000
SEED = 0
_NESTED = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\((.*)\)", re.DOTALL)
_UNCERTAIN = re.compile(r"(.+?)\.\.(.+?)\.\.(.+)")


class Unreadable(UsageProblem):
    """Inputs that name an equation or an input that does not exist: a mistake in the row, not a finding."""


class Refused(UsageProblem):
    """What an equation, a plan or a price book refuses to answer."""


@dataclass(frozen=True, kw_only=True)
class Computed:
    """The result of one set of inputs: at central values, and in draws where an input is uncertain."""

    planned: float
    draws: np.ndarray | None = None


def parted(text: str, mark: str) -> list[str]:
    """A text at every `mark` that is not inside brackets, without blank parts."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == mark and depth <= 0:
            parts.append(text[start:at])
            start = at + 1
    return [part.strip() for part in (*parts, text[start:]) if part.strip()]


def book_of(case: Case) -> PriceBook:
    """The price book that a case names. Raises Unreadable."""
    if not case.prices:
        raise Unreadable(
            "a price: without a price book, so the figure would change with every new book; "
            f"name its date in the column prices: {', '.join(map(str, book_dates()))}"
        )
    try:
        return open_book(case.prices)
    except (LookupError, ValueError, BrokenBook, FileNotFoundError) as error:
        known = ", ".join(map(str, book_dates()))
        raise Unreadable(f"prices {case.prices!r}: {error.args[0] if error.args else error}; known: {known}") from None


def equation_named(name: str) -> Equation:
    """Raises Unreadable that says what is near."""
    found = find(name)
    if found is None:
        near = did_you_mean(name, [entry.name for entry in all_equations()])
        raise Unreadable(f"there is no equation {name!r}: {near or '`planner calc --list` names them all'}")
    return found


class Inputs:
    """Reads and evaluates the equations of one case, at central values and in draws."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.uncertain: dict[str, Assumption] = {}

    def computed(self, name: str, text: str) -> Computed:
        """The result of an equation for inputs as text. Raises Unreadable or Refused."""
        entry = equation_named(name)
        planned, _ = self._result(entry, text, None)
        if not self.uncertain:
            return Computed(planned=float(planned))
        values = Values(table=self.uncertain, draws=DRAWS, seed=SEED, recording=False)
        drawn, _ = self._result(entry, text, values)
        return Computed(planned=float(planned), draws=np.broadcast_to(np.asarray(drawn, dtype=float), (DRAWS,)))

    def _result(self, entry: Equation, text: str, values: Values | None) -> tuple[Number, str]:
        """(result, its unit)."""
        inputs, faults, missing = read_assignments(
            entry, parted(text, ";"), lambda parameter, right: self._value(entry, parameter, right, values)
        )
        faults += [f"{p.name} [{p.unit}] is missing" for p in missing]
        if faults:
            raise Unreadable(f"{entry.number} {entry.name}: {'; '.join(faults)}")
        if values is None and entry.refuse and (why := entry.refuse(**inputs)):
            raise Refused(why)
        try:
            result = entry.function(**inputs)
        except TypeError as error:
            if values is None:
                raise Refused(str(error)) from error
            raise Unreadable(f"{entry.number} {entry.name} takes no uncertain input: {error}") from error
        except (ArithmeticError, ValueError) as error:
            raise Refused(f"{entry.name} cannot be evaluated there: {error}") from error
        # whole numbers multiply to whole numbers of any size, which numpy takes for objects
        result = result if isinstance(result, np.ndarray) else float(result)
        if not np.all(np.isfinite(result)):
            raise Refused(f"{entry.name} has no finite value there")
        return result, entry.result_unit

    def _value(self, entry: Equation, parameter: Parameter, text: str, values: Values | None) -> Any:
        """One input: a result of another equation, an uncertain value, a price or a plain value."""
        nested = _NESTED.fullmatch(text)
        if nested:
            inner = equation_named(nested[1])
            result, unit = self._result(inner, nested[2], values)
            return result if parameter.unit.endswith("quantity") else converted_all(result, unit, parameter.unit)
        if text.startswith("assumption:"):
            key = text.removeprefix("assumption:")
            return self._drawn(key, assumption_named(key), values)
        span = _UNCERTAIN.fullmatch(text)
        if span:
            low, middle, high = (float(number_in_text(part.strip(), parameter.unit)) for part in span.groups())
            if not low <= middle <= high:
                raise ValueError("write low..central..high")
            key = f"{entry.name}.{parameter.name}={text}"
            spread = Assumption(
                key=key, value=middle, low=low, high=high, unit=parameter.unit, year="", source=self.case.source
            )
            return self._drawn(key, spread, values)
        if text.startswith("price:"):
            return self._price(text.removeprefix("price:"))
        value, _ = value_in_text(parameter, text, lambda: book_of(self.case))
        return value

    def _drawn(self, key: str, assumption: Assumption, values: Values | None) -> Number:
        self.uncertain[key] = assumption
        return assumption.value if values is None else values[key]

    def _price(self, text: str) -> float:
        """A price of the case's book. Raises Refused if the case is of another time than the book."""
        usd, _ = price_in_text(text, book_of(self.case))
        then = _book_in_force(self.case)
        if then is None:
            return usd
        try:
            at_its_date, _ = price_in_text(text, then)
        except ValueError:
            return usd  # the earlier book does not have it, so nothing shows that it has changed
        if abs(usd / at_its_date - 1) > 0.005:
            raise Refused(
                f"prices of two eras: {text} is {at_its_date:g} USD/h in the book of {then.as_of} and {usd:g} in that"
                f" of {book_of(self.case).as_of}, but the figure is of {self.case.date}; use the prices of its time"
            )
        return usd


def _book_in_force(case: Case) -> PriceBook | None:
    """The book of the case's date: the newest before it, else the oldest; None without a date."""
    if case.date is None:
        return None
    earlier = [day for day in book_dates() if day <= case.date]
    return open_book(earlier[-1] if earlier else book_dates()[0])


def assumption_named(key: str) -> Assumption:
    """Raises Unreadable."""
    table = default_assumptions()
    if key not in table:
        near = did_you_mean(key, table)
        raise Unreadable(f"there is no assumption {key!r}: {near or 'planner/plan/assumptions.csv lists them'}")
    return table[key]


def converted_all(value: Number, unit: str, to: str) -> Number:
    """`converted` for draws too. Raises ValueError."""
    return value * converted(1.0, unit, to)


def alternatives(case: Case) -> Iterator[Case]:
    """The case once for each set of inputs between `|`."""
    for part in parted(case.inputs, "|") or [""]:
        yield replace(case, inputs=part)
