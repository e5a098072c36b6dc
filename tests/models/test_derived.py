"""Inputs with origins: units from the equation, values worked out from the very inputs that are named."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from planner.models import catalogue
from planner.models.compute import node_hours
from planner.models.derived import KINDS, PRICE, inputs_of, plain, steps_of
from planner.models.equation import numbered
from planner.models.formula import written
from planner.models.ledger import Ledger
from planner.models.sheet import UNRECORDED, Sheet
from planner.models.tiered_storage import storage_cost_curve, tiered_storage
from tests.builders import book_of

TIERS = ((0.0, 100.0, 0.10), (100.0, 1000.0, 0.05), (1000.0, float("inf"), 0.01))


def test_the_equation_says_the_unit_of_each_input():
    nodes, hours = inputs_of("C11", {"nodes": (4, "run:fleet.nodes"), "hours": (10.0, "run:run.hours")})
    assert (nodes.unit, nodes.kind, nodes.where) == ("nodes", "run", "fleet.nodes")
    assert (hours.unit, hours.value) == ("h", 10.0)
    assert {nodes.kind, hours.kind} <= set(KINDS)


def test_an_equation_is_worked_out_from_what_it_names():
    """3 nodes x (10 h - 2 h) = 24 node-hours."""
    sheet = Sheet()
    given = {"nodes": (3, "plan:fleet.nodes"), "hours": (10, "run:run.hours"), "unheld_hours": (2, "run:x")}
    value = sheet.equation("fleet.node_hours", node_hours, **given)
    (found,) = sheet.derived
    assert value == found.value == 24
    assert (found.unit, found.equation) == ("node-hours", "C11")
    assert numbered(found.equation).function(**found.arguments()) == found.value


def test_a_sheet_that_does_not_record_calculates_the_same():
    sheet = Sheet(recording=False)
    assert sheet.equation("x", node_hours, nodes=(3, "plan:a"), hours=(np.arange(2.0), "run:b"))[1] == 3
    assert sheet.taken("y", "h", own=(2.0, "plan:y")) == 2.0
    assert sheet.arithmetic("z", 4.0, "h", "2 * y", y=(2.0, "run:y", "h")) == 4.0
    sheet.statistic("p", 4.0, "h", "quantile(z, 0.5)", "the median")
    assert sheet.derived == UNRECORDED.derived == ()


def test_numbers_of_another_sheet_are_included_under_other_names():
    pool, sheet = Sheet(), Sheet()
    pool.taken("raw", "TB", drives=(8.0, "plan:drives"))
    pool.arithmetic("usable", 4.0, "TB", "raw / 2 * plan", raw=(8.0, "run:raw", "TB"), plan=(1.0, "plan:raw", ""))
    sheet.include(pool.derived, {"raw": "serving_raw"})
    raw, usable = sheet.derived
    assert (raw.id, usable.id) == ("serving_raw", "usable")
    assert [entry.origin for entry in usable.inputs] == ["run:serving_raw", "plan:raw"]


def test_an_input_that_the_equation_does_not_take_is_a_slip_of_ours():
    with pytest.raises(KeyError):
        inputs_of("C11", {"node": (3, "plan:fleet.nodes")})


def test_arithmetic_is_evaluated_on_its_inputs():
    sheet = Sheet()
    sheet.arithmetic("cost_usd", 3.0, "USD", "a + b", "both", a=(1.0, "run:a", "USD"), b=(2.0, "run:b", "h"))
    (found,) = sheet.derived
    assert [entry.unit for entry in found.inputs] == ["USD", "h"]
    assert steps_of(found) == ["result = a + b = 1 + 2 = 3"]
    assert found.source is None


def test_a_number_taken_as_it_is_has_the_unit_and_the_value_of_its_input():
    sheet = Sheet()
    assert sheet.taken("run.start", "YYYY-MM-DD", start=(date(2026, 10, 5), "plan:start")) == date(2026, 10, 5)
    (found,) = sheet.derived
    assert found.source is not None
    assert (found.source.value, found.source.unit, found.source.kind) == (found.value, found.unit, "plan")
    assert steps_of(found) == []


def test_a_number_is_taken_from_one_input_only():
    with pytest.raises(ValueError, match="too many values to unpack"):
        Sheet().taken("x", "h", a=(1.0, "plan:a"), b=(2.0, "plan:b"))


def test_a_statistic_of_draws_has_no_steps_on_central_values():
    sheet = Sheet()
    sheet.statistic("days.p90", 3.0, "days", "quantile(days, 0.9)", "P90", planned=(2.0, "run:days", "days"))
    (found,) = sheet.derived
    assert found.of_draws
    assert steps_of(found) == []


def test_reports_get_plain_numbers():
    day = date(2026, 10, 5)
    sheet = Sheet()
    inputs = {"a": (np.float64(1), "run:a", "h"), "b": (TIERS, "run:b", ""), "c": (day, "run:c", "")}
    sheet.arithmetic("x", np.float64(2), "h", "2 * a", **inputs)
    (found,) = plain(sheet.derived)
    assert type(found.value) is float
    assert [type(entry.value) for entry in found.inputs] == [float, tuple, date]


class TestLedger:
    def _lines(self, explained: bool):
        ledger = Ledger(book_of(), "us-east-1", sheet=Sheet(recording=explained))
        ledger.metered(
            "network.nat-gateway",
            ("AmazonVPC", "NAT gateway hour"),
            equation="T3",
            quantity=730.0,
            inputs={
                "count": (1, "rule:one"),
                "hours": (730.0, "run:run.hours"),
                "usd_per_hour": (None, PRICE),
            },
        )
        return ledger.lines

    def test_a_line_s_own_price_is_its_unit_price(self):
        (line,) = self._lines(True)
        price = next(entry for entry in line.inputs if entry.name == "usd_per_hour")
        assert price.value == line.effective_unit_price > 0
        assert price.origin == "price:network.nat-gateway"

    def test_draws_keep_no_inputs(self):
        (line,) = self._lines(False)
        assert line.inputs == ()


class TestTieredStorage:
    """150 GB from 2026-10-05: October has 27 days left, 648 h."""

    def test_one_month_by_hand(self):
        """150 x 648 / 744 = 130.65 GB-Mo: 100 at 0.10 and 30.65 at 0.05 = 11.5323 USD."""
        found = tiered_storage(stored_gb=150.0, tiers=TIERS, start=date(2026, 10, 5), hours=648.0)
        assert found == pytest.approx(100 * 0.10 + (150 * 648 / 744 - 100) * 0.05)

    def test_tiers_start_again_with_the_month(self):
        """November's 10 h begin in the first tier again: 150 x 10 / 720 GB-Mo at 0.10."""
        start = date(2026, 10, 5)
        october = tiered_storage(stored_gb=150.0, tiers=TIERS, start=start, hours=648.0)
        both = tiered_storage(stored_gb=150.0, tiers=TIERS, start=start, hours=658.0)
        assert both - october == pytest.approx(150 * 10 / 720 * 0.10)

    def test_what_lies_below_fills_the_first_tiers(self):
        """On top of 1,000 GB: 1,150 less 1,000 GB, each with its own tiers."""
        more = tiered_storage(stored_gb=150.0, tiers=TIERS, start=date(2026, 10, 1), hours=744.0, below_gb=1000.0)
        month = 1  # all of October
        by_hand = (1150 * month - 1000) * 0.01 + 900 * 0.05 - (1000 * month - 1000) * 0.01 - 900 * 0.05
        assert more == pytest.approx(by_hand)

    def test_steps_add_up_month_by_month(self):
        entry = numbered("T10")
        assert entry.show
        given = {"stored_gb": 150.0, "tiers": TIERS, "start": date(2026, 12, 5), "hours": 1500.0}
        steps = entry.show(**given)
        assert [step[:7] for step in steps[:-1]] == ["2026-12", "2027-01", "2027-02"]
        usd = [float(step.rsplit(":", 1)[1].split()[0]) for step in steps[:-1]]
        assert sum(usd) == pytest.approx(tiered_storage(**given), abs=0.02)

    def test_beyond_five_years_the_rest_is_one_step(self):
        entry = numbered("T10")
        assert entry.show
        given = {"stored_gb": 150.0, "tiers": TIERS, "start": date(2026, 12, 5), "hours": 60 * 744.0}
        assert entry.show(**given)[-2].startswith("later: ")
        curve = storage_cost_curve(stored_gb=150.0, tiers=TIERS, start=date(2026, 12, 5))
        assert tiered_storage(**given) > curve[1][-1]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1112.4, "1112.4"),
        (2.2e15, "2.2e+15"),
        (400, "400"),
        (date(2026, 10, 5), "2026-10-05"),
        (TIERS, "0:100:0.1,100:1000:0.05,1000:inf:0.01"),
        ([(8, 128.2), (16, 254.0)], "8:128.2,16:254"),
    ],
)
def test_inputs_as_calc_takes_them(value, text):
    assert written(value) == text


def test_a_number_finds_its_equation():
    assert all(numbered(entry.number) is entry for entry in catalogue.all_equations())
