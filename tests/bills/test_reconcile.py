"""A plan beside bills that are generated from it, in every format: they agree; and each way in which they may not."""

from __future__ import annotations

import csv
import gzip
import json
import re
from dataclasses import replace
from datetime import date, timedelta
from functools import cache
from pathlib import Path

import pytest

import planner
from planner.api.comparisons import Comparison
from planner.api.reconciliations import Reconciliation
from planner.api.reconciliations import reconcile as reconcile_bill
from planner.bills.units import in_unit
from planner.errors import UsageProblem
from planner.estimate.result import Scenario
from tests.bills import synthetic

pa = pytest.importorskip("pyarrow", reason="needs pyarrow: make .venv/.dev")
import pyarrow.parquet as parquet  # noqa: E402

PURCHASES = ["on-demand", "spot-fallback", "capacity-block", "ri-1y-standard-no-upfront", "sp-1y-instance-no-upfront"]
START = date(2026, 10, 20)


@cache
def compared() -> Comparison:
    loaded = planner.load(
        "examples/small.yaml",
        set={
            "start": START.isoformat(),
            "region": "us-east-1",
            "run.work.gpu_hours": 9000,
            "fleet.nodes": 4,
            "purchase.options": PURCHASES,
            "storage.retention": "30d",
            "storage.layouts": ["converged", "fsx-lustre"],
            "people.engineers": 1,
        },
    )
    return planner.compare(loaded, prices="2026-09-01", draws=0)


def scenario_of(id: str) -> Scenario:
    return compared()[id]


def all_rows(scenario: Scenario, *, noisy: bool = True) -> list[synthetic.Row]:
    found = list(synthetic.rows(scenario, START, 30 * 24))
    return found + (list(synthetic.noise(START)) if noisy else [])


def write(path: Path, rows: list[synthetic.Row], family: str) -> Path:
    """The format by the name: focus or cur, csv, csv.gz or parquet."""
    is_cur = path.name.startswith("cur")
    written = [r for row in rows for r in (synthetic.cur(row, family) if is_cur else [synthetic.focus(row)])]
    if path.suffix == ".parquet":
        schema = pa.Table.from_pylist([{k: v for k, v in row.items() if k != "resource_tags"} for row in written])
        table = schema
        if is_cur:
            tags = pa.array([list(row["resource_tags"].items()) for row in written], pa.map_(pa.string(), pa.string()))
            table = schema.append_column("resource_tags", tags)
        parquet.write_table(table, path, row_group_size=500)
        return path
    with gzip.open(path, "wt", newline="") if path.suffix == ".gz" else path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(written[0]))
        writer.writeheader()
        for row in written:
            texts = {k: json.dumps(v) if isinstance(v, dict) else v for k, v in row.items()}
            writer.writerow(texts)
    return path


def reconciled(tmp_path: Path, id: str, name: str = "focus.csv", *, noisy: bool = True, **more) -> Reconciliation:
    scenario = scenario_of(id)
    file = write(tmp_path / name, all_rows(scenario, noisy=noisy), scenario.option.family)
    return reconcile_bill(compared(), file, scenario=id, **more)


IDS = [
    *("converged/p4d.24xlarge/on-demand", "converged/p4d.24xlarge/spot-fallback"),
    *("converged/p4d.24xlarge/capacity-block", "fsx-lustre/p4d.24xlarge/on-demand"),
    *("converged/p4d.24xlarge/ri-1y-standard-no-upfront", "converged/p4d.24xlarge/sp-1y-instance-no-upfront"),
]


@pytest.mark.parametrize("name", ["focus.csv", "focus.csv.gz", "focus.parquet", "cur.csv", "cur.parquet"])
@pytest.mark.parametrize("id", IDS)
def test_a_bill_made_from_the_plan_agrees_with_it_to_the_cent(tmp_path, id, name):
    found = reconciled(tmp_path, id, name)
    planned = {line.line: line.effective_cost for line in scenario_of(id).bill if not line.line.startswith("people.")}
    assert found.billed_usd == pytest.approx(sum(planned.values()), rel=1e-9)
    for line in found.lines:
        assert line.in_plan, line
        assert line.difference_usd == pytest.approx(0, abs=1e-4), line
        # AWS gives the unused part of a Savings Plan in USD alone; a plan has metrics and dashboard as one set
        if not (line.line == "fleet.commitment-unused" and "sp-" in id) and line.line != "guard.metrics":
            assert line.billed_quantity == pytest.approx(line.planned_quantity, rel=1e-9), line
    assert found.found.whole
    assert found.found.misses == ()
    # FOCUS calls a discount of AWS's programme an adjustment
    assert found.found.bill.apart == {"credit": -500, "discount" if name.startswith("cur") else "refund": -12.5}
    assert found.found.bill.elsewhere == {"tax": 77}


def test_the_fee_of_a_block_on_the_first_day_is_spread_over_its_hours(tmp_path):
    id = "converged/p4d.24xlarge/capacity-block"
    found = reconciled(tmp_path, id)
    line = next(line for line in found.lines if line.line == "fleet.compute")
    assert line.billed_unit_usd == pytest.approx(line.planned_unit_usd)
    assert any("is spread over" in note for note in found.found.notes)


def test_a_block_without_its_fee_is_said(tmp_path):
    id = "converged/p4d.24xlarge/capacity-block"
    rows = [row for row in all_rows(scenario_of(id)) if row["kind"] != "fee"]
    found = reconcile_bill(compared(), write(tmp_path / "focus.csv", rows, "capacity-block"), scenario=id)
    assert any("no fee of a Capacity Block" in note for note in found.found.notes)


def test_a_bill_of_half_the_run_is_compared_to_its_end(tmp_path):
    id = "converged/p4d.24xlarge/capacity-block"
    cut = [row for row in all_rows(scenario_of(id), noisy=False) if f"{row['end']:%Y-%m-%d}" <= "2026-10-25"]
    fee = next(row for row in all_rows(scenario_of(id)) if row["kind"] == "fee")
    file = write(tmp_path / "focus.csv", [*cut, fee], "capacity-block")
    # the fee names the whole term, and is not what shows how far the bill goes
    assert fee["end"] > cut[-1]["end"]
    found = reconcile_bill(compared(), file, scenario=id)
    assert f"{found.found.until:%Y-%m-%d}" == "2026-10-25"
    assert not found.found.whole
    assert found.billed_usd == pytest.approx(found.planned_usd, rel=1e-6)
    assert found.found.bill.unspread_usd > 0
    assert found.found.bill.unspread_usd + next(
        line.billed_usd for line in found.lines if line.line == "fleet.compute"
    ) == pytest.approx(fee["usd"])


def test_a_day_before_the_end_of_the_bill_cuts_nothing_off_and_is_refused(tmp_path):
    file = write(tmp_path / "focus.csv", all_rows(scenario_of(IDS[0])), "on-demand")
    with pytest.raises(UsageProblem, match=r"charges of the stack dev up to .* cannot be cut at the end of 2026-10-22"):
        reconcile_bill(compared(), file, scenario=IDS[0], until="2026-10-22")


def test_quantity_and_price_explain_a_difference(tmp_path):
    id = "converged/p4d.24xlarge/on-demand"
    rows = [
        row | ({"quantity": row["quantity"] * 1.1, "usd": row["usd"] * 1.1 * 0.9} if "p4d" in row["usage"] else {})
        for row in all_rows(scenario_of(id), noisy=False)
    ]
    found = reconcile_bill(compared(), write(tmp_path / "focus.csv", rows, "on-demand"), scenario=id)
    (miss,) = found.found.misses
    planned = next(line for line in scenario_of(id).bill if line.line == "fleet.compute").effective_cost
    # q 1.1 times, p 0.9 times: (0.1 x 1.9 / 2) and (-0.1 x 2.1 / 2) of the planned cost
    assert miss.quantity_effect_usd == pytest.approx(0.095 * planned)
    assert miss.price_effect_usd == pytest.approx(-0.105 * planned)
    assert miss.difference_usd == pytest.approx(-0.01 * planned)


def test_what_no_plan_has_is_a_line_of_its_own(tmp_path):
    id = "converged/p4d.24xlarge/on-demand"
    extra = all_rows(scenario_of(id), noisy=False)[0] | {
        "usage": "USW2-EBS:SnapshotUsage",
        "usd": 99.0,
        "unit": "GB-Mo",
    }
    file = write(tmp_path / "focus.csv", [*all_rows(scenario_of(id)), extra], "on-demand")
    found = reconcile_bill(compared(), file, scenario=id)
    assert [(line.line, line.billed_usd) for line in found.lines if not line.in_plan] == [
        ("AmazonEC2 USW2-EBS:SnapshotUsage", pytest.approx(99.0))
    ]
    assert "that the plan does not have" in str(found)


def test_a_usage_type_of_another_service_is_not_the_plans_line(tmp_path):
    id = "converged/p4d.24xlarge/on-demand"
    rows = all_rows(scenario_of(id), noisy=False)
    theirs = {"usage": "USW2-TimedStorage-ByteHrs", "unit": "GB-Mo", "quantity": 10.0}
    more = [rows[0] | theirs | {"service": name, "usd": usd} for name, usd in (("AmazonECR", 5.0), ("AmazonEFS", 3.0))]
    found = reconcile_bill(compared(), write(tmp_path / "focus.csv", [*rows, *more], "on-demand"), scenario=id)
    assert [(line.line, line.billed_usd) for line in found.lines if abs(line.difference_usd) > 0.01] == [
        ("AmazonECR USW2-TimedStorage-ByteHrs", pytest.approx(5.0)),
        ("AmazonEFS USW2-TimedStorage-ByteHrs", pytest.approx(3.0)),
    ]


@pytest.mark.parametrize("name", ["focus.csv", "cur.parquet"])
def test_two_accounts_with_a_stack_of_one_name_are_not_added_up(tmp_path, name):
    id = "converged/p4d.24xlarge/on-demand"
    rows = all_rows(scenario_of(id))
    both = [row | {"account": account} for account in ("111122223333", "444455556666") for row in rows]
    file = write(tmp_path / name, both, "on-demand")
    with pytest.raises(UsageProblem, match="2 accounts have charges of a stack dev") as refused:
        reconcile_bill(compared(), file, scenario=id)
    assert "3333" not in str(refused.value)
    found = reconcile_bill(compared(), file, scenario=id, account="444455556666")
    assert found.found.misses == ()
    with pytest.raises(UsageProblem, match="no charge of the stack dev belongs to that account"):
        reconcile_bill(compared(), file, scenario=id, account="777788889999")


def test_a_commitment_that_others_use_too_is_shared_by_use(tmp_path):
    id = "converged/p4d.24xlarge/ri-1y-standard-no-upfront"
    rows = all_rows(scenario_of(id), noisy=False)
    others = [row | {"stack": "other"} for row in rows if row["kind"] == "covered"]
    file = write(tmp_path / "focus.csv", [*rows, *others], "ri")
    found = reconcile_bill(compared(), file, scenario=id)
    line = next(line for line in found.lines if line.line == "fleet.commitment-unused")
    assert line.billed_usd == pytest.approx(line.planned_usd / 2)
    assert any("used 50%" in note for note in found.found.notes)


def test_the_unused_part_of_a_commitment_does_not_begin_the_run_and_its_account_is_masked(tmp_path):
    """CUR states the unused part from the first of the month on, whenever the run began."""
    id = "converged/p4d.24xlarge/ri-1y-standard-no-upfront"
    arn = "arn:aws:ec2:us-west-2:111122223333:reserved-instances/1"
    rows = [row | {"id": arn} if row["id"] else row for row in all_rows(scenario_of(id), noisy=False)]
    month = [row | {"begin": row["begin"].replace(day=1)} if row["kind"] in ("fee", "unused") else row for row in rows]
    others = [row | {"stack": "other"} for row in rows if row["kind"] == "covered"]
    found = reconcile_bill(compared(), write(tmp_path / "cur.csv", [*month, *others], "ri"), scenario=id)
    assert not any("the first charge is of" in note for note in found.found.notes)
    assert "reserved-instances/1; it bears" in str(found).replace("\n  ", " ")
    assert "111122223333" not in str(found)


@pytest.mark.parametrize(
    ("tags", "ours"),
    [
        ('{"user:Name": "like planner:stack=dev", "user:planner:stack": "other"}', False),
        ('{"user:Note": "x, \\"planner:stack\\": \\"dev\\"", "user:planner:stack": "other"}', False),
        ('{"user:Name": "like planner:stack=other", "user:planner:stack": "dev"}', True),
        ("{Name=a, user:planner:stack=dev}", True),
        ("{Name=like planner:stack=dev, planner_stack=other}", False),
        ("user_planner_stack=dev, Name=a", True),
    ],
)
def test_the_value_of_another_tag_names_no_stack(tmp_path, tags, ours):
    from planner.bills.export_file import KEYS, read_export

    file = tmp_path / "focus.csv"
    row = synthetic.focus(all_rows(scenario_of(IDS[0]))[0]) | {"Tags": tags}
    with file.open("w", newline="") as text:
        writer = csv.DictWriter(text, list(row))
        writer.writeheader()
        writer.writerow(row)
    (found,) = read_export(file, "dev").groups
    assert found[KEYS.index("stack")] == ("dev" if ours else "other")


def test_a_fee_of_a_block_that_nothing_ties_to_the_stack_is_named(tmp_path):
    rows = [row | {"id": ""} if row["kind"] == "fee" else row for row in all_rows(scenario_of(IDS[2]), noisy=False)]
    found = reconcile_bill(compared(), write(tmp_path / "focus.csv", rows, "capacity-block"), scenario=IDS[2])
    fee = next(row["usd"] for row in rows if row["kind"] == "fee")
    assert any(f"Fees without a tag and an id in these files: {fee:,.2f} USD" in note for note in found.found.notes)


def test_a_run_that_began_later_is_told_the_day(tmp_path):
    id = "converged/p4d.24xlarge/on-demand"
    late = timedelta(days=3)
    rows = [row | {"begin": row["begin"] + late, "end": row["end"] + late} for row in all_rows(scenario_of(id))]
    found = reconcile_bill(compared(), write(tmp_path / "focus.csv", rows, "on-demand"), scenario=id)
    assert any("--set start=2026-10-23" in note for note in found.found.notes)


def test_our_own_forecast_agrees_with_the_plan(tmp_path):
    from planner.report.data.focus_csv import render

    comparison = compared()
    for id in IDS:
        file = tmp_path / "forecast.csv"
        file.write_text(render(comparison, comparison[id], comparison.request.plan, START), encoding="utf-8")
        found = reconcile_bill(comparison, file, scenario=id)
        assert found.found.misses == (), id


def test_the_bill_by_project_adds_up_to_it(tmp_path):
    """Two accounts and an idle rest: 2 of 4 nodes for a day, and 16 of 32 GPUs for half of one."""
    file = tmp_path / "sacct.txt"
    file.write_text(
        "JobID|Account|Submit|Start|End|State|NNodes|AllocTRES\n"
        "1|vision|2026-10-01T00:00:00|2026-10-19T00:00:00|2026-10-21T00:00:00|COMPLETED|2|gres/gpu=16\n"
        "2|speech|2026-10-20T06:00:00|2026-10-20T06:00:00|2026-10-20T18:00:00|FAILED|4|gres/gpu=16\n",
        encoding="utf-8",
    )
    bill = write(tmp_path / "focus.csv", all_rows(scenario_of(IDS[0])), "on-demand")
    found = reconcile_bill(compared(), bill, scenario=IDS[0], sacct=file, zone="UTC")
    (said,) = [note for note in found.found.notes if note.startswith("the bill by project")]
    usd = {name: float(text.replace(",", "")) for name, text in re.findall(r"([a-z][a-z ]*) \$([0-9,.]+)", said)}
    assert list(usd) == ["vision", "speech", "idle nodes"]
    assert sum(usd.values()) == pytest.approx(found.billed_usd, abs=1.5)
    hours = sum(line.billed_quantity or 0 for line in found.lines if line.line == "fleet.compute")
    assert usd["vision"] == pytest.approx(found.billed_usd * 48 / hours, rel=1e-2)
    assert usd["speech"] == pytest.approx(found.billed_usd * 24 / hours, rel=1e-2)
    assert "The bill by project, by node-hours in" in " ".join(str(found).split())
    file.write_text(file.read_text(encoding="utf-8").replace("=16", "=16000"), encoding="utf-8")
    with pytest.raises(UsageProblem, match="stack's own cluster, and its time zone"):
        reconcile_bill(compared(), bill, scenario=IDS[0], sacct=file, zone="UTC")


class TestRefused:
    def refused(self, path: Path | list[Path], **more) -> str:
        with pytest.raises(UsageProblem) as caught:
            reconcile_bill(compared(), path, scenario=IDS[0], **more)
        return str(caught.value)

    def file(self, tmp_path: Path, name: str = "focus.csv") -> Path:
        return write(tmp_path / name, all_rows(scenario_of(IDS[0])), "on-demand")

    def test_the_same_file_twice(self, tmp_path):
        file = self.file(tmp_path)
        assert "is given twice" in self.refused([file, tmp_path / "." / "focus.csv"])

    def test_the_same_charges_in_two_files(self, tmp_path):
        self.file(tmp_path, "focus.csv")
        self.file(tmp_path, "focus.parquet")
        assert "would count twice" in self.refused(tmp_path)

    def test_another_stack_is_named(self, tmp_path):
        assert "the files have dev, other, prod" in self.refused(self.file(tmp_path), stack="nowhere")

    def test_tags_that_are_not_active(self, tmp_path):
        rows = [row | {"stack": ""} for row in all_rows(scenario_of(IDS[0]))]
        said = self.refused(write(tmp_path / "focus.csv", rows, "on-demand"))
        assert "activate it under Billing, Cost allocation tags" in said

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("", "is empty"),
            ("a,b\n1,2\n", "neither a FOCUS nor a CUR 2.0 export"),
            ("lineItem/UsageAmount,x\n1,2\n", "legacy Cost and Usage Report"),
            ("ChargeCategory,Tags\nUsage,{}\n", "lacks the columns SkuMeter"),
            ("line_item_line_item_type,line_item_usage_type\nUsage,x\n", "lacks the columns line_item_usage_amount"),
        ],
    )
    def test_what_is_no_export(self, tmp_path, content, said):
        path = tmp_path / "bill.csv"
        path.write_text(content)
        assert said in self.refused(path)

    def test_an_export_that_was_cut_off(self, tmp_path):
        whole = self.file(tmp_path, "focus.parquet").read_bytes()
        (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
        assert "cannot read" in self.refused(tmp_path / "cut.parquet")

    def test_text_where_a_number_belongs(self, tmp_path):
        path = self.file(tmp_path)
        path.write_text(path.read_text().replace("BilledCost", "Billed", 1).replace("EffectiveCost", "BilledCost", 1))
        assert "lacks the column EffectiveCost" in self.refused(path)

    @pytest.mark.parametrize("value", ["NaN", "inf"])
    def test_a_cost_that_is_no_number(self, tmp_path, value):
        rows = all_rows(scenario_of(IDS[0]))
        file = write(tmp_path / "focus.csv", [rows[0] | {"usd": value}, *rows[1:]], "on-demand")
        with pytest.raises(
            UsageProblem, match=r"focus\.csv: the column BilledCost has a value that is no finite number"
        ):
            reconcile_bill(compared(), file, scenario=IDS[0])

    def test_a_time_that_is_none(self, tmp_path):
        file = write(tmp_path / "focus.csv", all_rows(scenario_of(IDS[0])), "on-demand")
        file.write_text(file.read_text().replace("2026-10-22T00:00:00.000Z", "soon"))
        with pytest.raises(UsageProblem, match="'soon' is no time"):
            reconcile_bill(compared(), file, scenario=IDS[0])

    def test_other_money(self, tmp_path):
        path = self.file(tmp_path)
        path.write_text(path.read_text().replace("USD", "CNY"))
        assert "charges in CNY" in self.refused(path)

    def test_a_folder_without_an_export(self, tmp_path):
        assert "no export in this folder" in self.refused(tmp_path)


def test_units_of_plan_and_bill():
    assert in_unit(5000.0, "Requests", "1k requests") == 5.0
    assert in_unit(1.5, "1000 Requests", "10k requests") == 0.15
    assert in_unit(2.0, "GB-Months", "GB-Mo") == 2.0
    assert in_unit(2.0, "Hrs", "GB") is None


def test_a_scenario_that_changed_its_purchase_is_another_bill(tmp_path):
    """The hours of a plan on spot that were bought On-Demand are not what it planned."""
    scenario = scenario_of("converged/p4d.24xlarge/on-demand")
    file = write(tmp_path / "focus.csv", all_rows(replace(scenario)), "on-demand")
    found = reconcile_bill(compared(), file, scenario="converged/p4d.24xlarge/spot-fallback")
    assert {"fleet.compute", "fleet.compute-on-demand"} <= {line.line for line in found.found.misses}
