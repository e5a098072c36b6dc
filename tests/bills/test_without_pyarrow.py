"""CSV exports where pyarrow is not installed: the same sums, the same refusals, the same command."""

from __future__ import annotations

import bz2
import subprocess
import sys
from pathlib import Path

import pytest

from planner.bills.export_file import read_export
from planner.errors import UsageProblem
from tests.bills.test_reconcile import IDS, all_rows, scenario_of, write


def without(path: Path, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "pyarrow", None)
        return read_export(path, "dev")


@pytest.mark.parametrize("name", ["focus.csv", "focus.csv.gz", "cur.csv"])
@pytest.mark.parametrize("id", IDS)
def test_the_sums_are_those_of_pyarrow(tmp_path, monkeypatch, id, name) -> None:
    scenario = scenario_of(id)
    path = write(tmp_path / name, all_rows(scenario), scenario.option.family)
    one, other = read_export(path, "dev"), without(path, monkeypatch)
    assert (other.format, other.groups.keys()) == (one.format, one.groups.keys())
    for key, sums in one.groups.items():
        found = other.groups[key]
        assert (found.rows, found.first, found.last) == (sums.rows, sums.first, sums.last)
        assert found.amounts == pytest.approx(sums.amounts)


@pytest.mark.parametrize(
    "tags",
    [
        '{"user:Name": "like planner:stack=dev", "user:planner:stack": "other"}',
        '{"user:Note": "x, \\"planner:stack\\": \\"dev\\"", "user:planner:stack": "other"}',
        "{Name=like planner:stack=dev, planner_stack=other}",
        "user_planner_stack=dev, Name=a",
        "{}",
        "NULL",
    ],
)
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_tags_and_missing_values_are_read_as_by_pyarrow(tmp_path, monkeypatch, tags, bom) -> None:
    from tests.bills import synthetic

    row = synthetic.focus(all_rows(scenario_of(IDS[0]))[0]) | {"Tags": tags, "ListCost": "", "x_Operation": "a\nb"}
    quoted = ['"' + str(value).replace('"', '""') + '"' if value else "" for value in row.values()]
    (tmp_path / "focus.csv").write_text(
        f"{bom}{','.join(row)}\r\n{','.join(quoted)}\r\n\r\n", encoding="utf-8", newline=""
    )
    assert without(tmp_path / "focus.csv", monkeypatch) == read_export(tmp_path / "focus.csv", "dev")


def test_the_command_prints_the_same(tmp_path) -> None:
    path = write(tmp_path / "focus.csv", all_rows(scenario_of(IDS[0])), "on-demand")
    (tmp_path / "focus.csv.bz2").write_bytes(bz2.compress(path.read_bytes()))
    code = "import sys; {}from planner.cli.main import command; command()"
    plan = ("examples/small.yaml", "--set", "start=2026-10-20", "--set", "region=us-east-1")
    # the hours of the plan differ from those of the bill: what is printed is the comparison, whatever it finds
    words = ("reconcile", *plan, "--set", "storage.layouts=[converged]", "--scenario", IDS[0], "--bill")
    printed = [
        subprocess.run(
            [sys.executable, "-c", code.format(blocked), *words, str(file)], capture_output=True, text=True, timeout=120
        )
        for blocked, file in (("", path), ("sys.modules['pyarrow'] = None; ", f"{path}.bz2"))
    ]
    assert "Traceback" not in printed[1].stderr
    assert "fleet.compute" in printed[0].stdout
    assert printed[1].stdout.replace(".csv.bz2", ".csv") == printed[0].stdout
    assert printed[1].returncode == printed[0].returncode


def test_what_cannot_be_read_is_refused_with_the_line_or_what_to_install(tmp_path, monkeypatch) -> None:
    path = write(tmp_path / "focus.csv", all_rows(scenario_of(IDS[0])), "on-demand")
    text = path.read_text(encoding="utf-8")

    def refused(name: str, content: str | bytes) -> str:
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        with pytest.raises(UsageProblem) as caught:
            without(tmp_path / name, monkeypatch)
        return str(caught.value)

    assert "line 2: expected" in refused("focus.csv", f"{text.splitlines()[0]}\nUsage,x\n")
    assert "is empty" in refused("focus.csv", "")
    assert "cannot read" in refused("focus.csv.gz", text)
    assert "cannot read" in refused("focus.csv", text.encode() + b"\xff\n")
    for name in ("focus.parquet", "focus.csv.zst"):
        assert "needs pyarrow, which is not installed: " in refused(name, b"")
