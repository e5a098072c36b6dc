"""A bill as AWS would write it, generated from a plan: FOCUS 1.2 and CUR 2.0, by day, with other stacks and accounts.

What AWS does differently from a plan is in it: requests are counted singly, the hours of a Capacity Block cost nothing
beside its fee of the first day, covered hours of a commitment cost nothing beside its fees, usage types carry a code of
the Region, and tags a prefix.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

from planner.bills.units import per_unit
from planner.estimate.charge_months import Charge, charges_of, payments_of
from planner.estimate.result import Scenario
from planner.models.bill_lines import bill_line

Row = dict[str, Any]

BLOCK, RESERVED = "arn:aws:ec2:us-west-2:111122223333:capacity-reservation/cr-0a1", "arn:aws:ec2:ri/1"
USAGE_TYPES = {
    "fleet.ebs": ("AmazonEC2", "EBS:VolumeUsage.gp3", "GB-Mo"),
    "pool.control-ebs": ("AmazonEC2", "EBS:VolumeUsage.gp3", "GB-Mo"),
    "network.nat-gateway": ("AmazonEC2", "NatGateway-Hours", "Hrs"),
    "network.nat-data": ("AmazonEC2", "NatGateway-Bytes", "GB"),
    "network.public-ipv4": ("AmazonVPC", "PublicIPv4:InUseAddress", "Hrs"),
    "network.interface-endpoints": ("AmazonVPC", "VpcEndpoint-Hours", "Hrs"),
    "network.endpoint-data": ("AmazonVPC", "VpcEndpoint-Bytes", "GB"),
    "network.flow-logs": ("AmazonCloudWatch", "DataProcessing-Bytes", "GB"),
    "guard.metrics": ("AmazonCloudWatch", "CW:MetricMonitorUsage", "Metrics"),
    "guard.alarms": ("AmazonCloudWatch", "CW:AlarmMonitorUsage", "Alarms"),
    "storage.s3.standard": ("AmazonS3", "TimedStorage-ByteHrs", "GB-Mo"),
    "storage.s3.checkpoints": ("AmazonS3", "TimedStorage-ByteHrs", "GB-Mo"),
    "storage.s3.get-requests": ("AmazonS3", "Requests-Tier2", "Requests"),
    "storage.s3.put-requests": ("AmazonS3", "Requests-Tier1", "Requests"),
    "storage.kms.key": ("awskms", "KMS-Keys", "Keys"),
    "storage.kms.requests": ("awskms", "KMS-Requests", "Requests"),
    "storage.lustre.capacity": ("AmazonFSx", "Lustre:SSD-Storage:250", "GB-Mo"),
    "storage.lustre.metadata-iops": ("AmazonFSx", "Lustre:Metadata-IOPS", "IOPS-Mo"),
}


def rows(scenario: Scenario, start: date, retention_hours: float, *, stack: str = "dev") -> Iterator[Row]:
    """The charges of a plan by day: our own names, as `focus` and `cur` then write them."""
    for charge in charges_of(scenario, start, retention_hours):
        if bill_line(charge.line.line).in_stack:
            for begin, end, part in _days(charge):
                yield _row(scenario, charge, begin, end, part, stack)
    for payment in payments_of(scenario, start):
        block = scenario.option.family == "capacity-block"
        yield {
            "kind": "fee",
            "service": "AmazonEC2",
            "usage": f"USW2-CapacityBlock:{scenario.instance_type}" if block else "USW2-HeavyUsage",
            "unit": "Hrs",
            "quantity": payment.node_hours,
            "usd": payment.usd,
            "begin": payment.begin,
            "end": payment.end,
            "id": BLOCK if block else RESERVED,
            "stack": "",
            "component": "",
        }


def _row(scenario: Scenario, charge: Charge, begin: datetime, end: datetime, part: float, stack: str) -> Row:
    line, kind = charge.line, bill_line(charge.line.line)
    service, usage, unit = USAGE_TYPES[line.line] if line.line in USAGE_TYPES else _nodes(scenario, line.line)
    count, _ = per_unit(line.unit)
    return {
        "kind": "unused" if line.commitment_status == "Unused" else "covered" if line.commitment_status else "usage",
        "service": service,
        "usage": f"{'us-west-2' if service == 'awskms' else 'USW2'}-{usage}",
        "unit": unit,
        "quantity": charge.quantity * part * count,
        "usd": charge.usd * part,
        "listed": line.list_unit_price * charge.quantity * part,
        "begin": begin,
        "end": end,
        "id": (BLOCK if scenario.option.family == "capacity-block" else RESERVED) if line.commitment_status else "",
        "stack": "" if line.commitment_status == "Unused" else stack,
        "component": kind.component,
    }


def _nodes(scenario: Scenario, line: str) -> tuple[str, str, str]:
    if line == "pool.control-nodes":
        return "AmazonEC2", "BoxUsage:m7i.xlarge", "Hrs"
    if line == "storage.nvme.nodes":
        return "AmazonEC2", "BoxUsage:i4i.16xlarge", "Hrs"
    assert line.startswith("fleet."), f"{line} needs a usage type here"
    how = "SpotUsage" if scenario.option.starts_on_spot and line == "fleet.compute" else "BoxUsage"
    how = "UnusedBox" if line == "fleet.block-unused" else how
    return "AmazonEC2", f"{how}:{scenario.instance_type}", "Hrs"


def _days(charge: Charge) -> Iterator[tuple[datetime, datetime, float]]:
    begin, length = charge.begin, charge.end - charge.begin
    while begin < charge.end:
        end = min(charge.end, datetime(begin.year, begin.month, begin.day) + timedelta(days=1))
        yield begin, end, (end - begin) / length
        begin = end


def noise(start: date, count: int = 200) -> Iterator[Row]:
    """Charges of other stacks and of none, a credit and a tax."""
    base = {"service": "AmazonEC2", "unit": "Hrs", "id": "", "component": "fleet", "listed": 1.0}
    for index in range(count):
        day = datetime(start.year, start.month, start.day) + timedelta(hours=index % 300)
        yield base | {
            "kind": "usage",
            "usage": "USW2-BoxUsage:p4d.24xlarge",
            "quantity": 1.0,
            "usd": 21.0,
            "begin": day,
            "end": day + timedelta(hours=1),
            "stack": ("", "other", "prod")[index % 3],
        }
    for kind, usd, stack in (("credit", -500.0, "dev"), ("tax", 77.0, ""), ("discount", -12.5, "dev")):
        day = datetime(start.year, start.month, start.day)
        yield base | {
            "kind": kind,
            "usage": "",
            "quantity": 0.0,
            "usd": usd,
            "begin": day,
            "end": day + timedelta(days=1),
            "stack": stack,
        }


_FOCUS_KINDS = {"fee": "Purchase", "credit": "Credit", "tax": "Tax", "discount": "Adjustment"}


def focus(row: Row) -> Row:
    """A row of an export of FOCUS 1.2 with AWS columns."""
    kind, block = row["kind"], row["id"] == BLOCK
    covered = kind in ("covered", "unused")
    tags = {"user:planner:stack": row["stack"], "user:planner:component": row["component"]} if row["stack"] else {}
    return {
        "ChargeCategory": _FOCUS_KINDS.get(kind, "Usage"),
        "SubAccountId": row.get("account", "111122223333"),
        "x_ServiceCode": row["service"],
        "SkuMeter": row["usage"],
        "x_Operation": "RunInstances" + (":CB" if covered and block else ""),
        "PricingQuantity": row["quantity"],
        "PricingUnit": row["unit"],
        "BilledCost": 0.0 if covered else row["usd"],
        # AWS has no effective cost for the hours of a block, and that of covered hours for other commitments
        "EffectiveCost": 0.0 if kind == "fee" or (covered and block) else row["usd"],
        "ListCost": row.get("listed", row["usd"]),
        "BillingCurrency": "USD",
        "CommitmentDiscountId": row["id"] if row["id"] and not block else None,
        "CommitmentDiscountStatus": {"covered": "Used", "unused": "Unused"}.get(kind) if not block else None,
        "CapacityReservationId": row["id"] if block else None,
        "CapacityReservationStatus": {"covered": "Used", "unused": "Unused"}.get(kind) if block else None,
        "ChargePeriodStart": f"{row['begin']:%Y-%m-%dT%H:%M:%S.000Z}",
        "ChargePeriodEnd": f"{row['end']:%Y-%m-%dT%H:%M:%S.000Z}",
        "Tags": json.dumps(tags) if tags else None,
    }


def cur(row: Row, family: str) -> Iterator[Row]:
    """The rows of CUR 2.0 for one of ours; an unused part is in columns of the commitment's fee, so it has none."""
    kind, block, plan = row["kind"], row["id"] == BLOCK, family == "sp"
    types = {"usage": "Usage", "credit": "Credit", "tax": "Tax", "discount": "EdpDiscount"}
    types["covered"] = "Usage" if block else "SavingsPlanCoveredUsage" if plan else "DiscountedUsage"
    types["fee"] = "Fee" if block else "SavingsPlanRecurringFee" if plan else "RIFee"
    types["unused"] = "Usage" if block else types["fee"]
    commitment = row["id"] if row["id"] and not block else None
    tags = {"user_planner_stack": row["stack"], "user_planner_component": row["component"]} if row["stack"] else {}
    billed = row["usd"] if kind not in ("covered", "unused") or (plan and kind == "covered") else 0.0
    base = {
        "line_item_line_item_type": types[kind],
        "line_item_usage_account_id": row.get("account", "111122223333"),
        "line_item_product_code": row["service"],
        "line_item_usage_type": row["usage"],
        "line_item_operation": "RunInstances" + (":CB" if kind == "covered" and block else ""),
        "line_item_usage_amount": 0.0 if kind == "unused" and not block else row["quantity"],
        "pricing_unit": row["unit"],
        "line_item_unblended_cost": billed,
        "pricing_public_on_demand_cost": row.get("listed", 0.0),
        "line_item_currency_code": "USD",
        "reservation_reservation_a_r_n": None if plan else commitment,
        "savings_plan_savings_plan_a_r_n": commitment if plan else None,
        "capacity_reservation_capacity_reservation_arn": row["id"] if block else None,
        "capacity_reservation_capacity_reservation_status": kind if block and kind != "fee" else None,
        "reservation_effective_cost": row["usd"] if types[kind] == "DiscountedUsage" else 0.0,
        "reservation_unused_recurring_fee": row["usd"] if kind == "unused" and not block and not plan else 0.0,
        "reservation_unused_amortized_upfront_fee_for_billing_period": 0.0,
        "reservation_unused_quantity": row["quantity"] if kind == "unused" and not block and not plan else 0.0,
        "savings_plan_savings_plan_effective_cost": row["usd"] if plan and kind == "covered" else 0.0,
        "savings_plan_total_commitment_to_date": row["usd"] if plan and kind == "unused" else 0.0,
        "savings_plan_used_commitment": 0.0,
        "line_item_usage_start_date": row["begin"],
        "line_item_usage_end_date": row["end"],
        "resource_tags": tags,
    }
    yield base
    if plan and kind == "covered":  # what takes the On-Demand cost of covered usage back
        yield base | {
            "line_item_line_item_type": "SavingsPlanNegation",
            "line_item_unblended_cost": -billed,
            "savings_plan_savings_plan_effective_cost": 0.0,
        }
