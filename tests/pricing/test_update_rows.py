"""Rows of a new book out of what AWS publishes: each known way to take the wrong figure for a price."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from constructed import block_offer, savings_plan
from offer_files import document, reserved

from pricing.price_list.product import BadPriceList, product_of
from pricing.update.blocks import block_rows
from pricing.update.compute import compute_rows
from pricing.update.market import advisor_rows, spot_rows
from pricing.update.metered import metered_rows
from pricing.update.rows import Findings, Provenance
from pricing.update.savings_plans import savings_plan_rows

SEEN = Provenance(observed=date(2026, 11, 24), source="made up")


def compute(*documents: dict[str, Any]) -> Findings:
    return compute_rows(map(product_of, documents), SEEN, lambda name: name.startswith("p"))


def metered(*documents: dict[str, Any]) -> Findings:
    return metered_rows(map(product_of, documents), SEEN)


def s3(usage: str, usd: Any, unit: str = "GB-Mo", region: str = "us-east-1", sku: str = "S3", **more: str):
    attributes = {"usagetype": usage, "regionCode": region, **more}
    return document(usd, sku=sku, service="AmazonS3", family="Storage", unit=unit, attributes=attributes)


@pytest.mark.parametrize(
    "more",
    [
        {"marketoption": "CapacityBlock", "operation": "RunInstances:CB"},
        {"operatingSystem": "RHEL"},
        {"operatingSystem": "Windows", "licenseModel": "Bring your own license"},
        {"preInstalledSw": "SQL Ent"},
        {"tenancy": "Dedicated", "usagetype": "DedicatedUsage:p4d.24xlarge"},
        {"tenancy": "Host", "usagetype": "HostBoxUsage:p4d.24xlarge"},
        {"capacitystatus": "UnusedCapacityReservation", "usagetype": "UnusedBox:p4d.24xlarge"},
        {"capacitystatus": "AllocatedCapacityReservation", "usagetype": "Reservation:p4d.24xlarge"},
    ],
)
@pytest.mark.parametrize("usd", ["0.0000000000", "3.2"])
def test_what_is_no_plain_instance_neither_gives_nor_hides_a_price(more, usd):
    plain = document()
    other = document(usd, sku="S2", **more)
    for found in (compute(plain, other), compute(other, plain)):
        assert [row["usd"] for row in found.rows["on_demand"]] == ["21.957642"]
        assert found.problems == ()


def test_a_plain_instance_at_zero_is_a_problem_and_no_price():
    found = compute(document("0.0000000000"))
    assert found.rows["on_demand"] == []
    assert "no On-Demand price above zero" in found.problems[0]


def test_two_prices_for_one_thing_are_a_problem_and_neither_is_taken():
    found = compute(document(), document("1", sku="S2"), document("1", sku="S3"))
    assert found.rows["on_demand"] == []
    assert "S1 and S2" in found.problems[0]
    assert len(compute(document(), document(sku="S2")).rows["on_demand"]) == 1
    storage = [s3("TimedStorage-ByteHrs", usd, sku=usd) for usd in ("0.023", "0.024", "0.024")]
    found = metered(*storage)
    assert found.rows["metered"] == []
    assert "another price" in found.problems[0]


def test_an_upfront_part_is_spread_over_the_term():
    terms = {
        ("1yr", "standard", "Partial Upfront"): ("5.5", "87600"),  # 5.5 + 87,600 / 8,760
        ("3yr", "convertible", "All Upfront"): ("0.0000000000", "262800"),  # 262,800 / 26,280
        ("1yr", "standard", "Heavy Utilization"): ("1", ""),
    }
    found = compute(reserved(document(), terms))
    assert {row["option"]: row["usd"] for row in found.rows["commitments"]} == {
        "ri-1y-standard-partial-upfront": "15.5",
        "ri-3y-convertible-all-upfront": "10",
    }
    assert "Heavy Utilization" in found.problems[0]


def test_requests_are_per_thousand_and_keys_per_ten_thousand():
    kms = document(
        "0.0000030000",
        service="awskms",
        unit="Requests",
        attributes={"usagetype": "us-east-1-KMS-Requests", "regionCode": "us-east-1"},
    )
    found = metered(s3("Requests-Tier1", "0.0000050000", "Requests"), kms)
    assert [(row["item"], row["usd"], row["unit"]) for row in found.rows["metered"]] == [
        ("S3 Standard PUT/COPY/POST/LIST", "0.005", "1k requests"),
        ("Symmetric requests", "0.03", "10k requests"),
    ]


def test_tiers_end_at_inf_and_a_gap_or_an_unknown_unit_is_a_problem():
    ladder = [("0", "51200", "0.023"), ("51200", "512000", "0.022"), ("512000", "Inf", "0.021")]
    rows = metered(s3("TimedStorage-ByteHrs", ladder)).rows["metered"]
    assert [(row["tier_from"], row["tier_to"], row["usd"]) for row in rows] == ladder
    for wrong, why in ((ladder[1:], "gap"), ([ladder[0], ladder[2]], "gap")):
        found = metered(s3("TimedStorage-ByteHrs", wrong))
        assert found.rows["metered"] == []
        assert why in found.problems[0]
    found = metered(s3("TimedStorage-ByteHrs", "23.5", "TB-Mo"))
    assert found.rows["metered"] == []
    assert "'TB-Mo'" in found.problems[0]


def test_a_free_first_tier_is_not_counted_and_says_so():
    (row,) = metered(s3("TimedStorage-ByteHrs", [("0", "5", "0.0"), ("5", "Inf", "0.023")])).rows["metered"]
    assert (row["tier_from"], row["tier_to"], row["usd"]) == ("0", "Inf", "0.023")
    assert row["note"] == "the first 5 are free and not counted"
    found = metered(s3("TimedStorage-ByteHrs", "0.0000000000"))
    assert found.rows["metered"] == []
    assert "zero" in found.problems[0]


@pytest.mark.parametrize(
    ("usage", "region", "priced"),
    [
        ("TimedStorage-ByteHrs", "us-east-1", True),
        ("USE1-TimedStorage-ByteHrs", "us-east-1", True),
        ("EU-TimedStorage-ByteHrs", "eu-west-1", True),  # older than the codes with numbers
        ("EUC1-TimedStorage-ByteHrs", "eu-central-1", True),
        ("USW2-LAX1-TimedStorage-ByteHrs", "us-west-2", False),  # a Local Zone
        ("Tables-TimedStorage-ByteHrs", "us-east-1", False),  # another product of S3
        ("USE1-TimedStorage-SIA-ByteHrs", "us-east-1", False),
    ],
)
def test_the_region_is_read_from_its_attribute_and_the_code_in_front_does_not_matter(usage, region, priced):
    found = metered(s3(usage, "0.023", region=region))
    named = [row["region"] for row in found.rows["metered"] if row["item"] == "S3 Standard storage"]
    assert named == ([region] if priced else [])


def test_throughput_of_gp3_is_priced_per_gib_and_planned_per_mib():
    attributes = {"usagetype": "APN1-EBS:VolumeP-Throughput.gp3", "regionCode": "ap-northeast-1"}
    (row,) = metered(document("49.152", unit="GiBps-mo", attributes=attributes)).rows["metered"]
    assert (row["usd"], row["unit"]) == ("0.048", "MBps-Mo")


def test_lustre_is_told_from_other_file_systems_by_its_attribute():
    def fsx(kind: str, usd: str) -> dict[str, Any]:
        place = {"usagetype": "USW2-Storage.SSD.250", "regionCode": "us-west-2", "storageType": "SSD"}
        return document(usd, sku=kind, service="AmazonFSx", unit="GB-Mo", attributes={**place, "fileSystemType": kind})

    (row,) = metered(fsx("OpenZFS", "0.09"), fsx("Lustre", "0.21"), fsx("Windows", "0.13")).rows["metered"]
    assert (row["item"], row["offering"], row["usd"]) == ("PERSISTENT_2 SSD storage", "250 MB/s/TiB", "0.21")


def test_transfer_to_other_regions_is_the_price_to_most_of_them_with_its_range():
    def way(to: str, usd: str) -> dict[str, Any]:
        code = {"us-east-2": "USE2"}.get(to, to.upper())
        place = {"usagetype": f"USE1-{code}-AWS-Out-Bytes", "fromRegionCode": "us-east-1", "toRegionCode": to}
        attributes = {**place, "transferType": "InterRegion Outbound"}
        return document(usd, sku=to, service="AWSDataTransfer", unit="GB", attributes=attributes)

    ways = [way("us-east-2", "0.01"), way("use2", "0.02"), way("usw2", "0.02"), way("apn9", "0.09")]
    found = {row["item"]: row for row in metered(*ways).rows["metered"]}
    assert found["Data transfer between us-east-1 and us-east-2"]["usd"] == "0.01"
    elsewhere = found["Data transfer out to other AWS regions"]
    assert (elsewhere["usd"], elsewhere["note"]) == ("0.02", "to most Regions; 0.02 to 0.09 by destination")


def test_savings_plans_take_used_linux_on_shared_hardware_alone():
    row = {"instance_type": "p5.48xlarge", "region": "us-east-1", "usd": "38.5"}
    plain = savings_plan(row, "1y", "compute", "No Upfront")
    others = [
        {**plain, "rate": "1", "usageType": "DedicatedUsage:p5.48xlarge"},
        {**plain, "rate": "2", "usageType": "UnusedBox:p5.48xlarge"},
        {**plain, "rate": "3", "operation": "RunInstances:0010"},
        {
            **plain,
            "rate": "4",
            "properties": [
                {**one, "value": "RHEL"} if one["name"] == "productDescription" else one for one in plain["properties"]
            ],
        },
    ]
    found = savings_plan_rows([*others, plain], SEEN, lambda _: True)
    assert [(one["option"], one["usd"]) for one in found.rows["commitments"]] == [("sp-1y-compute-no-upfront", "38.5")]
    zero = savings_plan_rows([{**plain, "rate": "0.0"}], SEEN, lambda _: True)
    assert zero.rows["commitments"] == []
    assert "is no price" in zero.problems[0]


def test_a_block_is_the_median_of_its_offers_and_an_offer_without_a_fee_is_none():
    row = {"instance_type": "p5.48xlarge", "region": "us-east-1"}
    offers = [block_offer({**row, "usd": usd}, hours=hours) for usd, hours in (("30", 24), ("31.5", 48), ("44", 144))]
    free = {**offers[0], "UpfrontFee": "0.00"}
    found = block_rows([*offers, free, {**offers[0], "CurrencyCode": "CNY"}], "us-east-1", SEEN)
    (one,) = found.rows["capacity_blocks"]
    assert (one["usd"], one["note"]) == ("31.5", "median of 3 offers, 30 to 44")
    assert len(found.problems) == 2


END = datetime(2026, 11, 24, tzinfo=UTC)


def spot(*changes: tuple[float, str], zone: str = "us-east-1a", weeks: int = 1) -> Findings:
    history = [
        {
            "InstanceType": "p5.48xlarge",
            "AvailabilityZone": zone,
            "SpotPrice": usd,
            "Timestamp": END - timedelta(days=days),
        }
        for days, usd in changes
    ]
    return spot_rows(history, {"us-east-1a": "use1-az4"}, "us-east-1", END, weeks, SEEN)


def test_spot_is_the_mean_over_time_by_zone_id_never_the_lowest():
    # of 7 days: 6 at 20, 1 at 55
    (row,) = spot((9, "20"), (1, "55")).rows["spot"]
    assert (row["zone_id"], row["usd"]) == ("use1-az4", "25")
    assert row["note"] == "mean of 7 days, 20 to 55, 1 changes"


def test_each_week_of_the_window_is_an_observation_of_its_own():
    rows = spot((20, "10"), (7, "30"), weeks=3).rows["spot"]
    assert [(row["observed"], row["usd"]) for row in rows] == [
        ("2026-11-10", "10"),  # known for the last 6 days of that week
        ("2026-11-17", "10"),
        ("2026-11-24", "30"),
    ]


def test_a_zone_whose_id_is_not_known_gives_no_row():
    found = spot((1, "20"), zone="us-east-1f")
    assert found.rows["spot"] == []
    assert "us-east-1f" in found.problems[0]


def test_spot_advisor_gives_bands_and_no_prices():
    feed = {
        "ranges": [{"index": 4, "label": ">20%"}, {"index": 0, "label": "<5%"}],
        "spot_advisor": {
            "us-east-1": {"Linux": {"p5.48xlarge": {"s": 62, "r": 4}}, "Windows": {"p5.48xlarge": {"r": 0}}}
        },
    }
    rows = advisor_rows(feed, ["us-east-1"], SEEN).rows
    assert list(rows) == ["interruptions"]
    assert [(row["instance_type"], row["label"]) for row in rows["interruptions"]] == [("p5.48xlarge", ">20%")]
    with pytest.raises(BadPriceList, match="another form"):
        advisor_rows({"ranges": []}, None, SEEN)
    with pytest.raises(BadPriceList, match="not known"):
        advisor_rows({**feed, "ranges": [{"index": 0, "label": "<7%"}]}, None, SEEN)
