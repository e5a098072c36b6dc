"""The stack on the page: the picture with the page's colours, and numbers that come again from the graph."""

from __future__ import annotations

import re

import pytest

from infra.graph import resource_graph
from planner.report.data.stored import stored_usd_per_hour
from planner.report.html import page as as_html
from planner.report.html.architecture import not_drawn, view
from tests.infra.specs import spec_of
from tests.report.scenes import HOSTILE, first, small


@pytest.mark.parametrize("layout", ["converged", "fsx-lustre", "separate-nvme", "s3-stream"])
def test_the_numbers_are_those_of_the_graph(layout) -> None:
    spec = spec_of(layout)
    graph = resource_graph(spec)
    shown = view(graph)
    assert shown.scenario == spec.scenario
    assert (
        sum(part.resources for part in shown.components)
        == shown.resources
        == sum(r["type"].startswith("aws:") for r in graph["resources"])
    )
    figures = [part.usd_per_hour.split(" + ")[0].replace(",", "") for part in shown.components]
    hourly = sum(float(figure) for figure in figures if figure not in ("-", "by use"))
    assert hourly == pytest.approx(sum(spec.usd_per_hour.values()), abs=1e-3)
    assert float(shown.usd_per_hour.replace(",", "")) == pytest.approx(hourly, abs=1e-3)
    by_use = {part.name for part in shown.components if "by use" in part.usd_per_hour}
    assert {"tier", "artefacts"} <= by_use
    assert "fleet" not in by_use
    named = {line for part in shown.components for line in part.bill_lines.replace("<wbr>", "").split(", ") if line}
    assert set(spec.usd_per_hour) <= named


def test_the_page_has_the_picture_in_its_own_colours() -> None:
    page = as_html.render(small(), None, view(resource_graph(spec_of("converged"))))
    section = page[page.index('<section id="stack"') :].partition("</section>")[0]
    assert '<svg xmlns="http://www.w3.org/2000/svg"' in section
    assert not re.search(r"#[0-9a-f]{6}\b", section)
    assert "The numbers behind this picture" in section


def test_the_cost_of_stored_data_is_shown_next_to_the_hourly_cost() -> None:
    """S3 storage is billed by use, so the hourly cost of the stack does not include it."""
    best = first(small())
    usd = stored_usd_per_hour(best)
    standard = next(line for line in best.bill if line.line == "storage.s3.standard")
    inputs = {entry.name: entry.value for entry in standard.inputs}
    checkpoints = sum(line.effective_cost for line in best.bill if line.line == "storage.s3.checkpoints")
    assert usd == pytest.approx((standard.effective_cost + checkpoints) / inputs["hours"])
    graph = resource_graph(spec_of("converged"))
    section = as_html.render(small(), None, view(graph, 134.97)).partition('<section id="stack"')[2]
    texts = " ".join(re.sub("<[^>]+>", " ", section.partition("</section>")[0]).split())
    assert texts.count("data stored in S3 at the planned size: about $135 per hour") == 1
    assert "stored at the planned size: about $135/h" in texts
    assert " + by use" in texts
    assert "Not included: usage-based costs" in texts
    assert "about" not in view(graph).without


def test_a_stack_that_cannot_be_drawn_says_only_why() -> None:
    text = "\n".join(HOSTILE.values())
    page = as_html.render(small(), None, not_drawn(text, text))
    section = page[page.index('<section id="stack"') :].partition("</section>")[0]
    assert "is not drawn" in section
    assert "<script" not in section
    assert "<svg" not in section
    assert 'id="stack"' not in as_html.render(small())
