"""Job logs, what is measured, and the file that the next plan reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import planner
import planner.plan.load
from planner.api.reconciliations import reconcile as reconcile_bill
from planner.bills.job_log import read_job_logs
from planner.cli.main import command as cli
from planner.errors import PlanProblems, UsageProblem
from tests.bills.test_reconcile import IDS, all_rows, compared, scenario_of, write

pytest.importorskip("pyarrow", reason="needs pyarrow: make .venv/.dev")

LOG = """begin,end,nodes,ended,kept_hours
2026-10-20T00:30:00Z,2026-10-24T00:30:00Z,4,failed,95
2026-10-24T00:50:00Z,2026-10-28T00:50:00Z,4,interrupted,90
2026-10-28T02:00:00Z,2026-10-31T14:00:00Z,4,done,84
"""


def log_in(tmp_path: Path, text: str = LOG) -> str:
    path = tmp_path / "jobs.csv"
    path.write_text(text)
    return str(path)


def test_a_log_counts_failures_interruptions_and_restarts(tmp_path):
    found = read_job_logs([log_in(tmp_path)])
    # 96 + 96 + 84 hours on four nodes
    assert found.node_days == pytest.approx(276 * 4 / 24)
    assert (found.failures, found.interruptions) == (1, 1)
    assert found.restart_minutes == pytest.approx(20)
    assert found.kept_node_hours == pytest.approx(269 * 4)


def test_json_lines_say_the_same(tmp_path):
    lines = [
        '{"begin": "2026-10-20T02:30:00+02:00", "end": "2026-10-24T00:30:00Z", "nodes": 4, "ended": "lost"}',
        "",
        '{"begin": "2026-10-24T01:00:00", "end": "2026-10-24T02:00:00", "nodes": 4, "ended": "done"}',
    ]
    found = read_job_logs([log_in(tmp_path, "\n".join(lines))])
    assert [attempt.hours for attempt in found.attempts] == [96, 1]
    assert found.restart_minutes == pytest.approx(30)
    assert found.kept_node_hours is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("begin,end\n1,2\n", "no column nodes, ended"),
        ("begin,end,nodes,ended\nx,2026-10-20,4,done\n", ":2: begin is 'x'"),
        ("begin,end,nodes,ended\n2026-10-20,2026-10-21,4,crashed\n", ":2: ended is 'crashed'; it is one of done"),
        ("begin,end,nodes,ended\n2026-10-20,2026-10-21,0,done\n", "nodes is '0'"),
        ("begin,end,nodes,ended\n2026-10-21,2026-10-20,4,done\n", "ends before it begins"),
        (
            "begin,end,nodes,ended,kept_hours\n2026-10-20,2026-10-21,4,done,25\n",
            "kept_hours is 25, of",
        ),
        ('{"begin": \n', ":1: not a JSON object"),
        ("begin,end,nodes,ended\n", "no attempt in it"),
    ],
)
def test_a_log_that_is_wrong_says_where(tmp_path, text, said):
    with pytest.raises(UsageProblem) as caught:
        read_job_logs([log_in(tmp_path, text)])
    assert said in str(caught.value)


def test_what_was_measured_is_what_the_bill_has(tmp_path):
    rows = [row | {"quantity": row["quantity"] * 1.5} if "Nat" in row["usage"] else row for row in _rows()]
    file = write(tmp_path / "focus.csv", rows, "on-demand")
    found = reconcile_bill(compared(), file, scenario=IDS[0], jobs=log_in(tmp_path))
    values = {entry.path: entry for entry in found.measured}
    assert values["assumptions.network.nat_gb_per_node"].value == 30  # 20 GB a node were planned
    assert values["assumptions.fleet.root_volume_gib"].value == 200
    assert values["reliability.observed"].value == {"failures": 1, "node_days": 46}
    assert values["reliability.spot_observed"].value == {"interruptions": 1, "node_days": 46, "nodes": 4}
    assert values["assumptions.goodput.restart_minutes"].value == 20
    hours = sum(line.billed_quantity or 0 for line in found.lines if line.line == "fleet.compute")
    assert found.goodput == pytest.approx(269 * 4 / hours)


def test_a_log_that_is_given_twice_is_refused(tmp_path):
    with pytest.raises(UsageProblem, match="stands there twice"):
        read_job_logs([log_in(tmp_path)] * 2)


def test_more_work_than_was_billed_is_no_goodput(tmp_path):
    half = [row | {"quantity": row["quantity"] / 2, "usd": row["usd"] / 2} for row in _rows() if row["stack"] == "dev"]
    found = reconcile_bill(
        compared(), write(tmp_path / "focus.csv", half, "on-demand"), scenario=IDS[0], jobs=log_in(tmp_path)
    )
    assert found.goodput is None
    assert "No goodput: the log has 1,076" in str(found)


def _rows() -> list[dict[str, object]]:
    return all_rows(scenario_of(IDS[0]))


def test_the_next_plan_reads_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = tmp_path / "plan.yaml"
    plan.write_text((Path(__file__).parents[2] / "examples/small.yaml").read_text())
    rows = [row | {"quantity": row["quantity"] * 2} if "Nat" in row["usage"] else row for row in _rows()]
    write(tmp_path / "focus.csv", rows, "on-demand")
    words = ["reconcile", "plan.yaml", "--bill", "focus.csv", "--jobs", log_in(tmp_path), "--draws", "0"]
    words += ["--scenario", "converged/p4d.24xlarge/on-demand", "--set", "purchase.options=[on-demand]"]
    done = CliRunner().invoke(cli, [*words, "--measured", "measured.yaml", "-o", "out.html"])
    assert done.exit_code == 0, done.output
    assert "Next: planner compare PLAN --set @measured.yaml" in done.stderr
    assert "<h2" in (tmp_path / "out.html").read_text()
    after = planner.load(plan).plan
    changed = planner.plan.load.load_plan(plan, overrides=["@measured.yaml"]).plan
    assert "network.nat_gb_per_node" not in after.assumptions
    assert changed.assumptions["network.nat_gb_per_node"].value > 20
    assert changed.reliability.observed.failures == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- 1\n", "a mapping of a plan's sections"),
        ("fleet: {nods: 4}\n", "unknown key"),
        ("a: [\n", "values.yaml:"),
    ],
)
def test_a_file_of_values_that_is_wrong_is_refused(tmp_path, text, said):
    path = tmp_path / "values.yaml"
    path.write_text(text)
    with pytest.raises(PlanProblems) as caught:
        planner.plan.load.load_plan("examples/small.yaml", overrides=[f"@{path}"])
    assert said in str(caught.value)


def test_a_file_of_values_that_is_not_there_is_said():
    with pytest.raises(PlanProblems, match=r"nowhere\.yaml"):
        planner.plan.load.load_plan("examples/small.yaml", overrides=["@nowhere.yaml"])


def test_the_command_writes_csv_and_a_page(tmp_path):
    file = write(tmp_path / "cur.parquet", _rows(), "on-demand")
    plan = ["examples/small.yaml", "--set", "start=2026-10-20", "--set", "purchase.options=[on-demand]"]
    words = ["reconcile", *plan, "--bill", str(file), "--draws", "0", "-q", "--scenario", IDS[0]]
    done = CliRunner().invoke(cli, [*words, "-f", "csv"])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[0].startswith("scenario,stack,until,line")
    assert any(line.split(",")[3] == "credit" for line in done.stdout.splitlines())
    page = CliRunner().invoke(cli, [*words, "-f", "html"]).stdout
    assert '<h2 id="h-reconciled">Plan and bill</h2>' in page
    assert "fleet.compute" in page


def test_the_report_has_a_section_of_plan_and_bill(tmp_path):
    file = tmp_path / "forecast.csv"
    plan = ["examples/small.yaml", "--draws", "50", "-q", "--set", "storage.layouts=[s3-stream]"]
    assert CliRunner().invoke(cli, ["compare", *plan, "-f", "focus", "-o", str(file)]).exit_code == 0
    words = ["report", *plan, "--no-architecture", "--bill", str(file), "-o", str(tmp_path / "report.html")]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<a href="#reconciled">Plan and bill</a>' in page
    assert "The bill is what was planned: no line differs by a cent." in page
    refused = CliRunner().invoke(cli, [*words[:-2], "-f", "md"])
    assert "adds a section to the HTML page" in str(refused.exception)
