"""The picture of a stack: it fits, it escapes, and it says what the graph says."""

from __future__ import annotations

import copy
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from planner.report.data.resource_graph import as_json
from planner.report.pictures.architecture import PER_CHARACTER, WIDTH, svg
from planner.report.terminal.resources_text import table
from planner.stack.spec import LAYOUTS
from tests.cluster.specs import slurm_spec
from tests.infra.specs import BUYING, fleet_of, graph_of, spec_of

HOSTILE = "<script>alert(1)</script>&\"'\u202e\x1b[31m\n"


def texts(picture: str) -> list[ElementTree.Element]:
    return [element for element in ElementTree.fromstring(picture).iter() if element.tag.endswith("}text")]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_everything_lies_inside(layout):
    picture = ElementTree.fromstring(svg(graph_of(layout)))
    height = int(picture.get("height"))
    assert picture.get("viewBox") == f"0 0 {WIDTH} {height}"
    for element in picture.iter():
        if element.tag.endswith("}rect"):
            assert int(element.get("x", 0)) + int(element.get("width")) <= WIDTH
            assert int(element.get("y", 0)) + int(element.get("height")) <= height
    for element in texts(svg(graph_of(layout))):
        wide = 0 if element.get("text-anchor") else len(element.text) * PER_CHARACTER
        assert int(element.get("x")) + wide <= WIDTH + 200 * ("a-title" in element.get("class"))


def test_a_block_s_fleet_is_drawn_with_its_end():
    spec = spec_of("separate-nvme", buying=BUYING["capacity-block"], fleet=fleet_of("p5.48xlarge", 64))
    words = [element.text for element in texts(svg(graph_of(spec)))]
    assert "GPU fleet: 64 x p5.48xlarge" in words
    assert "capacity-block, no placement group" in words
    assert "per node: 33 interfaces, 32 with EFA" in words
    assert "2026-12-01T10:45:00Z" in " ".join(words)


def test_a_slurm_cluster_is_drawn_beside_its_nodes():
    picture = svg(graph_of(slurm_spec(nodes=8)))
    words = [element.text for element in texts(picture)]
    assert "GPU fleet: 8 x p5.48xlarge" in words
    assert "Slurm 25.11 by AWS PCS" in words
    assert "queues: high, low, normal" in words
    assert "login node: m7i.xlarge, by SSM" in words


def test_a_placeholder_is_said_in_words():
    picture = svg(graph_of(replace(spec_of("s3-stream"), zone_id="PLACEHOLDER-zone-id")))
    assert "PLACEHOLDER" not in picture
    assert "One zone (not chosen yet)" in picture


def test_hostile_words_of_a_graph_that_others_wrote_do_nothing():
    graph = copy.deepcopy(graph_of("s3-stream"))
    graph["stack"]["name"] = graph["stack"]["scenario"] = HOSTILE
    for entry in graph["resources"]:
        if entry["name"] == "fleet-template":
            entry["inputs"]["instanceType"] = HOSTILE
    picture = svg(graph)
    ElementTree.fromstring(picture)
    assert "<script" not in picture
    for text in (picture, table(graph, everything=True)):
        assert not re.search(r"[\x1b\u202e]", text)


def test_a_graph_of_nothing_is_still_a_picture_and_a_table():
    empty = {"schema_version": "1", "stack": {"name": "dev", "scenario": "none"}, "resources": []}
    assert "GPU fleet: 0 x" in svg(empty)
    assert "0 resources, $0.0000 per hour" in table(empty)
    assert as_json(empty).endswith("}\n")


def test_the_table_at_any_width_and_in_ascii():
    for width in (40, 80, 160):
        text = table(graph_of("separate-nvme"), width=width, ascii_only=True, everything=True)
        assert text.isascii()
        assert width < 80 or max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("layout", LAYOUTS)
def test_golden_picture_and_table(layout, golden):
    golden(f"stack-{layout}.svg", svg(graph_of(layout)))
    golden(f"stack-{layout}.txt", table(graph_of(layout), everything=True))


def test_folded_each_component_has_a_row_with_its_resources_and_they_add_up():
    graph = graph_of("converged")
    folded = [line.split() for line in table(graph).splitlines()]
    counts = {row[0]: int(row[1]) for row in folded if len(row) > 1 and row[1].isdigit()}
    every = counts.pop("all")
    assert every == sum(counts.values()) == sum(one["type"].startswith("aws:") for one in graph["resources"])
    assert len(table(graph).splitlines()) <= 40
