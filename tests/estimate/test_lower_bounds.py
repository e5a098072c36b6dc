"""A price that is missing makes the total a lower bound that names it; it never makes a smaller whole."""

from __future__ import annotations

import re

import pytest

from planner.answer.gates import Gates, exit_code, violations
from planner.errors import ExitCode
from planner.estimate.bounds import bounded
from planner.report.data.comparison_json import scenario_document
from planner.report.html import page as as_html
from tests.builders import book_of, by_id, compared, plan_of

OPTIONS = ["on-demand", "spot", "capacity-block", "ri-1y-standard-no-upfront"]
PLAN = plan_of(
    purchase={"options": OPTIONS},
    storage={
        "fsx-lustre": {"throughput_mbps_per_tib": [250], "metadata_iops": 12_000},
        "separate-nvme": {"instance_type": "i3en.24xlarge"},
        "s3_gateway_endpoint": False,
    },
    data={"ingest": {"source": "other-region", "from_region": "us-west-2"}},
    people={"engineers": 1, "experiments": True, "preprocessing": {"gpu_hours": 100, "instance_type": "g5.48xlarge"}},
)
WHOLE = by_id(compared(PLAN))

# a bill line -> the rows of the price book that it stands on, as (table, words that all stand in the row)
DEPENDS_ON = {
    "fleet.ebs": ("metered", ("gp3 storage", "us-east-1")),
    "network.nat-gateway": ("metered", ("NAT gateway hour", "us-east-1")),
    "network.public-ipv4": ("metered", ("Public IPv4 address, in use",)),
    "network.interface-endpoints": ("metered", ("Interface endpoint, per availability zone", "us-east-1")),
    "network.nat-data": ("metered", ("NAT gateway data processed", "us-east-1")),
    "network.nat-s3-data": ("metered", ("NAT gateway data processed", "us-east-1")),
    "network.endpoint-data": ("metered", ("Interface endpoint data processed", "us-east-1")),
    "network.flow-logs": ("metered", ("Logs ingestion", "us-east-1")),
    "guard.alarms": ("metered", ("Standard resolution alarm", "us-east-1")),
    "pool.control-nodes": ("on_demand", ("m7i.xlarge", "us-east-1")),
    "pool.control-ebs": ("metered", ("gp3 storage", "us-east-1")),
    "storage.s3.standard": ("metered", ("S3 Standard storage", "us-east-1")),
    "storage.s3.checkpoints": ("metered", ("S3 Standard storage", "us-east-1")),
    "storage.s3.get-requests": ("metered", ("S3 Standard GET and all other", "us-east-1")),
    "storage.s3.put-requests": ("metered", ("S3 Standard PUT/COPY/POST/LIST", "us-east-1")),
    "storage.kms.key": ("metered", ("Customer managed key", "us-east-1")),
    "storage.kms.requests": ("metered", ("Symmetric requests", "us-east-1")),
    "storage.lustre.capacity": ("metered", ("PERSISTENT_2 SSD storage", "us-east-1", "250 MB/s/TiB")),
    "storage.lustre.metadata-iops": ("metered", ("PERSISTENT_2 Metadata IOPS above the included amount", "us-east-1")),
    "storage.nvme.nodes": ("on_demand", ("i3en.24xlarge", "us-east-1")),
    "storage.nvme.ebs": ("metered", ("gp3 storage", "us-east-1")),
    "transfer.ingest": ("metered", ("Data transfer out to other AWS regions", "us-west-2")),
    "people.preprocessing": ("on_demand", ("g5.48xlarge", "us-east-1")),
}
COMPUTE = {
    "on-demand": ("on_demand", ("p4d.24xlarge", "us-east-1")),
    "spot": ("spot", ("p4d.24xlarge", "us-east-1")),
    "capacity-block": ("capacity_blocks", ("p4d.24xlarge", "us-east-1")),
    "ri-1y-standard-no-upfront": ("commitments", ("p4d.24xlarge", "us-east-1", "ri-1y-standard-no-upfront")),
}


def _without(table: str, words: tuple[str, ...], *, in_every_region: bool = False):
    """The book without some rows, of one Region or of all: a price that no Region has cannot be bounded."""
    if in_every_region:
        words = tuple(word for word in words if word not in ("us-east-1", "us-west-2"))

    def gone(name, row):
        return name == table and set(words) <= set(row.values())

    assert any(gone(table, row) for row in book_of().rows(table)), (table, words)
    return book_of().without(gone)


def _priced_by_aws(scenario):
    return {line.line for line in scenario.bill if line.basis != "assumption"}


def test_the_table_above_knows_every_line():
    known = set(DEPENDS_ON) | {"fleet.compute", "fleet.block-unused", "fleet.commitment-unused"}
    assert set().union(*(_priced_by_aws(s) for s in WHOLE.values())) == known
    assert all(s.complete and s.feasible for s in WHOLE.values())


@pytest.mark.parametrize("line", DEPENDS_ON)
def test_taking_a_price_away(line):
    table, words = DEPENDS_ON[line]
    book = _without(table, words, in_every_region=True)
    near = any(words[0] in row.values() for row in book.rows(table))
    lost = by_id(compared(PLAN, book=book))
    touched = 0
    for key, before in WHOLE.items():
        after = lost[key]
        if line not in _priced_by_aws(before):
            continue
        touched += 1
        assert after.feasible
        assert not after.complete
        assert line not in {entry.line for entry in after.bill}
        missing = {entry.line: entry for entry in after.unpriced}
        named = line if line != "storage.s3.checkpoints" else "storage.s3.standard"
        assert named in missing
        assert missing[named].nearest or not near, f"{line}: what is near is named, where there is any"
        gone = {e.line for e in before.bill} - {e.line for e in after.bill}
        left_out = sum(e.effective_cost for e in before.bill if e.line in gone)
        assert after.cost_usd.plan == pytest.approx(before.cost_usd.plan - left_out, rel=1e-9)
        assert after.cost_usd.plan < before.cost_usd.plan
    assert touched


@pytest.mark.parametrize("option", COMPUTE)
def test_taking_the_nodes_price_away(option):
    lost = by_id(compared(PLAN, book=_without(*COMPUTE[option])))
    for key, before in WHOLE.items():
        if before.purchase != option:
            continue
        after = lost[key]
        assert not after.complete
        lines = {entry.line for entry in after.unpriced}
        assert {"fleet.compute", "people.experiments"} <= lines
        assert not {entry.line for entry in after.bill} & {
            "fleet.compute",
            "fleet.block-unused",
            "fleet.commitment-unused",
            "people.experiments",
        }
        assert next(e for e in after.unpriced if e.line == "fleet.compute").nearest


def test_without_the_interruption_band_spot_is_a_lower_bound():
    lost = by_id(compared(PLAN, book=_without("interruptions", ("p4d.24xlarge", "us-east-1"))))
    spot = lost["s3-stream/p4d.24xlarge/spot"]
    assert not spot.complete
    assert [e.line for e in spot.unpriced] == ["fleet.spot-interruptions"]


def test_no_price_a_terabyte_from_half_a_bill():
    lost = by_id(compared(PLAN, book=_without(*DEPENDS_ON["storage.lustre.capacity"], in_every_region=True)))
    assert WHOLE["fsx-lustre+250/p4d.24xlarge/on-demand"].storage.usd_per_usable_tb_month > 0
    assert lost["fsx-lustre+250/p4d.24xlarge/on-demand"].storage.usd_per_usable_tb_month is None


@pytest.mark.parametrize("tier", [125, 250, 500, 1000])
def test_a_tier_without_a_price_might_be_the_lowest_so_the_choice_stops_there(tier):
    plan = plan_of(storage={"layouts": ["fsx-lustre"]}, purchase={"options": ["on-demand"]})
    (whole,) = compared(plan).scenarios
    assert whole.complete
    missing = ("PERSISTENT_2 SSD storage", f"{tier} MB/s/TiB")
    (lost,) = compared(plan, book=_without("metered", missing)).scenarios
    assert not lost.complete
    assert [entry.line for entry in lost.unpriced] == ["storage.lustre.capacity"]
    assert lost.unpriced[0].nearest
    assert any(f"{tier} MB/s/TiB tier is not known" in warning for warning in lost.warnings)
    # who names a tier is not asked to wait for the others
    other = 250 if tier != 250 else 500
    storage = {"layouts": ["fsx-lustre"], "fsx-lustre": {"throughput_mbps_per_tib": [other]}}
    named = plan_of(storage=storage, purchase={"options": ["on-demand"]})
    assert all(s.complete for s in compared(named, book=_without("metered", missing)).scenarios)


@pytest.mark.parametrize("candidate", ["i3en.24xlarge", "i4i.32xlarge", "i7ie.24xlarge", "i7ie.48xlarge"])
def test_a_storage_type_without_a_price_might_be_the_cheapest(candidate):
    plan = plan_of(storage={"layouts": ["separate-nvme"]}, purchase={"options": ["on-demand"]})
    (whole,) = compared(plan).scenarios
    assert whole.complete
    (lost,) = compared(plan, book=_without("on_demand", (candidate,))).scenarios
    assert not lost.complete
    assert [entry.line for entry in lost.unpriced] == ["storage.nvme.nodes"]
    assert any(candidate in warning for warning in lost.warnings)


def test_a_storage_type_without_hardware_facts_is_no_candidate_and_no_crash():
    plan = plan_of(storage={"layouts": ["separate-nvme"]}, purchase={"options": ["on-demand"]})
    (lost,) = compared(plan, book=_without("instances", ("i3en.24xlarge",))).scenarios
    assert lost.complete
    assert any("i3en.24xlarge is not considered" in warning for warning in lost.warnings)
    candidates = {"i3en.24xlarge", "i4i.32xlarge", "i7ie.24xlarge", "i7ie.48xlarge"}
    nothing = book_of().without(lambda table, row: table == "instances" and row["name"] in candidates)
    (none,) = compared(plan, book=nothing).scenarios
    assert not none.feasible
    assert "no instance type for a storage cluster" in none.why_not[0]


def test_not_offered_is_infeasible_with_the_proof():
    plan = plan_of(fleet={"instance_types": ["g5.48xlarge"]}, purchase={"options": ["capacity-block"]})
    found = compared(plan)
    proof = [
        r
        for r in book_of().rows("not_offered")
        if r["instance_type"] == "g5.48xlarge" and r["table"] == "capacity_blocks"
    ]
    assert proof
    for scenario in found.scenarios:
        assert not scenario.feasible
        assert scenario.cost_usd is None
        (why,) = scenario.why_not
        assert why == f"AWS does not offer g5.48xlarge capacity-block in us-east-1 (list of {proof[0]['observed']})"
    assert exit_code(violations(found, Gates())) == ExitCode.GATE


def test_incomplete_ranks_behind_every_complete_one():
    lost = compared(PLAN, book=_without("spot", ("p4d.24xlarge", "us-east-1")))
    states = [(not s.feasible, not s.complete) for s in lost.scenarios]
    assert states == sorted(states)
    assert lost.best.purchase != "spot"


def test_above_the_last_tier_that_is_known():
    """5 PB a month with a ladder that ends at 512,000 GB: unpriced, with the rungs that are known."""
    plan = plan_of(data={"kept_in_s3": "5PB"}, purchase={"options": ["on-demand"]}, storage={"layouts": ["s3-stream"]})
    short = book_of().without(
        lambda table, row: table == "metered" and row["item"] == "S3 Standard storage" and row["tier_from"] == "512000"
    )
    (whole,), (bound,) = compared(plan).scenarios, compared(plan, book=short).scenarios
    assert whole.complete
    assert not bound.complete
    (missing,) = bound.unpriced
    assert missing.line == "storage.s3.standard"
    assert "above 512,000 GB" in missing.what
    assert "0.022" in missing.nearest[-1]
    gone = {"storage.s3.standard", "storage.s3.checkpoints"}
    left = sum(e.effective_cost for e in whole.bill if e.line not in gone)
    assert bound.cost_usd.plan == pytest.approx(left)


class TestWhatIsBounded:
    """What lacks a price is marked in the document and on the page, wherever its figure stands."""

    def test_the_document_marks_totals_and_names_what_is_missing(self):
        unpriced = compared(PLAN, book=_without(*DEPENDS_ON["storage.s3.standard"]), draws=50)
        for scenario in (s for s in unpriced.scenarios if s.feasible):
            document = scenario_document(scenario)
            assert document["lower_bound"].startswith("no price for storage.s3.standard: AmazonS3")
            assert document["cost_usd"]["lower_bound"]
            assert document["cost_usd"]["plan_percentile"] is None
            assert document["usd_per_useful_gpu_hour"]["lower_bound"]
            assert not document["days"]["lower_bound"]
            # a fee that is known is known; what has no price comes with the monthly bills
            bounds = [entry for entry in document["cash"] if entry["lower_bound"]]
            assert [entry["due"] for entry in bounds] == ["monthly"]
            assert bounds[0]["what"].endswith("on the monthly bills")

    def test_a_complete_bill_has_no_lower_bound(self):
        for scenario in WHOLE.values():
            document = scenario_document(scenario)
            assert document["lower_bound"] is None
            entries = [document[key] for key in ("cost_usd", "days", "usd_per_useful_gpu_hour")]
            assert not any(entry["lower_bound"] for entry in (*entries, *document["cash"]))

    def test_without_an_interruption_rate_the_time_is_a_lower_bound_too(self):
        book = book_of().without(lambda table, row: table == "interruptions")
        (scenario,) = compared(
            plan_of(purchase={"options": ["spot"]}, storage={"layouts": ["s3-stream"]}), book=book
        ).scenarios
        assert scenario_document(scenario)["days"]["lower_bound"]
        assert bounded(scenario, "days.p90")
        assert bounded(scenario, "run.hours")
        assert not bounded(scenario, "run.hours_of_something_else")

    def test_the_page_marks_lower_bounds(self):
        """What is billed later lacks the line without a price; the fee of a Capacity Block is known."""
        block = PLAN.model_copy(update={"purchase": PLAN.purchase.model_copy(update={"options": ("capacity-block",)})})
        page = as_html.render(compared(block, book=_without(*DEPENDS_ON["storage.s3.standard"]), draws=50))
        for entry in re.findall(r'<tr class="list">.*?</tr>', page):
            assert "<td class=n>≥ " in entry
        for what, sign in (
            ("everything, on the monthly bills|everything else, on the monthly bills", "≥ "),
            ("not refundable", ""),
        ):
            found = re.findall(rf"<dd>([^<]*)\$[^<]*<br><span class=\"quiet\">[^<]*(?:{what})", page)
            assert found
            assert set(found) == {sign}
