"""Numbers of a plan and assumptions as sentences name them; their keys are what `--set` takes."""

from __future__ import annotations

import re

from planner.report.wording.spoken_choice import way
from pricing.offers import PurchaseOption

NAMES = {
    "workload.throughput_factor": "training throughput relative to what is planned",
    "workload.error_per_doubling_fraction": "the error of extrapolated throughput per doubling of GPUs",
    "workload.shortfall_per_doubling_fraction": "the throughput lost per doubling of GPUs",
    "data.read_mb_per_s_per_gpu": "the data that each GPU reads",
    "data.read_time_cv": "the variation of read times",
    "data.prefetch_batches": "the number of prefetched batches",
    "data.object_mb": "the size of an object",
    "workload.whole_run_of_step_fraction": "the speed of a whole run relative to its steps",
    "workload.mfu_per_doubling_factor": "the speed of larger runs, for each doubling of their FLOP",
    "workload.one_node_factor": "the speed of one node, against the same GPUs in a network",
    "workload.small_fleet_factor": "the speed of a small fleet relative to large ones",
    "workload.no_language_model_factor": "the speed of other work, against language models",
    "run.first_time_factor": "the time of a first run relative to its ideal",
    "run.proven_factor": "the time of a proven run relative to its ideal",
    "fleet.demand_factor": "the jobs of all projects relative to their plan",
    "fleet.project_factor": "the jobs of one project relative to its plan",
    "fleet.unfinished_fraction": "the GPU-time of jobs that do not complete",
    "checkpoint.size_gb": "the size of a checkpoint",
    "checkpoint.overhead_seconds": "the pause of a checkpoint",
    "checkpoint.allowed_overhead_fraction": "the time that checkpoints may take",
    "goodput.failures_per_1000_node_days": "the rate of node failures",
    "goodput.restart_minutes": "the time of a restart",
    "goodput.replacement_hours": "the time to replace a node",
    "goodput.bring_up_hours": "the time to start the nodes",
    "spot.scarce_losses_per_node_day": "the spot interruption rate while capacity is scarce",
    "spot.gang_interruptions_per_day": "the interruptions of whole spot fleets while capacity is scarce",
    "spot.gang_wait_hours": "the wait for a whole spot fleet",
    "spot.open_band_scarce_fraction": "the share of scarce spot capacity above 20% interruptions",
    "s3.read_gb_per_s_per_node": "the S3 read rate of a node",
    "s3.write_gb_per_s_per_node": "the S3 write rate of a node",
    "s3.get_requests_per_second_per_prefix": "the S3 request rate per prefix",
    "s3.prefixes": "the number of S3 prefixes",
    "s3.kms_request_fraction": "the share of S3 requests that call KMS",
    "converged.filesystem_fraction": "the usable share of a formatted drive",
    "converged.low_watermark_fraction": "the share of the pool that is always kept",
    "converged.read_efficiency_fraction": "the read efficiency of the NVMe pool",
    "converged.get_requests_per_second_per_target": "the request rate of a pool node",
    "converged.drive_read_gb_per_s": "the read rate of an NVMe drive",
    "converged.drive_write_gb_per_s": "the write rate of an NVMe drive",
    "converged.core_seconds_per_gb": "the CPU time to serve a GB from the pool",
    "converged.ip_gbps_per_node": "the network rate of a node outside EFA",
    "converged.training_slowdown_fraction": "the training slowdown by the NVMe pool",
    "posix.client_read_gb_per_s": "the read rate of a mount over the pool",
    "posix.client_write_gb_per_s": "the write rate of a mount over the pool",
    "posix.opens_per_second": "the files opened a second over the pool",
    "posix.creates_per_second": "the files created a second over the pool",
    "posix.database_bytes_per_file": "the metadata of a file over the pool",
    "posix.database_usd_per_hour": "the price of the metadata database",
    "posix.database_usd_per_gb_month": "the price of the metadata database's storage",
    "lustre.fill_fraction": "the usable share of a Lustre file system",
    "lustre.client_gb_per_s": "the Lustre read rate of a node",
    "lustre.lazy_load_fraction": "the speed of a first read through Lustre",
    "separate.spares": "the number of spare storage nodes",
    "fleet.root_volume_gib": "the size of a root volume",
    "pool.control_nodes": "the number of control nodes",
    "pool.control_volume_gib": "the size of a control volume",
    "scheduler.small_controller_usd_per_hour": "the price of a Slurm controller for 32 nodes",
    "scheduler.medium_controller_usd_per_hour": "the price of a Slurm controller for 512 nodes",
    "scheduler.large_controller_usd_per_hour": "the price of a Slurm controller for 2,048 nodes",
    "scheduler.accounting_fraction": "the price of Slurm's accounting, against the controller's",
    "scheduler.node_usd_per_hour": "the fee of a node in a Slurm cluster",
    "scheduler.login_volume_gib": "the size of a login node's volume",
    "network.interface_endpoints": "the number of interface endpoints",
    "network.endpoint_gb_per_node_day": "the traffic through interface endpoints",
    "network.nat_gb_per_node": "the traffic through the NAT gateway",
    "network.flow_log_gb_per_node_day": "the size of flow logs",
    "guard.alarms": "the number of alarms",
    "guard.metrics_usd_month": "the cost of metrics",
    "workers.boot_minutes": "the boot time of a worker",
    "workers.network_mb_per_s": "the network rate of a worker",
    "workers.log_gb_per_node_day": "the size of worker logs",
    "workers.nat_gb_per_node": "the traffic of a worker through the NAT gateway",
    "workers.market_correlation": "the correlation of spot markets",
    "workers.notice_minutes": "the notice before an interruption",
    "people.usd_per_engineer_year": "the salary of an engineer",
    "people.overhead_fraction": "the overhead on salaries",
    "people.experiment_factor": "the cost of experiments relative to the final run",
    "block.extension_granted_fraction": "the chance of a block extension",
    "on_demand.found_fraction": "the chance of finding 128 GPUs On-Demand",
    "on_demand.later_days": "the wait for On-Demand nodes that are not found",
    "block.on_demand_wait_hours": "the wait for On-Demand capacity after a block",
    "block.later_wait_days": "the wait for a later Capacity Block",
    "block.later_price_ratio": "the price of a later block relative to today",
    "effort.s3_stream_hours_per_month": "the effort of S3 streaming",
    "effort.fsx_lustre_hours_per_month": "the effort of FSx for Lustre",
    "effort.fsx_lustre_scratch_hours_per_month": "the effort of FSx for Lustre scratch",
    "effort.converged_hours_per_month": "the effort of pooled NVMe",
    "effort.separate_nvme_hours_per_month": "the effort of separate NVMe",
    "effort.on_demand_hours_per_month": "the effort of On-Demand",
    "effort.spot_hours_per_month": "the effort of spot",
    "effort.spot_fallback_hours_per_month": "the effort of spot with fallback",
    "effort.capacity_block_hours_per_month": "the effort of a Capacity Block",
    "effort.ri_hours_per_month": "the effort of Reserved Instances",
    "effort.sp_hours_per_month": "the effort of a Savings Plan",
    "owned.value_loss_per_year": "the loss of value of owned GPUs",
    "owned.server_factor": "the cost of a server relative to its GPUs",
    "owned.interconnect_fraction": "the cost of the interconnect",
    "owned.utilization_fraction": "the use of owned machines",
    "energy.power_fraction": "the power draw relative to the rated power",
    "energy.own_overhead_factor": "the energy overhead of an own data center",
    "energy.cloud_overhead_factor": "the energy overhead of AWS",
    "energy.usd_per_kwh": "the price of electricity",
    "energy.kg_co2_per_kwh": "the CO2 of electricity",
    "purchase.private_discount": "the discount on On-Demand",
    "purchase.reuse_value": "the share of an unused commitment that other work uses",
    "purchase.spot_usd_per_hour": "the spot price of a node",
    "reliability.spot_reclaims_per_node_day": "the spot interruption rate",
    "data.hot_dataset": "the size of the training data",
    "fleet.nodes": "the number of nodes",
}
PRICES = {
    "prices.on-demand": "the On-Demand price of a node",
    "prices.capacity-block": "the Capacity Block price of a node",
    "prices.spot": "the spot price of a node",
}
# families of keys: pattern and words, with what the pattern found
FAMILIES = (
    (re.compile(r"data\.(\w+?)_mb_per_s_per_(\w+)"), "the data that each {1} reads ({0})"),
    (re.compile(r"workload\.mfu_(\w+)"), "the model FLOP utilization of {0}"),
    (re.compile(r"workload\.speed_(\w+)"), "the speed of {0}, against A100"),
    (re.compile(r"owned\.usd_per_(\w+)"), "the price of an owned {0}"),
)
OWN = re.compile(r"prices\.own\.(\d+)\.usd")


def number_name(key: str) -> str:
    """`the rate of node failures`; the key itself where it has no words."""
    if key in NAMES:
        return NAMES[key]
    if key.startswith("prices."):
        return _price(key)
    for pattern, words in FAMILIES:
        if found := pattern.fullmatch(key):
            first, *more = found.groups()
            gpu = more or [first]
            return words.format(*(part.upper() if part in gpu else part for part in (first, *more)))
    return key


def _price(key: str) -> str:
    if key in PRICES:
        return PRICES[key]
    if found := OWN.fullmatch(key):
        return f"your own price no. {int(found[1]) + 1}"
    try:
        return f"the price of a node {way(PurchaseOption.parse(key.removeprefix('prices.')))}"
    except ValueError:
        return key
