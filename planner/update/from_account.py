"""Prices that an AWS account can read: one step a question, each saved when its answer is whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from planner.account import price_answers as answers
from planner.account.aws_client import MakeClient, NotAllowed, RefusedRequest
from planner.account.offers import zone_ids
from planner.account.patience import Patience
from planner.account.spot_advisor import spot_advisor
from planner.errors import AwsProblem, CredentialsProblem
from planner.update.found import Found
from planner.update.saved import SavedAnswers
from planner.update.wanted import Wanted
from pricing.price_list.product import BadPriceList, Product, product_of
from pricing.price_list.wanted import not_plain_linux
from pricing.update.blocks import block_rows
from pricing.update.compute import compute_rows
from pricing.update.market import WEEK, advisor_rows, spot_rows
from pricing.update.merge import Listed
from pricing.update.metered import metered_rows
from pricing.update.rows import Provenance
from pricing.update.savings_plans import savings_plan_rows

PLAIN = {"operatingSystem": "Linux", "tenancy": "Shared", "preInstalledSw": "NA", "capacitystatus": "Used"}
EBS_AND_NAT = ("Storage", "System Operation", "Provisioned Throughput", "Storage Snapshot", "NAT Gateway")
OTHERS = ("AmazonS3", "AmazonEFS", "AmazonVPC", "awskms", "AmazonCloudWatch")
BLOCK_TYPES = ("p4", "p5", "p6", "trn")  # families that Capacity Blocks exist for
SPOT_TYPES = ("p", "g", "trn")  # storage nodes are not bought on spot
BATCH = 20  # instance types in one question
NOT_FOR_THIS_TYPE = ("InvalidParameterValue", "InvalidParameterCombination", "Unsupported", "InvalidInstanceType")


@dataclass(frozen=True, kw_only=True)
class Questions:
    """spot_weeks: length of the window. blocks: nodes and days of the Capacity Blocks to ask for. placement_instances:
    0 asks for no placement scores, of which AWS answers few a day."""

    spot_weeks: int = 4
    blocks: tuple[tuple[int, int], ...] = ((1, 1), (1, 7), (4, 1), (4, 7))
    placement_instances: int = 0


@dataclass(kw_only=True)
class _Asking:
    """What all steps share."""

    make: MakeClient
    wanted: Wanted
    questions: Questions
    now: datetime
    saved: SavedAnswers
    patience: Patience
    found: Found

    def seen(self, source: str) -> Provenance:
        today = self.now.date()
        return Provenance(observed=today, source=f"{source}, read {today}")

    def products(self, service: str, region: str, filters: Mapping[str, str], name: str = "") -> list[Product]:
        what = f"the price list of {service} in {region}" + (f" ({name})" if name else "")

        def ask() -> Iterator[answers.Entry]:
            client = self.make("pricing", answers.PRICE_LIST_REGION)
            for document in answers.products(client, service, filters, what, self.patience):
                if name != "instances" or _is_wanted_instance(document, self.wanted):
                    yield document

        entries = self.saved.entries(f"{service}-{region}-{name or 'all'}".replace(" ", "-"), ask)
        found: list[Product] = []
        for entry in entries:
            try:
                found.append(product_of(entry))
            except BadPriceList as error:
                self.found.problems.append(f"{what}: {error}")
        if not entries:
            self.found.problems.append(f"{what}: AWS answers without a product; older prices are kept")
        return found


def _is_wanted_instance(document: answers.Entry, wanted: Wanted) -> bool:
    attributes = document.get("product", {}).get("attributes", {})
    return wanted.has_type(attributes.get("instanceType", ""))


Step = tuple[str, Callable[[], None]]


def from_account(
    make: MakeClient,
    wanted: Wanted,
    questions: Questions,
    now: datetime,
    saved: SavedAnswers,
    patience: Patience,
    done: Callable[[int, int, str], None],
) -> Found:
    """What an account says about what is wanted. done: called before each step with its number, all, and its name.

    A call that the identity may not make, and a Region that is not enabled, are problems of the result; the rest is
    found. Raises CredentialsProblem where no call is allowed or credentials end, and AwsProblem where AWS fails:
    answers up to there are saved.
    """
    asking = _Asking(
        make=make, wanted=wanted, questions=questions, now=now, saved=saved, patience=patience, found=Found()
    )
    steps = [step for region in wanted.regions for step in _steps(asking, region)]
    steps += _steps_of_all(asking)
    refused: list[NotAllowed] = []
    for number, (name, step) in enumerate(steps, 1):
        done(number, len(steps), name)
        try:
            step()
        except NotAllowed as error:
            refused.append(error)
            asking.found.problems.append(str(error))
    if refused and not any(asking.found.rows.values()):
        raise CredentialsProblem(str(refused[0]))
    return asking.found


def _steps(asking: _Asking, region: str) -> Iterator[Step]:
    yield f"instances in {region}", lambda: _instances(asking, region)
    for family in EBS_AND_NAT:
        yield (
            f"{family} in {region}",
            lambda family=family: _metered(
                asking, "AmazonEC2", region, {"regionCode": region, "productFamily": family}, family
            ),
        )
    yield (
        f"FSx in {region}",
        lambda: _metered(asking, "AmazonFSx", region, {"regionCode": region, "fileSystemType": "Lustre"}),
    )
    for service in OTHERS:
        yield (
            f"{service} in {region}",
            lambda service=service: _metered(asking, service, region, {"regionCode": region}),
        )
    yield f"transfer from {region}", lambda: _metered(asking, "AWSDataTransfer", region, {"fromRegionCode": region})
    yield f"Savings Plans in {region}", lambda: _savings_plans(asking, region)
    yield f"spot prices in {region}", lambda: _spot(asking, region)
    yield f"Capacity Blocks in {region}", lambda: _blocks(asking, region)


def _steps_of_all(asking: _Asking) -> Iterator[Step]:
    yield "Spot Advisor", lambda: _advisor(asking)
    if asking.questions.placement_instances:
        yield "spot placement scores", lambda: _scores(asking)


def _instances(asking: _Asking, region: str) -> None:
    products = asking.products("AmazonEC2", region, {"regionCode": region, **PLAIN}, "instances")
    seen = asking.seen(f"AWS Price List API, AmazonEC2 {region}")
    findings = compute_rows(products, seen, asking.wanted.has_type)
    asking.found.add(findings)
    if findings.rows["on_demand"]:
        asking.found.lists.append(
            Listed(
                table="on_demand",
                region=region,
                is_listed=asking.wanted.has_type,
                source=seen.source,
                observed=seen.observed,
            )
        )


def _metered(asking: _Asking, service: str, region: str, filters: Mapping[str, str], name: str = "") -> None:
    products = asking.products(service, region, filters, name)
    products = [one for one in products if not_plain_linux(one)]
    asking.found.add(metered_rows(products, asking.seen(f"AWS Price List API, {service} {region}")))


def _types(asking: _Asking, region: str, families: tuple[str, ...] = ("",)) -> list[str]:
    """Types that have an On-Demand price in the Region."""
    rows = asking.found.rows.get("on_demand", ())
    names = {row["instance_type"] for row in rows if row["region"] == region}
    return sorted(name for name in names if name.startswith(families))


def _batches(names: list[str]) -> Iterator[tuple[int, list[str]]]:
    for number, start in enumerate(range(0, len(names), BATCH)):
        yield number, names[start : start + BATCH]


def _savings_plans(asking: _Asking, region: str) -> None:
    what = f"Savings Plans rates in {region}"
    entries: list[dict[str, Any]] = []
    for number, names in _batches(_types(asking, region)):
        entries += asking.saved.entries(
            f"savings-plans-{region}-{number}",
            lambda names=names: answers.savings_plan_rates(
                asking.make("savingsplans", answers.PRICE_LIST_REGION), region, names, what, asking.patience
            ),
        )
    seen = asking.seen(f"AWS Savings Plans offering rates, {region}")
    asking.found.add(savings_plan_rows(entries, seen, asking.wanted.has_type))


def _spot(asking: _Asking, region: str) -> None:
    what = f"spot prices in {region}"
    end = asking.now.replace(hour=0, minute=0, second=0, microsecond=0)
    begin = end - asking.questions.spot_weeks * WEEK
    names = _types(asking, region, SPOT_TYPES)
    if not names:
        return
    ec2 = asking.make("ec2", region)
    entries: list[dict[str, Any]] = []
    for number, some in _batches(names):
        entries += asking.saved.entries(
            f"spot-{region}-{number}",
            lambda some=some: answers.spot_history(ec2, some, begin, end, what, asking.patience),
        )
    zones = asking.saved.entries(f"zones-{region}", lambda: [zone_ids(ec2)])
    seen = asking.seen(f"AWS DescribeSpotPriceHistory, {region}, {begin.date()} to {end.date()}")
    asking.found.add(spot_rows(entries, zones[0] if zones else {}, region, end, asking.questions.spot_weeks, seen))


def _blocks(asking: _Asking, region: str) -> None:
    ec2 = asking.make("ec2", region)
    entries: list[dict[str, Any]] = []
    for name in _types(asking, region, BLOCK_TYPES):
        for instances, days in asking.questions.blocks:
            entries += asking.saved.entries(
                f"blocks-{region}-{name}-{instances}-{days}",
                lambda name=name, instances=instances, days=days: _offers(asking, ec2, name, instances, days),
            )
    asking.found.add(block_rows(entries, region, asking.seen(f"AWS DescribeCapacityBlockOfferings, {region}")))


def _offers(asking: _Asking, ec2: Any, name: str, instances: int, days: int) -> list[answers.Entry]:
    """None for a type that Capacity Blocks do not exist for."""
    what = f"offers of {instances} {name} for {days} days"
    try:
        return list(answers.block_offerings(ec2, name, instances, days * 24, what, asking.patience))
    except RefusedRequest as error:
        if error.code.startswith(NOT_FOR_THIS_TYPE):
            return []
        raise


def _advisor(asking: _Asking) -> None:
    try:
        (feed,) = asking.saved.entries("spot-advisor", lambda: [spot_advisor()])
        asking.found.add(advisor_rows(feed, asking.wanted.regions, asking.seen("AWS Spot Advisor data")))
    except (AwsProblem, BadPriceList) as error:
        asking.found.problems.append(f"{error}; older interruption bands are kept")


def _scores(asking: _Asking) -> None:
    """Placement scores go into the manifest alone: they are no prices, and no table of prices has them."""
    count = asking.questions.placement_instances
    scores: list[dict[str, object]] = []
    names = sorted({name for region in asking.wanted.regions for name in _types(asking, region, BLOCK_TYPES)})
    for name in names:
        entries = asking.saved.entries(
            f"scores-{name}-{count}",
            lambda name=name: answers.placement_scores(
                asking.make("ec2", answers.PRICE_LIST_REGION),
                name,
                count,
                asking.wanted.regions,
                f"spot placement scores of {name}",
                asking.patience,
            ),
        )
        scores += [
            {
                "instance_type": name,
                "region": one.get("Region"),
                "zone_id": one.get("AvailabilityZoneId", ""),
                "instances": count,
                "score_of_10": one.get("Score"),
            }
            for one in entries
        ]
    asking.found.facts["placement_scores"] = scores
