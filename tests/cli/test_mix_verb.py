"""`planner mix`: a card to decide by, the same as JSON, and mistakes said in one sentence."""

from __future__ import annotations

import builtins
import json
from datetime import datetime, timedelta

import numpy as np
import pytest
from click.testing import CliRunner

from planner.cli.main import command as planner
from pricing.book import default_book


@pytest.fixture(scope="module")
def demand(tmp_path_factory):
    """Four weeks of two types, the first in part interruptible."""
    rng, first = np.random.default_rng(4), datetime(2026, 9, 1)
    lines = ["hour,instance_type,instances,interruptible"]
    for hour in range(672):
        at = (first + timedelta(hours=hour)).isoformat() + "Z"
        day = 1 + 0.3 * np.sin(hour / 24 * 2 * np.pi)
        lines.append(f"{at},p4d.24xlarge,{round(20 * day + rng.normal(0, 2))},2")
        lines.append(f"{at},p5.48xlarge,{round(12 * day + rng.normal(0, 1))},0")
    path = tmp_path_factory.mktemp("mix") / "demand.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def run(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(planner, ["mix", *words])
    assert done.exit_code == code or (code and done.exception), done.output
    return str(done.exception or "") + done.output if code else done.stdout


@pytest.fixture(scope="module")
def document(demand):
    return json.loads(run(demand, "--draws", "30", "-f", "json"))


def test_the_document_adds_up(document):
    bought, cost = document["buy_now"], document["cost_usd"]
    assert bought
    assert {one["unit"] for one in bought} <= {"instances", "usd_per_hour"}
    assert cost["p10"] < cost["p50"] < cost["p90"] < document["on_demand_usd"]["p90"]
    assert sum(one["usd"] for one in bought) < cost["p10"]
    assert all(cost["p50"] <= other["p50"] * (1 + 1e-12) for other in document["baselines"].values())
    past = document["past"]
    assert past["bound_usd"] <= past["best_usd"] <= min(past["baselines_usd"].values()) * (1 + 1e-12)
    assert past["over_bound"] < 1e-3
    assert document["prices"]["sha256"] == default_book().sha256


def test_a_plan_covers_what_it_takes_from_its_dollars(document):
    """On-Demand alone, by hand from the file: the hours of no change times the price, between the ends of the draws."""
    book, hours = default_book(), 8_760
    p4d, p5 = (book.on_demand(name, "us-east-1").usd for name in ("p4d.24xlarge", "p5.48xlarge"))
    spot = book.spot("p4d.24xlarge", "us-east-1").planned.usd
    middle = hours * (18 * p4d + 12 * p5 + 2 * spot)
    assert document["on_demand_usd"]["p10"] < middle < document["on_demand_usd"]["p90"]


def test_the_card_fits_a_screen_and_says_what_is_not_known(demand):
    card = run(demand, "--draws", "30")
    lines = card.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    for words in ("Buy now", "Decide later", "On-Demand", "With hindsight", "Not known:", "Prices as of"):
        assert words in card


def test_a_term_paid_upfront_says_what_is_due_and_what_lies_after_the_year(demand):
    found = json.loads(run(demand, "--draws", "20", "--years", "3", "--upfront", "all", "-f", "json"))
    bought = sum(one["usd"] for one in found["buy_now"])
    assert found["due_at_purchase_usd"] == pytest.approx(3 * bought)
    later = sum(one["usd"] * (36 / one["months"] - 1) for one in found["decide_later"])
    assert found["owed_after_the_year_usd"] == pytest.approx(2 * bought + later)
    assert any("Years 2 and 3 are not judged" in text for text in found["not_known"])


def test_the_same_seed_gives_the_same_document(demand, document):
    assert json.loads(run(demand, "--draws", "30", "-f", "json")) == document


def test_what_is_owned_is_not_bought_again(demand, document):
    owned = json.loads(run(demand, "--draws", "30", "-f", "json", "--owned", "sp-compute=5000"))
    assert sum(one["usd"] for one in owned["buy_now"]) < sum(one["usd"] for one in document["buy_now"])
    assert any("own already" in text for text in owned["not_known"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--change", "50..-30"), "--change 50..-30: write two percentages"),
        (("--region", "mars-1"), "no price in mars-1"),
        (("--owned", "ri:p4d=1"), "--owned ri:p4d=1: write"),
    ],
)
def test_mistakes_say_what_to_write(demand, words, said):
    assert said in run(demand, *words, code=2)


def test_less_than_a_week_is_refused(tmp_path):
    (tmp_path / "short.csv").write_text("hour,instance_type,instances\n2026-01-31T13:00Z,p4d.24xlarge,3\n")
    assert "at least a week" in run(str(tmp_path / "short.csv"), code=2)


def test_without_the_solver_the_extra_is_named(demand, monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "highspy":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    assert "[mix]" in run(demand, code=2)
