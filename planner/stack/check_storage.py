"""Which storage sections a layout needs, and which sizes AWS sells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from fleet_pool.settings import AISTORE_VERSION, BadSetting, low_watermark_percent

from planner.layouts.registry import ROOMS
from planner.plan.quantities import MOST_KEPT
from planner.plan.wording import shown
from planner.plan.zone_ids import is_zone, zone_prefix
from planner.stack.finding import Finding
from planner.stack.spec import ENGINE, PLACEHOLDER, SECTIONS, ClusterSpec, Lustre, Pool

EFA_STEP_GIB = {125: 38_400, 250: 19_200, 500: 9_600, 1000: 4_800}
NITRO_3 = ("c5n", "g4dn", "inf1", "m5dn", "p3dn", "p4d", "p4de", "r5dn")  # families with EFA, but before Nitro v4
METADATA_IOPS = (1500, 3000, 6000)  # and multiples of 12,000 up to 192,000
S3_CLASSES = ("STANDARD", "STANDARD_IA", "INTELLIGENT_TIERING", "GLACIER_IR")
NAT_LINE = "network.nat-s3-data"
DATABASE_LINE = "storage.files.database"
LEAST_DATABASE_GIB, MOST_DATABASE_GIB = 20, 65_536  # RDS User Guide, "gp3 storage", PostgreSQL
MOST_BACKUP_DAYS = 35  # RDS User Guide, "Backup retention period"
WRITE_BOTH = "write both again with `planner stack`"
_FEW_DIGITS = re.compile("[1-9][0-9]{0,8}")  # so few that they can be read as a number at all


def storage_findings(spec: ClusterSpec) -> Iterator[Finding]:
    yield from _section(spec, "lustre", "a file system")
    yield from _section(spec, "nvme", "a storage cluster")
    if spec.lustre is not None:
        yield from _lustre(spec, spec.lustre)
    yield from _nvme(spec)
    yield from _control(spec)
    yield from _pool(spec)
    yield from _files(spec)
    yield from _data(spec)
    yield from _gateway(spec)


def _section(spec: ClusterSpec, section: str, what: str) -> Iterator[Finding]:
    given = getattr(spec, section) is not None
    if given == spec.layout_has(section):
        return
    if given:
        layouts = " or ".join(layout for layout, sections in SECTIONS.items() if section in sections)
        message = f"{spec.layout} has no {section}: nothing reads {what} that would be billed"
        yield Finding(path=(section,), message=message, remedy=f"remove it, or choose a scenario of {layouts}")
    else:
        message = f"{spec.layout} without {section}: there is nothing to read from"
        yield Finding(path=(), message=message, remedy="`planner stack --force` writes the section with its size")


def _lustre(spec: ClusterSpec, lustre: Lustre) -> Iterator[Finding]:
    room = ROOMS.get(spec.layout)
    if lustre.deployment != ((room and room.lustre_deployment) or "PERSISTENT_2"):
        message = f"{shown(lustre.deployment)} is priced but not deployed: a stack deploys PERSISTENT_2 alone"
        yield Finding(path=("lustre", "deployment"), message=message, remedy="plan with deployment: PERSISTENT_2")
        return
    if lustre.deployment != "PERSISTENT_2":  # its throughput and metadata are what AWS gives it
        yield from _capacity(lustre)
        return
    if lustre.mbps_per_tib not in EFA_STEP_GIB:
        tiers = ", ".join(map(str, EFA_STEP_GIB))
        message = f"{lustre.mbps_per_tib} MB/s per TiB: PERSISTENT_2 has {tiers} MB/s"
        yield Finding(path=("lustre", "mbps_per_tib"), message=message, remedy="write one of them")
        return
    if lustre.throughput_mbps:
        message = f"{lustre.throughput_mbps} MB/s in total is a setting of Intelligent-Tiering; PERSISTENT_2 has a tier"
        yield Finding(
            path=("lustre", "throughput_mbps"), message=message, remedy="remove it; mbps_per_tib sets the throughput"
        )
    yield from _capacity(lustre)
    if lustre.efa:
        family = spec.fleet.instance_type.partition(".")[0]
        if spec.fleet.efa_interfaces == 0 or family in NITRO_3:
            message = f"{shown(spec.fleet.instance_type)[1:-1]} cannot mount Lustre over EFA, which needs Nitro v4"
            yield Finding(path=("lustre", "efa"), message=message, remedy="write efa: false to mount over TCP")
    iops = lustre.metadata_iops
    if iops and iops not in METADATA_IOPS and (iops % 12_000 or not 0 < iops <= 192_000):
        message = f"{iops} metadata IOPS: FSx sells 1,500, 3,000, 6,000 and multiples of 12,000 up to 192,000"
        yield Finding(path=("lustre", "metadata_iops"), message=message, remedy="write the next higher one, or 0")


def _capacity(lustre: Lustre) -> Iterator[Finding]:
    gib = lustre.capacity_gib
    step = EFA_STEP_GIB[lustre.mbps_per_tib] if lustre.efa else 2_400
    if gib > 0 and (gib % step == 0 or (gib == 1_200 and not lustre.efa)):
        return
    sold = f"multiples of {step:,} GiB with EFA at {lustre.mbps_per_tib} MB/s per TiB" if lustre.efa else ""
    above = 1_200 if gib <= 1_200 and not lustre.efa else max(-(-gib // step), 1) * step
    yield Finding(
        path=("lustre", "capacity_gib"),
        message=f"{gib:,} GiB: FSx sells {sold or '1,200 GiB or multiples of 2,400 GiB without EFA'}",
        remedy=f"the next size is {above}",
    )


def _nvme(spec: ClusterSpec) -> Iterator[Finding]:
    nvme = spec.nvme
    if nvme is None:
        return
    if nvme.nodes < 1 or not 0 <= nvme.spares < max(nvme.nodes, 1):
        message = f"{nvme.nodes} storage nodes with {nvme.spares} spares: at least one must not be a spare"
        yield Finding(path=("nvme", "nodes"), message=message, remedy="`planner stack` writes the sizes of the plan")
    if nvme.drives < 1:
        message = f"{shown(nvme.instance_type)[1:-1]} with {nvme.drives} drives: a storage node needs instance storage"
        yield Finding(
            path=("nvme", "drives"), message=message, remedy="choose a type with instance storage, like i4i.32xlarge"
        )
    if nvme.root_volume_gib < 1:
        message = f"a root volume of {nvme.root_volume_gib} GiB: it must have a size"
        yield Finding(path=("nvme", "root_volume_gib"), message=message, remedy="50 GiB is usual")


def _control(spec: ClusterSpec) -> Iterator[Finding]:
    control, wanted = spec.control, spec.layout_has("control")
    if wanted and control.count < 1:
        message = f"{spec.layout} without control nodes: its pool has no proxies"
        yield Finding(path=("control", "count"), message=message, remedy="write 3, so that one of them can fail")
    if not wanted and control.count:
        message = f"{control.count} control nodes: {spec.layout} has no pool to control"
        yield Finding(path=("control",), message=message, remedy="remove the section")
    if not wanted or not control.count:
        return
    if not control.instance_type or control.root_volume_gib < 1:
        message = "control nodes need an instance type and a root volume"
        yield Finding(path=("control",), message=message, remedy="like instance_type: m7i.xlarge, root_volume_gib: 50")
    elif not control.ami and control.root_volume_gib < spec.fleet.root_volume_gib:
        message = f"the fleet's image may not fit the control nodes' root volume of {control.root_volume_gib} GiB"
        yield Finding(path=("control",), message=message, remedy="add a plain image: --control-ami ami-...")


def _pool(spec: ClusterSpec) -> Iterator[Finding]:
    pool = spec.pool
    if not spec.layout_has("pool"):
        if pool is not None:
            message = f"{spec.layout} has no pool, so it has no engine or pool settings"
            yield Finding(path=("pool",), message=message, remedy="remove the section")
        return
    if pool is None:
        message = f"{spec.layout} without pool: no engine would serve the drives"
        yield Finding(path=(), message=message, remedy="`planner stack --force` writes it, with engine and release")
        return
    yield from _engine(pool)
    try:
        low_watermark_percent(pool.low_watermark_percent / 100)
    except BadSetting as error:
        yield Finding(
            path=("pool", "low_watermark_percent"),
            message=str(error),
            remedy="change assumptions.converged.low_watermark_fraction in the plan",
        )


def _files(spec: ClusterSpec) -> Iterator[Finding]:
    files, at = spec.files, ("files",)
    billed = DATABASE_LINE in {*spec.usd_per_hour, *spec.metered, *spec.unpriced}
    if billed != (files is not None):
        message = (
            f"{DATABASE_LINE} is {'on' if billed else 'not on'} the bill, and the file has {'no' if billed else 'a'} "
        )
        yield Finding(path=at if files else (), message=f"{message}section files", remedy=WRITE_BOTH)
    if files is None:
        return
    if spec.layout != "converged" or spec.pool is None or not spec.pool.tls:
        message = "files over the pool need a pool on the GPU nodes with mutual TLS"
        yield Finding(path=at, message=message, remedy="choose a scenario of converged, without deploy.pool_tls: false")
    if PLACEHOLDER not in files.second_zone_id and (
        not is_zone(files.second_zone_id, spec.region) or files.second_zone_id == spec.zone_id
    ):
        message = (
            f"zone {shown(files.second_zone_id)} is not another one of {spec.region}: the database's standby needs it"
        )
        remedy = f"write another zone id, like {zone_prefix(spec.region)}-az2"
        yield Finding(path=(*at, "second_zone_id"), message=message, remedy=remedy)
    if not files.instance_class.startswith("db."):
        message = f"{shown(files.instance_class)} is not a class of RDS"
        yield Finding(path=(*at, "instance_class"), message=message, remedy="like db.r8g.xlarge")
    if not LEAST_DATABASE_GIB <= files.storage_gib <= MOST_DATABASE_GIB:
        message = f"{files.storage_gib:,} GiB of metadata: gp3 has {LEAST_DATABASE_GIB} to {MOST_DATABASE_GIB:,} GiB"
        yield Finding(path=(*at, "storage_gib"), message=message, remedy="`planner stack` writes what the files need")
    if not 1 <= files.backup_days <= MOST_BACKUP_DAYS:
        message = f"backups of {files.backup_days} days: RDS keeps 1 to {MOST_BACKUP_DAYS}"
        yield Finding(path=(*at, "backup_days"), message=message, remedy="7 days are usual")


def _engine(pool: Pool) -> Iterator[Finding]:
    """The nodes' bundle holds one engine in one release, with which sizes and settings were tested."""
    if pool.engine != ENGINE:
        message = f"engine {shown(pool.engine)}: the nodes' bundle holds {ENGINE}, the only engine that a stack sets up"
        yield Finding(path=("pool", "engine"), message=message, remedy=f"write {ENGINE}")
    elif pool.engine_version != AISTORE_VERSION:
        message = f"{ENGINE} {shown(pool.engine_version)[1:-1]}: the nodes' bundle holds {AISTORE_VERSION}"
        remedy = f"write {AISTORE_VERSION}, or use a planner release that bundles the other"
        yield Finding(path=("pool", "engine_version"), message=message, remedy=remedy)


def _data(spec: ClusterSpec) -> Iterator[Finding]:
    data = spec.data
    prefixes = {name: getattr(data, name) for name in ("dataset_prefix", "checkpoint_prefix", "kept_prefix")}
    for name, prefix in prefixes.items():
        if not prefix or prefix.startswith("/") or not prefix.endswith("/") or not prefix.isprintable():
            message = f"{shown(prefix)} is not a prefix: it must end with a slash and not begin with one"
            yield Finding(path=("data", name), message=message, remedy="write it like dataset/")
    for (_, first), (name, second) in combinations(prefixes.items(), 2):
        if first and second and (first.startswith(second) or second.startswith(first)):
            message = (
                f"{shown(first)} and {shown(second)} overlap: a lifecycle rule for one would also apply to the other"
            )
            yield Finding(
                path=("data", name),
                message=message,
                remedy="write separate ones, like dataset/, checkpoints/ and kept/",
            )
    if data.beside_hot_class not in S3_CLASSES:
        message = f"unknown storage class {shown(data.beside_hot_class)}"
        yield Finding(path=("data", "beside_hot_class"), message=message, remedy=f"one of {', '.join(S3_CLASSES)}")
    kept = data.checkpoints_kept
    if kept != "all" and not (_FEW_DIGITS.fullmatch(kept) and int(kept) <= MOST_KEPT):
        message = f"{shown(kept)} is not a number of checkpoints from 1 to {MOST_KEPT:,}"
        yield Finding(path=("data", "checkpoints_kept"), message=message, remedy='write "3", or "all"')


def _gateway(spec: ClusterSpec) -> Iterator[Finding]:
    """Without the free endpoint all S3 traffic passes the NAT gateway, and must be on the bill."""
    billed = NAT_LINE in {*spec.usd_per_hour, *spec.metered, *spec.unpriced}
    at = ("gateway_endpoint",)
    if spec.gateway_endpoint and billed:
        message = f"{NAT_LINE} is on the bill, but with an S3 gateway endpoint S3 traffic does not pass the NAT gateway"
        yield Finding(path=at, message=message, remedy=WRITE_BOTH)
    if not spec.gateway_endpoint and not billed and not spec.layout_has("lustre"):
        message = "without an S3 gateway endpoint S3 traffic passes the NAT gateway, which is not on the bill"
        yield Finding(path=at, message=message, remedy="write true, since the endpoint is free; or change the plan")
