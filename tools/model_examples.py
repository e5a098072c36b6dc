"""A worked example of every equation, as arguments of `planner calc`; docs/model.md shows the output of each.

The examples use published figures where there are any. Prices come from a dated book, so that they do not change.
LOOPS has the formulas of equations that are loops and have no steps to typeset; tests/docs evaluates each of them.
"""

from __future__ import annotations

MOSAIC = "8:128.2,16:254.0,64:912.2,128:1618.4"

EXAMPLES = {
    # W: Stable Diffusion 2 base, 1.4 million steps of 2,048 samples, on the rows that MosaicML printed
    "days-from-samples": "samples=2867200000 samples_per_second=2589.4",
    "gpu-hours": "gpus=256 days=12.83",
    "strong-scaling-throughput": f"rows={MOSAIC} gpus=256",
    "scaling-efficiency": "samples_per_second=2589.4 gpus=256 best_samples_per_second_per_gpu=16.025",
    "throughput-spread": f"rows={MOSAIC} gpus=256",
    "gpu-hours-from-flop": "flop=4.3e23 peak_tflops=312 mfu_fraction=47.3%",
    "mfu": "tokens_per_second_per_gpu=10475 parameters=6658859008 layers=32 hidden_size=4096 sequence_length=2048 "
    "peak_tflops=989.5",
    "hours-from-samples": "samples=3600000 samples_per_second=100 throughput_factor=1.25",
    "hours-from-gpu-hours": "gpu_hours=4000 gpus=32 scaling_efficiency=50%",
    "samples-from-steps": "steps=550000:2048,850000:2048",
    "days-of-phases": "phases=1126400000:11600,1740800000:4590",
    "mfu-from-tflops": "achieved_tflops=400 peak_tflops=989.5",
    "mfu-from-gpu-hours": "flop=4.3e23 gpu_hours=811008 peak_tflops=312",
    "flop-from-gpu-hours": "gpu_hours=150000 peak_tflops=312 mfu_fraction=30%",
    "dense-model-flop": "parameters=6.66e9 tokens=1e12",
    # I: 400 p4d that read 92 MB/s a GPU; the pool of their NVMe against 2.2 PB of hot data
    "required-read-rate": "samples_per_second=11600 sample_bytes=165888",
    "node-serve-rate": "network_gbps=100 drives=8 drive_read_gb_per_s=2 reserved_cores=8",
    "cache-hit-shuffled": "ratio=0.9",
    "cache-hit-between-marks": "low_ratio=0.8 high_ratio=0.914",
    "prefetched-read-rate": "required_gb_per_s=10 given_gb_per_s=11 read_time_cv=1 prefetch_batches=2",
    "calendar-months": "start=2026-10-05 hours=744",
    "cache-hit-sequential": "ratio=0.999",
    "mixed-read-rate": "hit_fraction=50% warm_gb_per_s=10 cold_gb_per_s=2",
    "request-bound-rate": "requests_per_second=5500 object_bytes=100e6",
    "input-fraction": "compute_hours=936 required_gb_per_s=294 cold_gb=2200000 cold_gb_per_s=250 steady_gb_per_s=3800",
    "fill-rate-limit": "node_raw_tb=8",
    "warm-up-hours": "hot_gb=240000 cold_gb_per_s=200",
    "checkpoint-write-rate": "checkpoint_gb=5800 interval_hours=0.5 overhead_fraction=1%",
    "clients-rate": "nodes=4 gb_per_s_per_node=20 network_mbps=100000",
    "rate-in-series": "first_gb_per_s=6 second_gb_per_s=3",
    "accelerator-sample-rate": "accelerators=72 batch_samples=7 compute=0.636s utilization_fraction=92.5%",
    "dataset-bytes": "samples=5.85e9 sample=40KB",
    "mean-sample-bytes": "dataset=10TB samples=400e6",
    # G: Meta's clusters, BLOOM's checkpoints, and a fleet of 400 nodes
    "platform-mtbf": "nodes=2048 failures_per_1000_node_days=6.5",
    "spot-hazard": "monthly_reclaim_fraction=20%",
    "no-spare-probability": "failures_per_hour=0.1 replacement_hours=5 spares=1",
    "spare-wait-hours": "failures_per_hour=0.3234 replacement_hours=6 spares=2",
    "optimal-checkpoint-interval": "mtbf_hours=9.23 write_hours=0.02",
    "availability": "work_hours=2 write_hours=0.1 restart_hours=0.5 wait_hours=1 mtbf_hours=10",
    "checkpoint-write-hours": "checkpoint_gb=2300 write_gb_per_s=57.5",
    "young-interval": "mtbf_hours=50 write_hours=0.04",
    "daly-interval": "mtbf_hours=48 write_hours=0.04 wait_hours=0.5 restart_hours=1.5",
    "meta-ettr": "nodes=2000 failures_per_1000_node_days=6.5 restart_hours=0.25 interval_hours=0.5",
    "run-hours": "bring_up_hours=0.5 warm_up_hours=10 work_hours=90 input_fraction=90% availability_fraction=50%",
    "mean-wait-hours": "mtbf_hours=10 failures_per_hour=0.06 node_wait_hours=1 "
    "reclaims_per_hour=0.04 gang_wait_hours=5",
    "restart-hours": "restart_minutes=10 checkpoint_gb=360 cold_gb_per_s=1",
    "unheld-hours": "training_hours=126 mtbf_hours=10 wait_hours=2.6 reclaims_per_hour=0.04 gang_wait_hours=5",
    # a gang of 16 in the public traces with a checkpoint of 30 s, and a run of 40 days that may take 60
    "availability-with-notice": "unannounced_fraction=0.98 announced_per_hour=0.55 announced_wait_fraction=1.54"
    " restart_hours=0.17 write_hours=0.01",
    # a gang that is lost six times a day for three hours, and starts in 40 minutes: two weeks of work in three
    "held-for-proof-hours": "up_hours=4 down_hours=3 changeover_hours=0.67",
    "on-demand-spell-hours": "up_hours=4 down_hours=3 held_hours=1.36",
    "times-on-demand": "up_hours=4 down_hours=3 changeover_hours=0.67 spell_hours=5.38 spot_training_hours=706"
    " on_demand_training_hours=336 limit_hours=504",
    "fallback-threshold": "limit_hours=1440 on_demand_hours=960",
    "fallback-spot-fraction": "first_wait_hours=2.8 spot_training_hours=2560 on_demand_training_hours=960"
    " threshold_hours=240",
    "fallback-spot-hours": "first_wait_hours=2.8 start_hours=3.3 spot_training_hours=2560 spot_fraction=0.148"
    " threshold_hours=240",
    "fallback-hours": "spot_hours=383 spot_fraction=0.148 changeover_hours=0.8 on_demand_training_hours=960",
    # what Llama 3, OPT-175B, BLOOM and Salad's workers went through
    "observed-rate": "events=2 nodes=128 days=1",
    "observed-interval": "hours=54days events=419",
    "survival": "events_per_hour=0.01083 hours=168",
    "interruption-loss": "interruptions=2 detection=60s interval=115.5s",
    "worker-job-hours": "segments=28 segment=115.7s mtbf_hours=92",
    "falling-survival": "scale_hours=97.5 hours=168",
    "bad-node-failed-fraction": "nodes=40 job=54min fail=15s",
    "batch-wait-hours": "place=250 nodes=40 job=54min",
    "shared-outage-fraction": "correlation=40% up_fraction=80%",
    "checkpoint-overhead": "write=40s interval=3h",
    "observed-availability": "spells=269 mean_spell_hours=1.16 hours=27.05days",
    "gang-availability": "interruptions_per_day=13.2 wait_hours=2.8",
    # C: p4d at the prices of one book; Anyscale's p4de, reserved against on demand
    "instance-cost": "node_hours=24 usd_per_hour=price:p4d.24xlarge --prices 2026-09-01",
    "gpu-hours-cost": "gpu_hours=150000 usd_per_hour=price:p4d.24xlarge --prices 2023-12-31",
    "commitment-used": "nodes=4 run_hours=411.4 usd_per_hour=24.01",
    "commitment-unused": "nodes=4 run_hours=411.4 term_hours=8760 usd_per_hour=24.01",
    "block-days": "run_hours=335.6",
    "block-fee": "nodes=4 block_days=2 usd_per_hour=11.8",
    "break-even-hours": "term_hours=8760 committed_usd_per_hour=24.01 on_demand_usd_per_hour=40.96",
    "usd-per-useful-gpu-hour": "cost_usd=600000 useful_gpu_hours=150000",
    "nodes-cost": "nodes=400 hours=100 unheld_hours=10 usd_per_hour=20 discount_fraction=5%",
    "block-unused": "nodes=4 run_hours=40 block_days=2 usd_per_hour=11.8",
    "node-hours": "nodes=4 hours=100 unheld_hours=10",
    "unused-node-hours": "nodes=2 run_hours=9000 term_hours=8760 reuse_value_fraction=50%",
    "committed-run-hours": "run_hours=9490 term_hours=8760 committed_usd_per_hour=13.92 on_demand_usd_per_hour=21.96",
    # S: the NVMe of 400 p4d, WEKA's own example, file systems that AWS sells
    "pool-raw": "nodes=400 drives=8 drive_tb=1",
    "pool-usable": "raw_tb=3200",
    "protected-usable": "raw_tb=10 nodes=10 spares=1 data_stripes=6 parity_stripes=2",
    "lustre-capacity": "needed_gib=3072",
    "lustre-throughput": "capacity_gib=4800 mbps_per_tib=50",
    "lustre-scan-hours": "files=1e9 metadata_iops=12000",
    "gb-months": "stored_bytes=1e12 months=0.5",
    "usd-per-usable-tb-month": "storage_usd=300 usable_tb=2 hours=1460",
    "change-per-tb": "capacity_ratio=15 cost_ratio=0.8",
    "lustre-included-metadata-iops": "capacity_gib=72000",
    "cluster-nodes": "needed_tb=10 usable_tb_per_node=3 needed_gb_per_s=25 gb_per_s_per_node=10 spares=1",
    "checkpoint-bytes": "parameters=8.03e9",
    "flow-log-gb": "node_hours=240 gb_per_node_day=0.2",
    "protected-cores": "drives=8",
    "protected-memory-gb": "frontend_cores=1 compute_cores=13 drive_cores=6 raw_gb=983000 servers=16 protocols_gb=16"
    " rdma_gb=2 metadata_units=94e6",
    "lustre-elastic-throughput": "needed=10GB/s",
    "lustre-scratch-survival": "capacity_gib=50400 days=7",
    "lustre-growth": "current_gib=2400 needed_gib=3072",
    # T: what bills by use
    "tiered-storage-month": "stored_gb=600 tiers=0:500:0.023,500:inf:0.022",
    "requests": "bytes_moved=240e12 object_bytes=100e6",
    "hourly-resource": "count=3 hours=730 usd_per_hour=0.01",
    "billed-gb": "bytes_moved=1e12",
    "volume-gb-months": "volumes=4 size_gib=200 months=0.5",
    "months": "count=6 months=0.5",
    "ingest-days": "dataset_bytes=234e12 rate_bytes_per_second=380e6",
    "billed-hours": "hours=216 minimum_days=30",
    "tiered-age-hours": "hours=2400 from_days=30 to_days=90",
    "tiered-storage": "stored_gb=100 tiers=0:50:0.1,50:inf:0.05 start=2026-10-01 hours=1488",
    "gb-per-node": "nodes=400 gb_per_node=20",
    "gb-per-node-day": "nodes=400 hours=48 gb_per_node_day=0.05",
    "key-requests": "read_bytes=4e15 written_bytes=1e15 object_bytes=100e6 kms_request_fraction=1%",
    # P: Epoch's salaries, MosaicML's latents
    "staff-cost": "engineers=11 months=2.5 usd_per_engineer_year=330000",
    "preprocessing-cost": "gpu_hours=3784 gpus_per_node=8 usd_per_hour=16",
    "effort-cost": "layout_hours=12 purchase_hours=6 run_hours=480 usd_per_engineer_year=330000",
    "experiments-cost": "run_node_hours=1000 experiment_factor=2.19 usd_per_hour=21.957642",
    # O: Epoch's parts of GPT-4, and the energy on Stable Diffusion's model card
    "owned-hardware-cost": "usd_per_chip=14165.05 chip_hours=57e6 experiment_factor=2.19",
    "observed-rate-low": "events=4 nodes=55 days=9.5",
    "observed-rate-high": "events=4 nodes=55 days=9.5",
    "rate-from-mtbf": "nodes=128 mtbf=7.9h",
    "job-failures": "nodes=2048 days=54 failures_per_1000_node_days=3.79",
    "failed-job-fraction": "nodes=128 hours=24h failures_per_1000_node_days=23.7",
    "owned-purchase": "chips=528 usd_per_chip=36000",
    "owned-break-even": "owned_usd_per_hour=1.64 energy_usd_per_hour=0.1 rented_usd_per_hour=6.88",
    "owned-accelerator-cost": "hardware_usd=64924872 server_factor=1.66",
    "owned-server-cost": "hardware_usd=64924872 server_factor=1.66",
    "owned-interconnect-cost": "hardware_usd=64924872",
    "energy": "gpu_hours=150000 kw_per_gpu=0.25",
    "emissions": "kwh=37500 kg_per_kwh=0.3",
    "energy-cost": "kwh=37500",
    # R: MosaicML against a model card, WEKA's claim, Epoch's experiments, Salad's workers
    "ratio": "part=200000 whole=78735",
    "saving": "before=60days after=39days",
    "lognormal-median": "low=1.2 high=4",
    "worker-price": "gpu_usd_per_hour=0.30 vcpus=2 usd_per_vcpu_hour=0.004 memory_gb=16 usd_per_gb_hour=0.001",
    "usd-per-step": "usd=0.2916 steps=1400",
}

LOOPS = {
    "calendar-months": r"""\begin{aligned}
\mathrm{calendar\_months} &= \sum_{m} \frac{h_m}{H_m} \\
h_m &: \text{hours of the time in month } m, \text{ from } \mathrm{start} \text{ for } \mathrm{hours} \\
H_m &: \text{hours of the whole calendar month}
\end{aligned}""",
    "strong-scaling-throughput": r"""\begin{aligned}
(a, b) &= \arg\min_{a, b \ge 0} \sum_{(n_i, r_i) \in \mathrm{rows}}
  \left( \left( \frac{a}{n_i} + b \right) \cdot r_i - 1 \right)^{2} \\
\mathrm{strong\_scaling\_throughput} &= \frac{1}{\frac{a}{\mathrm{gpus}} + b}
\end{aligned}""",
    "throughput-spread": r"""\begin{aligned}
\mathrm{beyond} &= \max\left( 0, \log_2\left( \frac{\mathrm{gpus}}{\max_i n_i} \right) \right)
  \cdot \mathrm{error\_per\_doubling\_fraction} \\
\mathrm{throughput\_spread} &=
  \sqrt{\left( t_{0.95} \cdot \mathrm{standard\_error}\left( \mathrm{gpus} \right) \right)^{2} + \mathrm{beyond}^{2}}
\end{aligned}""",
    "observed-rate-low": r"""\begin{aligned}
\sum_{k=0}^{\mathrm{events} - 1} \frac{e^{-m} \cdot m^{k}}{k!} &= \frac{1 + \mathrm{confidence\_fraction}}{2} \\
\mathrm{observed\_rate\_low} &= \frac{m}{\mathrm{nodes} \cdot \mathrm{days}} \cdot 1{,}000
\end{aligned}""",
    "observed-rate-high": r"""\begin{aligned}
\sum_{k=0}^{\mathrm{events}} \frac{e^{-m} \cdot m^{k}}{k!} &= \frac{1 - \mathrm{confidence\_fraction}}{2} \\
\mathrm{observed\_rate\_high} &= \frac{m}{\mathrm{nodes} \cdot \mathrm{days}} \cdot 1{,}000
\end{aligned}""",
    "no-spare-probability": r"""\begin{aligned}
m &= \mathrm{failures\_per\_hour} \cdot \mathrm{replacement\_hours} \\
\mathrm{no\_spare\_probability} &= 1 - \sum_{k=0}^{\mathrm{spares} - 1} \frac{e^{-m} \cdot m^{k}}{k!}
\end{aligned}""",
    "spare-wait-hours": r"""\begin{aligned}
m &= \mathrm{failures\_per\_hour} \cdot \mathrm{replacement\_hours}, \quad s = \mathrm{spares} \\
\mathrm{spare\_wait\_hours} &= \frac{\frac{m^{s}}{s!}}{\sum_{k=0}^{s} \frac{m^{k}}{k!}}
  \cdot \frac{\mathrm{replacement\_hours}}{s + 1}
\end{aligned}""",
    "optimal-checkpoint-interval": r"""
\mathrm{optimal\_checkpoint\_interval} = \arg\min_{W > 0}
  \frac{1}{W} \cdot \left( \exp\left( \frac{W + \mathrm{write\_hours}}{\mathrm{mtbf\_hours}} \right) - 1 \right)""",
    "samples-from-steps": r"""
\mathrm{samples\_from\_steps} = \sum_{(\mathrm{steps}_i, \mathrm{samples}_i)}
  \mathrm{steps}_i \cdot \mathrm{samples}_i""",
    "days-of-phases": r"""
\mathrm{days\_of\_phases} = \frac{1}{86{,}400} \cdot \sum_{(\mathrm{samples}_i, \mathrm{rate}_i) \in \mathrm{phases}}
  \frac{\mathrm{samples}_i}{\mathrm{rate}_i}""",
    "lustre-capacity": r"""\begin{aligned}
n &= \mathrm{needed\_gib}, \quad s = \mathrm{step\_gib} \\
\mathrm{lustre\_capacity} &= \begin{cases}
1{,}200 & \text{if } s = 2{,}400 \text{ and } n \le 1{,}200 \\
s \cdot \max\left( 1, \left\lceil \frac{n}{s} \right\rceil \right) & \text{otherwise}
\end{cases}
\end{aligned}""",
    "lustre-included-metadata-iops": r"""\begin{aligned}
c &= \mathrm{capacity\_gib} \\
\mathrm{lustre\_included\_metadata\_iops} &= \begin{cases}
1{,}500 & \text{if } c \le 1{,}200 \\
3{,}000 & \text{if } c \le 2{,}400 \\
6{,}000 & \text{if } c \le 9{,}600 \\
12{,}000 & \text{if } c \le 45{,}600 \\
\min\left( 192{,}000, 12{,}000 \cdot \left\lfloor \frac{c}{24{,}000} \right\rfloor \right) & \text{otherwise}
\end{cases}
\end{aligned}""",
    "tiered-storage-month": r"""
\mathrm{tiered\_storage\_month} = \sum_{(\mathrm{from}_i, \mathrm{to}_i, \mathrm{usd}_i) \in \mathrm{tiers}}
  \mathrm{usd}_i \cdot \max\left( 0, \min\left( \mathrm{stored\_gb}, \mathrm{to}_i \right) - \mathrm{from}_i \right)""",
    "tiered-storage": r"""
\mathrm{tiered\_storage} = \sum_{m \in \mathrm{months}} \left(
  T_1\left( \left( \mathrm{below\_gb} + \mathrm{stored\_gb} \right)
    \cdot \frac{\mathrm{hours}_m}{\mathrm{month}_m} \right)
  - T_1\left( \mathrm{below\_gb} \cdot \frac{\mathrm{hours}_m}{\mathrm{month}_m} \right)
\right)""",
}
