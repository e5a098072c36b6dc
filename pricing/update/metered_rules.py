"""Which product of the price list is which metered price of a book.

A usage type begins with a Region's code (`USW2-`, `APN1-`), with an older one (`EU-`), or in us-east-1 often with none.
The Region is therefore read from the attribute, and only what follows the code names the item.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

from pricing.price_list.product import Product

ONE = Decimal(1)
EVERYWHERE = "all"
REGION_CODE = r"(?:[A-Z]{2,4}\d*|[a-z]{2}(?:-[a-z]+)+-\d)"  # of usage types; KMS writes the Region's own name


@dataclass(frozen=True)
class MeteredRule:
    """code: of the service in the price list. usage: usage type without the Region's code. units: a unit of the price
    list -> how many of them are one `unit` of the book. where: attributes (plain names) that must have these values.
    region: "" for the product's own."""

    code: str
    usage: str
    service: str
    item: str
    unit: str
    units: Mapping[str, Decimal]
    offering: str = ""
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    region: str = ""

    @cached_property
    def _usage(self) -> re.Pattern[str]:
        return re.compile(rf"(?:{REGION_CODE}-)?{re.escape(self.usage)}")

    def matches(self, product: Product) -> bool:
        """Whether the product is this item; one of a Local Zone is not."""
        return (
            product.service == self.code
            and self._usage.fullmatch(product.get("usagetype")) is not None
            and product.get("locationtype") in ("", "AWS Region")
            and all(product.get(name) in values for name, values in self.where.items())
        )


def _each(unit: str, *names: str) -> dict[str, Decimal]:
    return dict.fromkeys((unit, *names), ONE)


_GB_MONTH = _each("GB-Mo", "GB-month")
_GB = _each("GB", "Gigabytes")
_HOURS = _each("Hrs", "Hours", "hours")
_MBPS = _each("MBps-Mo", "MiBps-Mo", "MiBps-mo") | {"GiBps-mo": ONE / 1024, "GiBps-Mo": ONE / 1024}
_IOPS = _each("IOPS-Mo", "IOPS-mo")
_THOUSAND = {"Requests": Decimal(1000), "1k requests": ONE}
_TEN_THOUSAND = {"Requests": Decimal(10_000), "10k requests": ONE}


def _s3() -> list[MeteredRule]:
    def rule(usage: str, item: str, unit: str, units: Mapping[str, Decimal], **where: str) -> MeteredRule:
        conditions = {name: (value,) for name, value in where.items()}
        return MeteredRule("AmazonS3", usage, "AmazonS3", item, unit, units, where=conditions)

    storage = {
        "TimedStorage-ByteHrs": "S3 Standard storage",
        "TimedStorage-SIA-ByteHrs": "S3 Standard-IA storage",
        "TimedStorage-ZIA-ByteHrs": "S3 One Zone-IA storage",
        "TimedStorage-GIR-ByteHrs": "S3 Glacier Instant Retrieval storage",
        "TimedStorage-INT-FA-ByteHrs": "S3 Intelligent-Tiering Frequent Access storage",
        "TimedStorage-INT-IA-ByteHrs": "S3 Intelligent-Tiering Infrequent Access storage",
        "TimedStorage-INT-AIA-ByteHrs": "S3 Intelligent-Tiering Archive Instant Access storage",
        "TimedStorage-INT-AA-ByteHrs": "S3 Intelligent-Tiering Archive Access storage",
        "TimedStorage-INT-DAA-ByteHrs": "S3 Intelligent-Tiering Deep Archive Access storage",
    }
    classes = {"": "Standard", "SIA-": "Standard-IA", "ZIA-": "One Zone-IA", "INT-": "Intelligent-Tiering"}
    classes["GIR-"] = "Glacier Instant Retrieval"
    requests = {
        f"Requests-{code}Tier{tier}": f"S3 {name} {words}"
        for code, name in classes.items()
        for tier, words in ((1, "PUT/COPY/POST/LIST"), (2, "GET and all other"))
    }
    retrieval = {"SIA": "Standard-IA", "ZIA": "One Zone-IA", "GIR": "Glacier Instant Retrieval"}
    transitions = {
        "S3-SIATransition": "Standard-IA",
        "S3-INTTransition": "Intelligent-Tiering",
        "S3-GIRTransition": "Glacier Instant Retrieval",
    }
    return [
        *(rule(usage, item, "GB-Mo", _GB_MONTH) for usage, item in storage.items()),
        *(rule(usage, item, "1k requests", _THOUSAND) for usage, item in requests.items()),
        *(rule(f"Retrieval-{code}", f"S3 {name} retrieval", "GB", _GB) for code, name in retrieval.items()),
        *(
            rule("Requests-Tier4", f"S3 {name} lifecycle transition", "1k requests", _THOUSAND, operation=operation)
            for operation, name in transitions.items()
        ),
        rule(
            "Monitoring-Automation-INT",
            "S3 Intelligent-Tiering monitoring and automation",
            "1k objects-Mo",
            {"Objects": Decimal(1000), "Objects-Mo": Decimal(1000)},
        ),
    ]


def _ebs() -> list[MeteredRule]:
    usages = {
        "EBS:VolumeUsage.gp3": ("gp3 storage", "GB-Mo", _GB_MONTH),
        "EBS:VolumeP-IOPS.gp3": ("gp3 IOPS above 3,000", "IOPS-Mo", _IOPS),
        "EBS:VolumeP-Throughput.gp3": ("gp3 throughput above 125 MB/s", "MBps-Mo", _MBPS),
        "EBS:VolumeUsage.gp2": ("gp2 storage", "GB-Mo", _GB_MONTH),
        "EBS:VolumeUsage.piops": ("io1 storage", "GB-Mo", _GB_MONTH),
        "EBS:VolumeP-IOPS.piops": ("io1 IOPS", "IOPS-Mo", _IOPS),
        "EBS:VolumeUsage.io2": ("io2 storage", "GB-Mo", _GB_MONTH),
        "EBS:VolumeP-IOPS.io2": ("io2 IOPS (first tier)", "IOPS-Mo", _IOPS),
        "EBS:VolumeP-IOPS.io2.tier2": ("io2 IOPS (tier 2)", "IOPS-Mo", _IOPS),
        "EBS:VolumeP-IOPS.io2.tier3": ("io2 IOPS (tier 3)", "IOPS-Mo", _IOPS),
        "EBS:VolumeUsage.st1": ("st1 storage", "GB-Mo", _GB_MONTH),
        "EBS:VolumeUsage.sc1": ("sc1 storage", "GB-Mo", _GB_MONTH),
        "EBS:SnapshotUsage": ("Snapshot storage", "GB-Mo", _GB_MONTH),
    }
    return [MeteredRule("AmazonEC2", usage, "AmazonEBS", *rest) for usage, rest in usages.items()]


def _fsx() -> list[MeteredRule]:
    """FSx for Lustre: usage types do not name the file system, so the attributes decide."""
    lustre = {"filesystemtype": ("Lustre",)}
    tiers = dict.fromkeys((50, 100, 200), "PERSISTENT_1") | dict.fromkeys((125, 250, 500, 1000), "PERSISTENT_2")

    def storage(usage: str, deployment: str, tier: int) -> MeteredRule:
        item, offering = f"{deployment} SSD storage", f"{tier} MB/s/TiB"
        where = {**lustre, "storagetype": ("SSD",)}
        return MeteredRule("AmazonFSx", usage, "AmazonFSx", item, "GB-Mo", _GB_MONTH, offering, where)

    return [
        storage("Storage", "SCRATCH_2", 200),
        *(storage(f"Storage.SSD.{tier}", deployment, tier) for tier, deployment in tiers.items()),
        MeteredRule(
            *("AmazonFSx", "MetadataIOPS", "AmazonFSx", "PERSISTENT_2 Metadata IOPS above the included amount"),
            *("IOPS-Mo", _IOPS),
            where=lustre,
        ),
        MeteredRule(
            *("AmazonFSx", "ThroughputCapacity.P2", "AmazonFSx", "INTELLIGENT_TIERING Throughput capacity"),
            *("MBps-Mo", _MBPS),
            where=lustre,
        ),
        MeteredRule(*("AmazonFSx", "BackupUsage", "AmazonFSx", "all Backup storage", "GB-Mo", _GB_MONTH), where=lustre),
    ]


def _efs() -> list[MeteredRule]:
    def rule(usage: str, item: str, unit: str, units: Mapping[str, Decimal], **where: str) -> MeteredRule:
        conditions = {name: (value,) for name, value in where.items()}
        return MeteredRule("AmazonEFS", usage, "AmazonEFS", item, unit, units, where=conditions)

    return [
        rule("TimedStorage-ByteHrs", "Standard storage", "GB-Mo", _GB_MONTH),
        rule("TimedStorage-Z-ByteHrs", "One Zone storage", "GB-Mo", _GB_MONTH),
        rule("IATimedStorage-ByteHrs", "Standard-IA storage", "GB-Mo", _GB_MONTH),
        rule("IATimedStorage-Z-ByteHrs", "One Zone-IA storage", "GB-Mo", _GB_MONTH),
        rule("ETDataAccess-Bytes", "Elastic throughput read", "GB", _GB, accesstype="Read"),
        rule("ETDataAccess-Bytes", "Elastic throughput write", "GB", _GB, accesstype="Write"),
        rule("IADataAccess-Bytes", "IA read", "GB", _GB, accesstype="Read"),
        rule("IADataAccess-Bytes", "IA write", "GB", _GB, accesstype="Write"),
        rule("ProvisionedTP-MiBpsHrs", "Provisioned throughput", "MBps-Mo", _MBPS),
    ]


def _network() -> list[MeteredRule]:
    vpc = "AmazonVPC"
    internet = {"transfertype": ("AWS Outbound",)}
    return [
        MeteredRule("AmazonEC2", "NatGateway-Hours", vpc, "NAT gateway hour", "Hrs", _HOURS),
        MeteredRule("AmazonEC2", "NatGateway-Bytes", vpc, "NAT gateway data processed", "GB", _GB),
        MeteredRule(vpc, "VpcEndpoint-Hours", vpc, "Interface endpoint, per availability zone", "Hrs", _HOURS),
        MeteredRule(vpc, "VpcEndpoint-Bytes", vpc, "Interface endpoint data processed", "GB", _GB),
        MeteredRule(vpc, "VpcEndpoint-GWLBE-Bytes", vpc, "Gateway Load Balancer endpoint data processed", "GB", _GB),
        MeteredRule(
            *(vpc, "PublicIPv4:InUseAddress", vpc, "Public IPv4 address, in use", "Hrs", _HOURS), region=EVERYWHERE
        ),
        MeteredRule(vpc, "PublicIPv4:IdleAddress", vpc, "Public IPv4 address, idle Elastic IP", "Hrs", _HOURS),
        MeteredRule(
            *("AWSDataTransfer", "DataTransfer-Out-Bytes", "AWSDataTransfer", "Data transfer out to internet"),
            *("GB", _GB),
            where=internet,
        ),
        MeteredRule(
            *("AWSDataTransfer", "DataTransfer-Regional-Bytes", "AWSDataTransfer"),
            *("Intra-region (between availability zones), charged each direction", "GB", _GB),
            where={"transfertype": ("IntraRegion",)},
        ),
    ]


def _operations() -> list[MeteredRule]:
    watch = "AmazonCloudWatch"
    return [
        MeteredRule(
            "awskms", "KMS-Keys", "awskms", "Customer managed key", "Key-Mo", _each("Key-Mo", "Keys", "months")
        ),
        MeteredRule("awskms", "KMS-Requests", "awskms", "Symmetric requests", "10k requests", _TEN_THOUSAND),
        MeteredRule(watch, "DataProcessing-Bytes", watch, "Logs ingestion", "GB", _GB),
        MeteredRule(watch, "DataScanned-Bytes", watch, "Logs Insights data scanned", "GB", _GB),
        MeteredRule(watch, "TimedStorage-ByteHrs", watch, "Logs archival storage", "GB-Mo", _GB_MONTH),
        MeteredRule(watch, "S3-Egress-Bytes", watch, "Vended logs delivered to S3", "GB", _GB),
        MeteredRule(
            *(watch, "VendedLog-Bytes", watch, "Vended logs delivered to CloudWatch Logs (Standard class)", "GB", _GB)
        ),
        MeteredRule(watch, "CW:MetricMonitorUsage", watch, "Custom metric", "metric-Mo", _each("metric-Mo", "Metrics")),
        *(
            MeteredRule(watch, usage, watch, item, "alarm metric-Mo", _each("alarm metric-Mo", "Alarms"))
            for usage, item in (
                ("CW:AlarmMonitorUsage", "Standard resolution alarm"),
                ("CW:HighResAlarmMonitorUsage", "High resolution alarm"),
            )
        ),
    ]


RULES: tuple[MeteredRule, ...] = (*_s3(), *_ebs(), *_fsx(), *_efs(), *_network(), *_operations())
SERVICES: tuple[str, ...] = tuple(dict.fromkeys(rule.code for rule in RULES))
