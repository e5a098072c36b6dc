"""An explanation on paper: fits its width, opens no number twice, survives hostile names, and JSON that adds up."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from planner.decide.compare import Request, compare
from planner.decide.explain import explain
from planner.models.derived import Input
from planner.report.data import explanation_json
from planner.report.data.encoding import json_text
from planner.report.terminal import explanation_text
from planner.report.wording.origins import command, describe, origin_index
from planner.report.wording.wrapping import cells
from tests.builders import book_of, plan_of
from tests.report.scenes import HOSTILE


@pytest.fixture(scope="module")
def found(request_, comparison):
    return explain(request_, comparison.scenarios[0], "fleet.compute")


def _render(comparison, found, width=80, depth=None, place=None):
    index = origin_index(comparison, found.scenario, found.known, place)
    return explanation_text.render(comparison, found, index, width=width, depth=depth)


@pytest.mark.parametrize("width", [40, 80, 160])
def test_no_line_is_wider_than_asked(comparison, found, width):
    text = _render(comparison, found, width)
    assert max(map(cells, text.splitlines())) <= width
    assert "C9 nodes-cost" in text


def test_the_tree_goes_down_to_plan_price_catalogue_and_assumptions(comparison, found):
    text = " ".join(_render(comparison, found, 160, place=lambda key: f"plan.yaml: {key}").split())
    for word in (
        "plan, fleet.nodes (plan.yaml: fleet.nodes)",
        "price of 2026-",
        "catalogue, p4d.24xlarge: gpu_count",
        "assumption goodput.bring_up_hours, 0.2 to 2",
        "rule: Spot Advisor",
    ):
        assert word in text


def test_no_number_is_opened_twice(comparison, found):
    """Whatever opens has inputs one level deeper; a second time it says `as above` and has none."""
    lines = _render(comparison, found, 10_000).splitlines()
    opened = [line.split(": ", 1)[1].split(",")[0] for line in lines if "run.hours, G10" in line]
    assert opened == ["run.hours"]
    again = [index for index, line in enumerate(lines) if line.endswith("(as above)")]
    assert again
    for index in again:
        depth = len(lines[index]) - len(lines[index].lstrip())
        following = lines[index + 1] if index + 1 < len(lines) else ""
        assert not following or len(following) - len(following.lstrip()) <= depth


def test_depth_closes_the_tree(comparison, found):
    assert "bring_up_hours" in _render(comparison, found)
    shallow = _render(comparison, found, depth=1)
    assert "bring_up_hours =" not in shallow
    assert "hours = " in shallow
    assert "have inputs of their own" in shallow
    assert "inputs of their own" not in _render(comparison, found)


def test_the_draws_are_those_of_this_number(comparison, found):
    """The only line that differs between P10 and the planned cost here is that of the GPU nodes and a few others."""
    cost = comparison.scenarios[0].cost_usd
    assert 0 < found.draws.p10 < found.draws.p50 < found.draws.p90
    assert found.draws.p50 < cost.p50


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_names_stay_text(comparison, found, name):
    hostile = replace(comparison, plan_name=name)
    for text in (
        _render(hostile, found),
        explanation_text.scenarios(hostile, 80),
        explanation_text.numbers(hostile, found.scenario, 80),
    ):
        assert all(char.isprintable() or char == "\n" for char in text)
        assert max(map(cells, text.splitlines())) <= 80
        text.encode("utf-8")
    index = origin_index(hostile, found.scenario, found.known)
    document = json.loads(json_text(explanation_json.explanation(hostile, found, index)))
    assert document["id"] == "fleet.compute"


def test_a_place_in_a_hostile_path_stays_text(comparison, found):
    text = _render(comparison, found, place=lambda key: HOSTILE["control characters"])
    assert all(char.isprintable() or char == "\n" for char in text)


def test_json_has_every_number_behind_it_once(comparison, found):
    index = origin_index(comparison, found.scenario, found.known)
    document = json.loads(json_text(explanation_json.explanation(comparison, found, index)))
    ids = [entry["id"] for entry in document["behind"]]
    assert len(ids) == len(set(ids))
    named = {part["origin"][4:] for entry in (document, *document["behind"]) for part in entry["inputs"]
             if part["origin"].startswith("run:")}  # fmt: skip
    assert named == set(ids)
    assert document["value"] == pytest.approx(found.derived.value)
    assert document["calc"].startswith("planner calc nodes-cost ")
    assert document["draws"]["p10"] < document["draws"]["p90"]


def test_every_kind_of_origin_has_words(comparison, found):
    index = origin_index(comparison, found.scenario, found.known)
    for entry in found.known.values():
        for part in entry.inputs:
            assert describe(part, index)
    unknown = Input(name="x", value=1.0, unit="h", origin="assumption:not.there")
    assert describe(unknown, index) == "assumption not.there"


def test_the_command_leaves_out_what_is_the_default(found):
    held = found.known["fleet.node_hours"]
    inputs = tuple(replace(part, value=0.0) if part.name == "unheld_hours" else part for part in held.inputs)
    text = command(replace(held, inputs=inputs))
    assert text.startswith("planner calc node-hours nodes=4 hours=")
    assert "unheld" not in text


@pytest.fixture(scope="module")
def unpriced_request():
    """S3 alone has no price."""
    plan = plan_of(purchase={"options": ["on-demand"]}, storage={"layouts": ["s3-stream"]})
    book = book_of().without(lambda table, row: table == "metered" and "S3 Standard storage" in row.values())
    return Request(plan=plan, plan_sha256="0" * 64, book=book, draws=100)


class TestLowerBounds:
    """A total that lacks a price says so wherever it stands, and has no range."""

    @pytest.mark.parametrize("id", ["cost_usd", "cost_usd.p90", "usd_per_useful_gpu_hour", "cash.0.usd"])
    def test_a_total_is_at_least_so_much_and_names_what_is_missing(self, unpriced_request, id):
        compared = compare(unpriced_request)
        found = explain(unpriced_request, compared.scenarios[0], id)
        text = _render(compared, found)
        assert f"\n{id} >= " in text
        assert f"{id} = " not in text
        assert "no price for storage.s3.standard: AmazonS3 S3 Standard storage" in " ".join(text.split())
        assert "P10" not in text
        document = explanation_json.explanation(compared, found, origin_index(compared, found.scenario, found.known))
        assert document["draws"] is None
        assert document["lower_bound"].startswith("no price for storage.s3.standard: ")

    def test_what_has_every_price_stays_a_number_with_a_range(self, unpriced_request):
        compared = compare(unpriced_request)
        found = explain(unpriced_request, compared.scenarios[0], "fleet.compute")
        text = _render(compared, found)
        assert "fleet.compute = " in text
        assert "P10 " in text
        document = explanation_json.explanation(compared, found, origin_index(compared, found.scenario, found.known))
        assert document["lower_bound"] is None

    def test_the_list_marks_them(self, unpriced_request):
        compared = compare(unpriced_request)
        lines = explanation_text.numbers(compared, compared.scenarios[0], 80).splitlines()
        assert any(line.startswith("  cost_usd >= ") for line in lines)
        assert not any(">=" in line for line in lines if line.startswith("  fleet.compute "))
        numbers = explanation_json.numbers(compared, compared.scenarios[0])["numbers"]
        marked = {entry["id"] for entry in numbers if entry["lower_bound"]}
        assert {"cost_usd", "cost_usd.p50", "usd_per_useful_gpu_hour.p90", "cash.0.usd"} <= marked
        assert not marked & {"fleet.compute", "days", "cost_usd.plan_percentile"}


class TestCalculation:
    """The commands give the number that is explained, and nothing else does."""

    def test_a_sum_has_a_command_for_every_part_and_the_addition(self, request_, comparison):
        scenario = comparison.scenarios[0]
        text = _render(comparison, explain(request_, scenario, "cost_usd"), 10_000)
        section = text.partition("To calculate it, part by part\n")[2].partition("\n\n")[0].splitlines()
        assert [line.strip(" :") for line in section if line.endswith(":")] == [line.line for line in scenario.bill]
        assert sum("planner calc " in line for line in section) == len(scenario.bill)
        parts, _, total = section[-1].partition(" = ")
        added = sum(float(part.replace(",", "")) for part in parts.split(" + "))
        assert added == pytest.approx(scenario.cost_usd.plan, rel=1e-6)
        assert total.endswith(" USD")
        assert float(total.split()[0].replace(",", "")) == pytest.approx(added, rel=1e-6)

    def test_a_product_of_several_numbers_is_multiplied(self, request_, comparison):
        text = _render(comparison, explain(request_, comparison.scenarios[0], "goodput.useful_fraction"), 10_000)
        section = text.partition("To calculate it, part by part\n")[2].partition("\n\n")[0].splitlines()
        parts, _, total = section[-1].partition(" = ")
        product = 1.0
        for part in parts.split(" x "):
            product *= float(part)
        assert product == pytest.approx(float(total.split()[0]), rel=1e-6)

    def test_a_percentile_is_drawn_again(self, request_, comparison):
        found = explain(request_, comparison.scenarios[0], "cost_usd.p90")
        index = origin_index(comparison, found.scenario, found.known)
        asked = ("my plan.yaml", "--set", "fleet.nodes=4", "--seed", "7")
        text = explanation_text.render(comparison, found, index, width=200, depth=1, again=asked)
        assert "planner compare 'my plan.yaml' --set fleet.nodes=4 --seed 7 --draws 100 -f json" in text
        assert "in its output: scenarios[0].cost_usd.p90" in text
        assert "planner calc" not in text

    def test_what_is_neither_says_that_it_is_a_part(self, request_, comparison):
        text = _render(comparison, explain(request_, comparison.scenarios[0], "days"))
        assert "To calculate one of its parts\n  run.hours:\n" in text
        assert "\nTo calculate it\n" not in text


def test_ends_of_a_stream_of_draws_are_what_they_mean(comparison, found):
    rows = [line.split() for line in _render(comparison, found, 160).splitlines()]
    (price,) = [row for row in rows if row[:1] == ["spot.price"]]
    assert price[1].startswith("$")
    assert price[1].endswith("/h")
    # a high percentile may be a scarce market, which no rate per node describes
    (hazard,) = [row for row in rows if row[:1] == ["spot.hazard"]]
    assert hazard[1:3] == ["P5", "P95"]


def test_lists(comparison):
    listed = explanation_text.scenarios(comparison, 80)
    assert "#1  converged/p4d.24xlarge/spot" in listed or "#1 converged/p4d.24xlarge/spot" in listed
    numbers = explanation_text.numbers(comparison, comparison.scenarios[0], 80, everything=True)
    for id in ("fleet.compute", "goodput.mtbf_hours", "cost_usd.p90", "cash.0.usd", "storage.usd_per_usable_tb_month"):
        assert f"  {id} " in numbers
