"""Published figures, asked of a pool of another size."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.acceptance.found import Found, Part, Rate
from planner.acceptance.line import MISS, NOT_MEASURED, PASS
from planner.acceptance.targets import lines_against, read_targets
from planner.errors import PlanProblems
from tools.docs import ROOT

PUBLISHED = ROOT / "examples" / "acceptance" / "proof-of-concept.yaml"


def part(size: int, gb_per_s: float, objects_per_s: float) -> Part:
    rate = Rate(gb_per_s=gb_per_s, objects_per_s=objects_per_s, seconds=1, p50_ms=1, p99_ms=1, failed=0)
    return Part(name=str(size), object_bytes=size, write=rate, read=rate)


def test_the_published_proof_of_concept_is_3_gb_a_second_and_217_thousand_operations_a_node():
    """W-6node of planner/evidence/cases.csv: 18 GB/s over 6 nodes; 1.3 M / 6 = 216,667."""
    found = Found(nodes=("a", "b", "c", "d"), parts=(part(4096, 0.5, 120_000), part(10**8, 14.0, 140)))
    gb, operations = lines_against(read_targets(str(PUBLISHED)), found)
    assert (gb.planned, gb.measured, gb.state) == (3.0, 3.5, PASS)
    assert operations.planned == pytest.approx(216_667, abs=1)
    assert (operations.measured, operations.state) == (30_000, MISS)
    assert "with objects of 4,096 bytes, 14 % of 217,000 (1,300,000 over 6 nodes)" in operations.said
    assert "WEKA" in gb.means


def test_a_node_that_is_out_does_not_lower_the_bar_of_the_others():
    found = Found(nodes=("a", "b", "c", "d"), not_ready={"d": "x"}, parts=(part(10**8, 9.0, 90),))
    [gb, _] = lines_against(read_targets(str(PUBLISHED)), found)
    assert (gb.measured, gb.state) == (3.0, PASS)
    [gb, _] = lines_against(read_targets(str(PUBLISHED)), Found(nodes=("a",), why={"bench": "no pool"}))
    assert (gb.state, gb.said) == (NOT_MEASURED, "no pool")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: x\nsource: y\nnodes: 6\nread_gbps: 3\n", "4:1: unknown key 'read_gbps'"),
        ("name: x\nsource: y\nnodes: 6.5\nread_gb_per_s: 3\n", "3:1: nodes: a whole number above zero"),
        ("name: x\nsource: y\nnodes: 6\nread_gb_per_s: -3\n", "4:1: read_gb_per_s: a number above zero"),
        ("name: x\nsource: y\nnodes: 6\nread_gb_per_s: .inf\n", "a number above zero"),
        ("name: ''\nsource: y\nnodes: 6\nread_gb_per_s: 1\n", "1:1: name: text expected"),
        ("name: x\nnodes: 6\nread_gb_per_s: 1\n", "source is missing"),
        ("name: x\nsource: y\nnodes: 6\n", "every figure is missing"),
        ("[1, 2]", "is a mapping"),
        ("a: [", "a: ["),
    ],
)
def test_a_file_that_is_wrong_says_where(tmp_path: Path, text: str, said: str):
    path = tmp_path / "file.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PlanProblems) as problem:
        read_targets(str(path))
    if said != text:
        assert said in str(problem.value)
