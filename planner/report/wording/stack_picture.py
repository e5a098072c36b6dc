"""Titles and lines of the picture of a stack: its zone, subnets and cards."""

from __future__ import annotations

from collections.abc import Sequence

from planner.report.wording import resources
from planner.report.wording.figures import dollars, many, visible

NOT_CHOSEN = "not chosen yet"
GATEWAY = "S3 gateway endpoint, free"
SUBNETS = {"nodes": "Nodes, private", "control": "Control, private", "public": "Public"}
NAT = ("NAT gateway", ("the only public address: outbound connections only",))
DATA, ARTIFACTS, GUARD = "S3: data", "S3: artifacts", "Guard"
DATA_LINES = ("every object is versioned, encrypted with a KMS key, TLS only",)
KEPT = "kept when the stack is deleted"
ARTIFACTS_LINES = ("files that nodes download when they start",)
STORAGE_LINES = ("targets of the pool",)
CONTROL_LINE = "proxies of the pool, fixed addresses"
BLOCK_END = "the end of the block"
RESERVED, SPOT, ON_DEMAND = "in a reservation", "spot", "On-Demand"


def hourly(usd: float) -> str:
    return dollars(usd) if usd >= 0.1 else f"{usd:.4f}"


def per_hour(usd: float, *, by_use: bool = False) -> str:
    """`$1.20/h + by use`; "" for nothing."""
    return " + ".join([*([f"${hourly(usd)}/h"] if usd else []), *([resources.BY_USE] if by_use else [])])


def title(stack: str) -> str:
    return f"Stack {visible(stack)} on AWS"


def summary(scenario: str, count: int, usd: float) -> str:
    hour = f"{many(count, 'resource')}, ${hourly(usd)} per hour"
    return f"{visible(scenario)}: {hour}, without {resources.BILLED_BY_USE}"


def zone(name: str, cidr: object) -> str:
    return visible(f"One zone ({name}), VPC {cidr}")


def subnet(part: str, cidr: object) -> str:
    return f"{SUBNETS[part]}: {cidr}"


def endpoints(names: Sequence[str], usd: float) -> str:
    return f"interface endpoints: {', '.join(names)}" + (f" (${hourly(usd)}/h)" if usd else "")


def nodes(what: str, count: int, instance_type: object) -> str:
    return f"{what}{': ' if what else ''}{count:,} x {instance_type}"


def workers(instance_type: object) -> str:
    return f"Workers: {instance_type}"


def worker_lines(bought: str, tries: int) -> tuple[str, ...]:
    return (f"AWS Batch, {bought}: nodes while there are jobs", f"a node for each job, up to {tries} tries")


def scheduler(version: object) -> str:
    return f"Slurm {version} by AWS PCS"


def scheduler_lines(queues: Sequence[str], login_type: object) -> tuple[str, ...]:
    return (f"queues: {', '.join(queues)}", f"login node: {login_type}, by SSM")


def fleet(
    bought: str, *, placement: bool, interfaces: int, with_efa: int, as_jobs_need: bool = False
) -> tuple[str, ...]:
    place = "cluster placement group" if placement else "no placement group"
    cards = f"{many(interfaces, 'interface')}, {with_efa} with EFA" if with_efa else "one interface"
    return (f"{bought}{', while jobs need them' if as_jobs_need else ''}, {place}", f"per node: {cards}")


def pool(count: int, *, narrow: bool = False) -> tuple[str, ...]:
    """The storage pool: the drives of these nodes, and what is below them."""
    if narrow:
        return f"Pool: {many(count, 'node')}", "S3 below"
    return f"Pool: NVMe of {many(count, 'node')}, one namespace", "S3 below: holds every object, the pool is its cache"


def file_system(gib: int | None) -> str:
    return f"FSx for Lustre, {'elastic' if gib is None else f'{gib:,} GiB'}"


def file_system_lines(deployment: object, mbps_per_tib: int | None, mbps: int | None, linked: int) -> tuple[str, ...]:
    speed = f", {mbps_per_tib} MB/s per TiB" if mbps_per_tib else f", {mbps:,} MB/s" if mbps else ""
    source = f"{many(linked, 'prefix', 'prefixes')} of the bucket linked" if linked else "data is copied in"
    return (f"{deployment}{speed}", source)


def stored(usd: float) -> str:
    return f"stored at the planned size: about ${hourly(usd)}/h"


def transition(storage_class: object) -> str:
    return f"other data: {storage_class}"


def guard(limit_usd: float, alarms: int, scale_down: str, *, action: bool, anomalies: bool) -> tuple[str, ...]:
    """scale_down: when the fleet is scaled to zero, "" if it is not. action, anomalies: whether the stack has them."""
    return (
        f"budget ${dollars(limit_usd)}{', with an action' if action else ''}",
        f"{many(alarms, 'alarm')}{' and cost anomalies' if anomalies else ''}, by email",
        *((f"scales to zero at {scale_down}",) if scale_down else ()),
    )
