"""The calc verb as a person meets it: an equation by hand, prices from a book, and what it says of a slip."""

from __future__ import annotations

import json
import shlex

import pytest
from click.testing import CliRunner

from planner.cli.calc import command
from planner.cli.calc_inputs import sample
from planner.errors import ExitCode, UsageProblem
from planner.models.catalogue import all_equations
from pricing.book import PriceBook, default_book
from pricing.offers import PurchaseOption

PRICES = {
    "price:p4d.24xlarge": lambda book: book.on_demand("p4d.24xlarge", "us-east-1"),
    "price:p4d.24xlarge@us-west-2": lambda book: book.on_demand("p4d.24xlarge", "us-west-2"),
    "price:p4d.24xlarge/spot": lambda book: book.spot("p4d.24xlarge", "us-east-1").planned,
    "price:p5.48xlarge/capacity-block@us-west-2": lambda book: book.capacity_block("p5.48xlarge", "us-west-2").price,
    "price:p4d.24xlarge/ri-1y-standard-no-upfront": lambda book: (
        book.commitment("p4d.24xlarge", "us-east-1", PurchaseOption.parse("ri-1y-standard-no-upfront")).price
    ),
}


def calc(*words: str) -> str:
    done = CliRunner().invoke(command, list(words), catch_exceptions=False, standalone_mode=False)
    return done.stdout


@pytest.fixture(scope="module")
def book() -> PriceBook:
    return default_book()


def test_a_product_by_hand():
    found = json.loads(calc("C1", "node_hours=10", "usd_per_hour=2.5", "-f", "json"))
    assert found["result"] == 25.0


@pytest.mark.parametrize("text", PRICES)
def test_a_price_is_the_books(text, book):
    price = PRICES[text](book)
    found = json.loads(calc("C1", "node_hours=1", f"usd_per_hour={text}", "-f", "json"))
    assert found["result"] == pytest.approx(price.usd, rel=1e-12)
    said = calc("C1", "node_hours=1", f"usd_per_hour={text}")
    assert f"observed {price.observed}, grade {price.grade}, book of {book.as_of}" in " ".join(said.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("instance-cst",), "did you mean instance-cost"),
        (("C999",), "--list"),
        (("C1", "node_hours=1", "usd_per_hour=price:"), "no instance type: write price:p4d.24xlarge"),
        (("C1", "node_hours=1", "usd_per_hour=price:/spot"), "no instance type"),
        (("C1", "node_hours=1", "usd_per_hour=price:p4d.24xlarge/spott"), "did you mean spot?"),
        (("C1", "node_hours=1", "usd_per_hour=price:p4d.24xlarge/zzz"), "`planner offers p4d.24xlarge`"),
        (("C1", "node_hours=1", "usd_per_hour=price:p4d.24xlrage"), "nearest: p4d.24xlarge"),
        (("C1", "node_hours=1", "usd_per_hour=price:p4d.24xlarge@us-est-1"), "nearest: p4d.24xlarge in us-east-1"),
    ],
)
def test_a_slip_says_what_to_write(words, said):
    with pytest.raises(UsageProblem, match=said.replace(".", r"\.")) as caught:
        CliRunner().invoke(command, list(words), catch_exceptions=False, standalone_mode=False)
    assert caught.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize("entry", all_equations(), ids=lambda entry: entry.number)
def test_what_is_missing_is_told_with_a_whole_command_that_runs(entry):
    """Of every equation: what stands behind "like this" gives a result."""
    needed = [p for p in entry.parameters if p.default is None]
    if len(needed) < 2:
        return
    first = f"{needed[0].name}={sample(needed[0])}"
    with pytest.raises(UsageProblem) as problem:
        calc(entry.number, first)
    said = str(problem.value)
    assert f"{needed[1].name} [{needed[1].unit}] is missing" in said
    command_line = shlex.split(said.partition("like this: ")[2].splitlines()[0])
    assert command_line[:4] == ["planner", "calc", entry.number, first]
    assert calc(*command_line[2:]).startswith(f"{entry.number} {entry.name}")
