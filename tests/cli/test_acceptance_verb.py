"""`planner acceptance` with what nodes would have measured: its files and exit codes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from planner.acceptance.ask import Asked
from planner.acceptance.found import Found, Part, Rate
from planner.account.commands import Fleet
from planner.cli import main
from tools.docs import ROOT

PLAN = str(ROOT / "examples" / "rehearsal.yaml")
AGAINST = str(ROOT / "examples" / "acceptance" / "proof-of-concept.yaml")


def rate(gb_per_s: float, seconds: float) -> Rate:
    return Rate(gb_per_s=gb_per_s, objects_per_s=gb_per_s * 100, seconds=seconds, p50_ms=1, p99_ms=2, failed=0)


WELL = Found(
    nodes=("i-1", "i-2", "i-3"),
    parts=(
        Part(name="10000000", object_bytes=10_000_000, write=rate(1.0, 1.0), read=rate(8.0, 10.0)),
        Part(name="checkpoint", object_bytes=111_111_112, write=rate(2.0, 0.5), read=rate(6.0, 0.17)),
    ),
)


@pytest.fixture
def measures(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def use(found: Found) -> None:
        monkeypatch.setattr("planner.acceptance.ask.measured", lambda *_: (found, ""))

    return use


def ran(*words: str) -> int:
    with pytest.raises(SystemExit) as done:
        main.run(["acceptance", PLAN, "--draws", "200", *words])
    return int(done.value.code or 0)


def test_exit_codes_and_files(measures, tmp_path: Path, capsys):
    measures(WELL)
    assert ran() == 0
    said = capsys.readouterr().out
    assert "pass read.10000000: reads of all nodes at once: 8 GB/s, 98 % of plan" in said
    assert "not measured boot" in said
    assert ran("--strict") == 13
    words = ("-o", "a.json", "--junit", "a.xml", "--measured", "m.yaml", "--against", AGAINST)
    assert ran(*words) == 13  # 2.7 GB/s a node are not the 3 that were published
    document = json.loads((tmp_path / "a.json").read_text())
    assert document["counts"]["miss"] == 2
    assert [line["state"] for line in document["lines"] if line["id"].startswith("against")] == ["miss", "miss"]
    assert (tmp_path / "a.xml").read_text().count("<failure") == 2
    assert "s3.read_gb_per_s_per_node" in (tmp_path / "m.yaml").read_text()


def test_a_miss_is_said_with_its_cost_and_a_slow_node_with_what_replaces_it(measures, capsys):
    measures(replace(WELL, boot_hours=4.0, slow={"i-2": "what it serves"}))
    assert ran() == 13
    said = " ".join(capsys.readouterr().out.split())
    assert "miss slow-nodes" in said
    assert "planner node swap --stack dev --node i-2" in said
    # three and a half hours more at $6.82 an hour, of which some are billed by use
    assert "+0.15 days, +$2" in said


def test_what_cannot_be_is_refused_before_anything_is_measured(measures, capsys):
    measures(WELL)
    assert ran("--against", "nowhere.yaml") == 2
    assert "no such file" in capsys.readouterr().err
    assert ran("-o", "a.json", "--junit", "a.json") == 2


@pytest.mark.parametrize(
    ("layout", "more", "asked"),
    [
        ("converged", (), ("pool", "", "", False)),
        ("separate-nvme", (), ("pool", "", "", False)),
        ("s3-stream", (), ("s3", "", "", False)),
        ("fsx-lustre", (), ("folder", "/fsx", "checkpoints", False)),
        ("s3-stream", ("--set", "deploy.scheduler=slurm"), ("s3", "", "", True)),
    ],
)
def test_every_layout_is_asked_of_its_own_storage(monkeypatch, tmp_path, layout, more, asked):
    monkeypatch.chdir(tmp_path)
    seen: list[Asked] = []

    def measured(nodes: Fleet, asked: Asked, started: object) -> tuple[Found, str]:
        seen.append(asked)
        assert bool(nodes.groups) != asked.slurm  # AWS PCS has no groups of Auto Scaling
        return Found(nodes=("i-1",)), ""

    monkeypatch.setattr("planner.acceptance.ask.measured", measured)
    words = ("--set", f"storage.layouts=[{layout}]", "--scenario", f"{layout}/p4d.24xlarge/on-demand", *more)
    with pytest.raises(SystemExit):
        main.run(["acceptance", str(ROOT / "examples" / "small.yaml"), "--draws", "50", *words])
    [one] = seen
    assert (one.storage, one.folder, one.linked, one.slurm) == asked
