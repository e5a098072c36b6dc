"""A forecast of the bill as FOCUS 1.2 (FinOps Open Cost and Usage Specification): one scenario by calendar month.

What is used has rows of ChargeCategory Usage; a commitment or Capacity Block also has its purchase, whose BilledCost is
on the bill and whose EffectiveCost is 0, as FOCUS requires. So the sums of both costs are the planned cost.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from typing import Any

from planner.answer.compared import Compared
from planner.answer.row import R, Row
from planner.decide.comparison import Comparison
from planner.errors import UsageProblem
from planner.estimate.charge_months import Charge, Payment, charges_of, even_charges_of, payments_of
from planner.estimate.result import Scenario
from planner.models.bill import INSTANCES, SERVICES
from planner.models.bill_lines import COMPUTE, bill_line
from planner.models.calendar_months import month_starts
from planner.plan.types import Plan
from planner.report.data.compared_json import number, percentile_usd
from planner.report.data.comparison_csv import Rows, safe
from planner.report.data.encoding import utf8
from planner.report.data.provenance import made_by
from planner.report.wording.figures import visible

# columns of FOCUS 1.2, then ours
COLUMNS = (
    *("BillingAccountId", "BillingAccountName", "BillingAccountType", "BillingCurrency"),
    *("BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart", "ChargePeriodEnd"),
    *("ChargeCategory", "ChargeClass", "ChargeDescription", "ChargeFrequency", "PricingCategory"),
    *("BilledCost", "EffectiveCost", "ContractedCost", "ListCost"),
    *("PricingQuantity", "PricingUnit", "ListUnitPrice", "ContractedUnitPrice", "ConsumedQuantity", "ConsumedUnit"),
    *("CommitmentDiscountId", "CommitmentDiscountName", "CommitmentDiscountCategory", "CommitmentDiscountType"),
    *("CommitmentDiscountStatus", "CommitmentDiscountQuantity", "CommitmentDiscountUnit"),
    *("CapacityReservationId", "CapacityReservationStatus"),
    *("ProviderName", "PublisherName", "InvoiceIssuerName", "InvoiceId"),
    *("ServiceName", "ServiceCategory", "ServiceSubcategory", "SkuId", "SkuMeter", "SkuPriceId", "SkuPriceDetails"),
    *("ResourceId", "ResourceName", "ResourceType", "RegionId", "RegionName", "AvailabilityZone"),
    *("SubAccountId", "SubAccountName", "SubAccountType", "Tags"),
    *("PricingCurrency", "PricingCurrencyListUnitPrice", "PricingCurrencyContractedUnitPrice"),
    "PricingCurrencyEffectiveCost",
    *("x_Scenario", "x_Line", "x_PriceDate", "x_PriceGrade", "x_PriceBasis", "x_Complete"),
    *("x_ScenarioCostP10", "x_ScenarioCostP50", "x_ScenarioCostP90"),
    *("x_Plan", "x_PlanSha256", "x_PriceBook", "x_Seed", "x_Draws", "x_PlannerVersion", "x_ModelSha256"),
)
STACK = "dev"  # the name of a pool's stack, unless --stack gives another
PLANNED = "planned"  # no account exists yet: in place of ids that must not be null
OWN_LIST = "own-list"
PROVIDERS = {"people": "in-house", OWN_LIST: "price list"}
SUBCATEGORIES = {
    "AmazonEC2": "Virtual Machines",
    "AmazonEBS": "Block Storage",
    "AmazonS3": "Object Storage",
    "AmazonFSx": "File Storage",
    "AmazonRDS": "Relational Databases",
    "AmazonVPC": "Network Connectivity",
    "AWSDataTransfer": "Network Connectivity",
    "AmazonCloudWatch": "Observability",
    "awskms": "Secret Management",
    "AWSPCS": "Other (Compute)",
    "people": "Other (Other)",
    OWN_LIST: "Other (Compute)",
}
# purchase option -> FOCUS's category of the commitment, its type, unit of its quantity
COMMITMENTS = {
    "ri": ("Usage", "Reserved Instance", "Hours"),
    "sp": ("Spend", "Savings Plan", "USD"),
    "capacity-block": ("Usage", "Capacity Block", "Hours"),
}


def render(comparison: Comparison, scenario: Scenario, plan: Plan, start: date) -> str:
    """CSV of one scenario, without its lines that have no price. start: the first day of the run."""
    return _written(rows_of(comparison, scenario, plan, start))


def render_even(found: Compared[R], scenario: R, instance_type: str, start: date) -> str:
    """The same of a choice whose planned bill is a mean: spread evenly to its planned end. Raises UsageProblem where it
    never ends."""
    if scenario.days is None or not math.isfinite(scenario.days.plan):
        raise UsageProblem(
            f"-f focus: some runs of {scenario.id} never end, so its bill has no last month; --scenario names another"
        )
    charges = even_charges_of(scenario.bill, start, scenario.days.plan * 24)
    shared = _shared(found, scenario)
    return _written(shared | _usage(instance_type, charge, STACK) for charge in charges)


def _written(rows: Iterable[dict[str, Any]]) -> str:
    written = Rows()
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([_cell(row.get(column)) for column in COLUMNS])
    return utf8("".join(written))


def _cell(value: Any) -> object:
    return number(value) if isinstance(value, float) else safe(value)


def rows_of(comparison: Comparison, scenario: Scenario, plan: Plan, start: date) -> Iterator[dict[str, Any]]:
    """The rows, by column; a column without a value is missing. Lines without a price are in no row."""
    shared = _shared(comparison, scenario)
    for payment in payments_of(scenario, start):
        yield shared | _purchase(scenario, payment, plan.deploy.stack)
    for charge in charges_of(scenario, start, plan.storage.retention_hours or 0.0):
        usage = _usage(scenario.instance_type, charge, plan.deploy.stack)
        yield shared | usage | (_committed(scenario, charge) if charge.line.commitment_status else {})


def _shared(comparison: Compared[Any], scenario: Row) -> dict[str, Any]:
    """What every row has."""
    program, cost = made_by(), scenario.cost_usd
    spread = (cost.p10, cost.p50, cost.p90) if cost and scenario.complete else (None, None, None)
    return {
        "BillingAccountId": PLANNED,
        "BillingAccountName": PLANNED,
        "BillingAccountType": "Forecast",
        "BillingCurrency": "USD",
        "PricingCurrency": "USD",
        "RegionId": comparison.region,
        "RegionName": comparison.region,
        "x_Scenario": scenario.id,
        "x_Complete": str(scenario.complete).lower(),
        **{f"x_ScenarioCostP{n}": percentile_usd(p) for n, p in zip((10, 50, 90), spread, strict=True)},
        "x_Plan": visible(comparison.plan_name),
        "x_PlanSha256": comparison.plan_sha256,
        "x_PriceBook": comparison.prices.as_of.isoformat(),
        "x_Seed": comparison.seed,
        "x_Draws": comparison.draws,
        "x_PlannerVersion": program["version"],
        "x_ModelSha256": program["model_sha256"],
    }


def _usage(instance_type: str, charge: Charge, stack: str) -> dict[str, Any]:
    line, quantity, usd = charge.line, charge.quantity, charge.usd
    committed = line.commitment_status
    # the price before commitments: of tiers, the mean of this month
    contracted = line.list_unit_price if committed else (usd / quantity if quantity else line.effective_unit_price)
    listed = contracted if line.list_unit_price == line.effective_unit_price else line.list_unit_price
    row = _service(line.service, line.line, instance_type, line.pricing_category) | {
        **_periods(charge.begin, charge.end, charge.begin),
        "ChargeCategory": "Usage",
        "ChargeFrequency": "Usage-Based",
        "ChargeDescription": _described(line.service, line.line, line.note or line.price_note),
        "BilledCost": 0.0 if committed else usd,
        "EffectiveCost": usd,
        **_priced(quantity, line.unit, listed, contracted, usd),
        "x_Line": line.line,
        "x_PriceDate": str(line.price_date),
        "x_PriceGrade": line.price_grade,
        "x_PriceBasis": line.basis,
    }
    if committed != "Unused":
        row |= {"ConsumedQuantity": quantity, "ConsumedUnit": _unit(line.unit)}
    if line.service == OWN_LIST:  # in no AWS Region, and in no stack
        row |= {"RegionId": None, "RegionName": None}
    elif component := bill_line(line.line).component:
        row["Tags"] = _tags(stack, component)
    return row


def _committed(scenario: Scenario, charge: Charge) -> dict[str, Any]:
    """What usage under a commitment has beside that."""
    status = charge.line.commitment_status
    row = _commitment(scenario, charge.quantity, charge.usd) | {"CommitmentDiscountStatus": status}
    if scenario.option.family == "capacity-block":
        row |= {"CapacityReservationId": _commitment_id(scenario), "CapacityReservationStatus": status}
    return row


def _purchase(scenario: Scenario, payment: Payment, stack: str) -> dict[str, Any]:
    unit_price = payment.usd / payment.node_hours
    _, kind, _ = COMMITMENTS[scenario.option.family]
    line = next(line for line in scenario.bill if line.line == COMPUTE)
    row = _service(INSTANCES, COMPUTE, scenario.instance_type, "Standard") | {
        **_periods(payment.begin, payment.end, payment.billed),
        "ChargeCategory": "Purchase",
        "ChargeFrequency": "Recurring" if payment.recurring else "One-Time",
        "ChargeDescription": _described(INSTANCES, COMPUTE, f"{kind}, {scenario.nodes} nodes, the whole term"),
        "BilledCost": payment.usd,
        "EffectiveCost": 0.0,
        **_priced(payment.node_hours, "Hrs", unit_price, unit_price, 0.0),
        **_commitment(scenario, payment.node_hours, payment.usd),
        "x_Line": COMPUTE,
        "x_PriceDate": str(line.price_date),
        "x_PriceGrade": line.price_grade,
        "x_PriceBasis": line.basis,
        "Tags": _tags(stack, "fleet"),
    }
    if scenario.option.family == "capacity-block":
        row["CapacityReservationId"] = _commitment_id(scenario)
    return row


def _priced(quantity: float, unit: str, listed: float, contracted: float, effective: float) -> dict[str, Any]:
    return {
        "PricingQuantity": quantity,
        "PricingUnit": _unit(unit),
        "ListUnitPrice": listed,
        "ContractedUnitPrice": contracted,
        "ListCost": quantity * listed,
        "ContractedCost": quantity * contracted,
        "PricingCurrencyListUnitPrice": listed,
        "PricingCurrencyContractedUnitPrice": contracted,
        "PricingCurrencyEffectiveCost": effective,
    }


def _unit(unit: str) -> str:
    """A unit of AWS's bill as FOCUS writes it: GB-Mo is GB-Months, 1k requests are 1000 Requests."""
    if unit in ("month", "node-hours"):
        return "Months" if unit == "month" else "Hours"
    words = unit.replace("Hrs", "Hours").replace("-Mo", "-Months").replace("0k ", "0000 ").replace("1k ", "1000 ")
    return " ".join(word[:1].upper() + word[1:] for word in words.split(" "))


def _service(service: str, line: str, instance_type: str, category: str) -> dict[str, Any]:
    name, of = SERVICES[service]
    provider = PROVIDERS.get(service, "AWS")
    is_node = service == INSTANCES and bill_line(line).family == "gpu-nodes"
    sku = f"{service}/{instance_type if is_node else line}"
    return {
        "ProviderName": provider,
        "PublisherName": provider,
        "InvoiceIssuerName": provider,
        "ServiceName": name,
        "ServiceCategory": of,
        "ServiceSubcategory": SUBCATEGORIES[service],
        # the planner's own, stable ones: AWS's ids are on its bill only
        "SkuId": sku,
        "SkuMeter": line,
        "SkuPriceId": f"{sku}/{category}",
        "PricingCategory": category,
    }


def _commitment_id(scenario: Scenario) -> str:
    return f"{PLANNED}:{scenario.id}"


def _commitment(scenario: Scenario, node_hours: float, usd: float) -> dict[str, Any]:
    category, kind, unit = COMMITMENTS[scenario.option.family]
    return {
        "CommitmentDiscountId": _commitment_id(scenario),
        "CommitmentDiscountName": f"{scenario.nodes} x {scenario.instance_type}, {scenario.purchase}",
        "CommitmentDiscountCategory": category,
        "CommitmentDiscountType": kind,
        "CommitmentDiscountQuantity": usd if unit == "USD" else node_hours,
        "CommitmentDiscountUnit": unit,
    }


def _periods(begin: datetime, end: datetime, billed: datetime) -> dict[str, str]:
    """Charge and billing period; whole seconds, as FOCUS writes time."""
    first, after = month_starts(billed.date().replace(day=1), 1)
    second = timedelta(seconds=1)
    since = _to_the_second(begin)
    named = (
        ("BillingPeriodStart", first),
        ("BillingPeriodEnd", after),
        ("ChargePeriodStart", since),
        ("ChargePeriodEnd", max(_to_the_second(end), since + second)),
    )
    return {key: f"{at:%Y-%m-%dT%H:%M:%SZ}" for key, at in named}


def _to_the_second(at: datetime) -> datetime:
    return (at + timedelta(microseconds=500_000)).replace(microsecond=0)


def _tags(stack: str, component: str) -> str:
    """The tags by which a bill finds it again."""
    return json.dumps({"planner:stack": stack, "planner:component": component})


def _described(service: str, line: str, note: str) -> str:
    return f"{SERVICES[service][0]}: {line}" + (f", {note}" if note else "")
