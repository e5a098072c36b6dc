"""Every equation once by hand: inputs, and the arithmetic that anyone can redo on paper."""

from __future__ import annotations

import math
from datetime import date

import pytest

from planner.models.catalogue import all_equations, find
from planner.plan.assumptions import default_assumptions

MOSAIC = [(8, 128.2), (16, 254.0), (64, 912.2), (128, 1618.4)]

# (name, inputs, the same by hand)
EXAMPLES = [
    # Stable Diffusion 2 base: 1.4 million steps of 2,048 samples at 2,589.4 samples/s
    ("days-from-samples", {"samples": 1_400_000 * 2048, "samples_per_second": 2589.4}, 2_867_200_000 / 2589.4 / 86_400),
    ("gpu-hours", {"gpus": 256, "days": 12.83}, 256 * 12.83 * 24),
    # two rows give the line exactly: t(1) = 1 s, t(2) = 0.6 s, so a = 0.8, b = 0.2 and t(4) = 0.4 s
    ("strong-scaling-throughput", {"rows": [(1, 1.0), (2, 1 / 0.6)], "gpus": 4}, 1 / (0.8 / 4 + 0.2)),
    (
        "scaling-efficiency",
        {"samples_per_second": 2589.4, "gpus": 256, "best_samples_per_second_per_gpu": 128.2 / 8},
        (2589.4 / 256) / (128.2 / 8),
    ),
    # two rows: 2 % of scatter; 32 GPUs are 7 times the second row less 6 times the first: sqrt(1 + 49 + 36) of it;
    # 8 -> 32 GPUs are two doublings
    (
        "throughput-spread",
        {"rows": [(4, 4.0), (8, 8.0)], "gpus": 32, "error_per_doubling_fraction": 0.08},
        math.hypot(1.6448536269514722 * 0.02 * math.sqrt(86), 2 * 0.08),
    ),
    # OPT-175B: 4.30e23 FLOP at 47.3 % of 1,024 A100 are 33 days
    (
        "gpu-hours-from-flop",
        {"flop": 4.30e23, "peak_tflops": 312, "mfu_fraction": 0.473},
        4.30e23 / (312e12 * 0.473 * 3600),
    ),
    (
        "mfu",
        {
            "tokens_per_second_per_gpu": 10_475,
            "parameters": 6_658_859_008,
            "layers": 32,
            "hidden_size": 4096,
            "sequence_length": 2048,
            "peak_tflops": 989.5,
        },
        10_475 * (6 * 6_658_859_008 + 12 * 32 * 4096 * 2048) / 989.5e12,
    ),
    ("samples-from-steps", {"steps": [(550_000, 2048), (850_000, 2048)]}, 1_400_000 * 2048),
    # half a day at 1 sample a second, then a day at 2
    ("days-of-phases", {"phases": [(43_200, 1), (172_800, 2)]}, 0.5 + 1),
    ("mfu-from-tflops", {"achieved_tflops": 400, "peak_tflops": 989.5}, 400 / 989.5),
    (
        "mfu-from-gpu-hours",
        {"flop": 4.3e23, "gpu_hours": 33 * 24 * 1024, "peak_tflops": 312},
        4.3e23 / (33 * 86_400 * 1024 * 312e12),
    ),
    (
        "flop-from-gpu-hours",
        {"gpu_hours": 150_000, "peak_tflops": 312, "mfu_fraction": 0.3},
        150_000 * 3600 * 312e12 * 0.3,
    ),
    ("dense-model-flop", {"parameters": 7e9, "tokens": 1e12}, 42e21),
    # one accelerator: 7 samples in 0.35 s, half of the time
    (
        "accelerator-sample-rate",
        {"accelerators": 4, "batch_samples": 7, "compute_seconds": 0.35, "utilization_fraction": 0.5},
        4 * 20 * 0.5,
    ),
    ("dataset-bytes", {"samples": 5.85e9, "sample_bytes": 40e3}, 234e12),
    ("mean-sample-bytes", {"dataset_bytes": 10e12, "samples": 400e6}, 25e3),
    ("observed-rate", {"events": 2, "nodes": 128, "days": 1}, 2000 / 128),
    ("observed-interval", {"hours": 54 * 24, "events": 419}, 1296 / 419),
    ("survival", {"events_per_hour": 0.01, "hours": 100}, 1 / math.e),
    # two times a minute until it is noticed and 25 steps of 2.31 s
    ("interruption-loss", {"interruptions": 2, "detection_seconds": 60, "interval_seconds": 115.5}, 235.5),
    # a segment of 1 h at one interruption an hour: e - 1; the second one reloads for an hour: e (e - 1)
    (
        "worker-job-hours",
        {"segments": 2, "segment_hours": 1, "mtbf_hours": 1, "resume_hours": 1},
        (math.e - 1) * (1 + math.e),
    ),
    # at the age of its scale, 1/e of the nodes are left whatever the shape; at four times it, e^-2 with shape 1/2
    ("falling-survival", {"scale_hours": 10, "hours": 10, "shape": 0.7}, 1 / math.e),
    ("falling-survival", {"scale_hours": 10, "hours": 40, "shape": 0.5}, math.exp(-2)),
    # four good nodes take 4 jobs an hour, the bad one 6
    ("bad-node-failed-fraction", {"nodes": 5, "job_hours": 1, "fail_hours": 1 / 6}, 0.6),
    # places 1 to 40 start at once, 41 to 80 after one job
    ("batch-wait-hours", {"place": 81, "nodes": 40, "job_hours": 0.9}, 1.8),
    # up half of the time: both are up 0.25 of it if apart, 0.5 if as one, 0.4 at a correlation of 0.6
    ("shared-outage-fraction", {"correlation": 0.0, "up_fraction": 0.5}, 0.0),
    ("shared-outage-fraction", {"correlation": 1.0, "up_fraction": 0.5}, 1.0),
    ("shared-outage-fraction", {"correlation": 0.6, "up_fraction": 0.5}, 0.75),
    ("checkpoint-overhead", {"write_hours": 40 / 3600, "interval_hours": 3}, 40 / 10_800),
    ("observed-availability", {"spells": 10, "mean_spell_hours": 2, "hours": 50}, 0.4),
    # 2 h up, 3 h down
    ("gang-availability", {"interruptions_per_day": 12, "wait_hours": 3}, 2 / 5),
    ("protected-cores", {"drives": 8, "frontend_cores": 1}, 4 + 8 + 1),
    (
        "protected-memory-gb",
        {
            "frontend_cores": 1,
            "compute_cores": 8,
            "drive_cores": 4,
            "raw_gb": 16_000,
            "servers": 2,
            "protocols_gb": 16,
            "rdma_gb": 2,
            "metadata_units": 1e8,
        },
        2.8 + 2.2 + 31.2 + 8 + (4 + 39) + 16 + 2 + 2,
    ),
    ("lustre-elastic-throughput", {"needed_gb_per_s": 10}, 12),
    # 50.4 TiB: 21 file servers and one for metadata, eleven times the smallest system's two
    ("lustre-scratch-survival", {"capacity_gib": 50_400, "days": 7}, 0.994**11),
    ("lustre-growth", {"current_gib": 2400, "needed_gib": 3072}, 4800),
    # without events the mean is below -ln(0.05); with one, at least -ln(0.95)
    ("observed-rate-high", {"events": 0, "nodes": 10, "days": 100}, -math.log(0.05)),
    ("observed-rate-low", {"events": 1, "nodes": 10, "days": 100}, -math.log(0.95)),
    ("rate-from-mtbf", {"nodes": 128, "mtbf_hours": 7.9}, 24_000 / 128 / 7.9),
    ("job-failures", {"nodes": 2048, "days": 54, "failures_per_1000_node_days": 3.79}, 2048 * 54 * 0.00379),
    (
        "failed-job-fraction",
        {"nodes": 128, "hours": 7.9, "failures_per_1000_node_days": 24_000 / 128 / 7.9},
        1 - math.exp(-1),
    ),
    (
        "owned-hardware-cost",
        {"usd_per_chip": 20_000, "chip_hours": 8766, "experiment_factor": 2},
        20_000 * 0.14 * math.log(10) * 2,
    ),
    # busy half of the time: the run also pays for as many idle hours
    (
        "owned-hardware-cost",
        {"usd_per_chip": 20_000, "chip_hours": 8766, "utilization_fraction": 0.5},
        20_000 * 0.14 * math.log(10) * 2,
    ),
    ("owned-purchase", {"chips": 8, "usd_per_chip": 20_250}, 200_000),
    ("owned-break-even", {"owned_usd_per_hour": 1.4, "energy_usd_per_hour": 0.1, "rented_usd_per_hour": 2.9}, 0.5),
    ("owned-accelerator-cost", {"hardware_usd": 166, "server_factor": 1.66}, 100),
    ("owned-server-cost", {"hardware_usd": 166, "server_factor": 1.66}, 66),
    ("owned-interconnect-cost", {"hardware_usd": 81}, 19),
    ("energy", {"gpu_hours": 150_000, "kw_per_gpu": 0.25, "overhead_factor": 1.1}, 41_250),
    ("emissions", {"kwh": 37_500, "kg_per_kwh": 0.3}, 11_250),
    ("energy-cost", {"kwh": 1000, "usd_per_kwh": 0.08}, 80),
    ("ratio", {"part": 1, "whole": 8}, 0.125),
    ("saving", {"before": 60, "after": 39}, 0.35),
    ("lognormal-median", {"low": 1, "high": 4}, 2),
    (
        "worker-price",
        {
            "gpu_usd_per_hour": 0.3,
            "vcpus": 2,
            "usd_per_vcpu_hour": 0.004,
            "memory_gb": 16,
            "usd_per_gb_hour": 0.001,
        },
        0.324,
    ),
    ("usd-per-step", {"usd": 0.2916, "steps": 1400}, 0.2916 / 1400),
    ("required-read-rate", {"samples_per_second": 11_600, "sample_bytes": 8_192 + 157_696}, 11_600 * 165_888 / 1e9),
    # p4d: the network 12.5, eight drives 16, eight cores 14.3: the network is the tightest
    (
        "node-serve-rate",
        {"network_gbps": 100, "drives": 8, "drive_read_gb_per_s": 2, "reserved_cores": 8},
        0.87 * min(100 / 8, 8 * 2, 8 / 0.56),
    ),
    # nine days in Standard-IA are billed as thirty
    ("billed-hours", {"hours": 216, "minimum_days": 30}, 30 * 24),
    # of 100 days unread, 60 in Infrequent Access: from the 30th to the 90th
    ("tiered-age-hours", {"hours": 2400, "from_days": 30, "to_days": 90}, 60 * 24),
    ("cache-hit-shuffled", {"ratio": 0.9}, 1 - 0.1 + 0.1 * math.log(0.1)),
    ("cache-hit-sequential", {"ratio": 0.999}, 0.0),
    # half of 2 GB from 10 GB/s, half from 2 GB/s: 0.1 + 0.5 s for 2 GB
    ("mixed-read-rate", {"hit_fraction": 0.5, "warm_gb_per_s": 10, "cold_gb_per_s": 2}, 2 / (1 / 10 + 1 / 2)),
    ("request-bound-rate", {"requests_per_second": 5500, "object_bytes": 100e6}, 5500 * 0.1),
    # 1 h of computing reads 3,600 GB; the first 360 GB at 0.5 GB/s take 360 s more than at 1 GB/s
    (
        "input-fraction",
        {
            "compute_hours": 1,
            "required_gb_per_s": 1,
            "cold_gb": 360,
            "cold_gb_per_s": 0.5,
            "steady_gb_per_s": 5,
        },
        3600 / (3600 + 360 / 0.5 - 360 / 1),
    ),
    ("fill-rate-limit", {"node_raw_tb": 8}, 8000 * 0.70 / 3600),
    ("warm-up-hours", {"hot_gb": 240_000, "cold_gb_per_s": 200}, 240_000 / 200 / 3600),
    # 405B parameters every 30 minutes at 1 %: 5.8e12 bytes in 18 s
    (
        "checkpoint-write-rate",
        {"checkpoint_gb": 5800, "interval_hours": 0.5, "overhead_fraction": 0.01},
        5800 / 18,
    ),
    # RSC-1 at 16,384 GPUs: 2,048 nodes x 6.5 a 1,000 days
    ("platform-mtbf", {"nodes": 2048, "failures_per_1000_node_days": 6.5}, 24 / (2048 * 6.5 / 1000)),
    ("spot-hazard", {"monthly_reclaim_fraction": 0.2}, math.log(1 / 0.8) / 730),
    # m = 0.5 out of service on average; with one spare: P(at least 1) = 1 - e^-0.5
    ("no-spare-probability", {"failures_per_hour": 1, "replacement_hours": 0.5, "spares": 1}, 1 - math.exp(-0.5)),
    # m = 2: B(1) = 2/3, B(2) = (4/3) / (2 + 4/3) = 0.4; the first of three nodes comes after 2 of 6 h
    ("spare-wait-hours", {"failures_per_hour": 1 / 3, "replacement_hours": 6, "spares": 2}, 0.4 * 2),
    # E[T] = (10 + 1) e^(0.5/10) (e^((2 + 0.1)/10) - 1)
    (
        "availability",
        {"work_hours": 2, "write_hours": 0.1, "restart_hours": 0.5, "wait_hours": 1, "mtbf_hours": 10},
        2 / (11 * math.exp(0.05) * (math.exp(0.21) - 1)),
    ),
    # BLOOM-176B: 2.3 TB at 57.5 GB/s are 40 s
    ("checkpoint-write-hours", {"checkpoint_gb": 2300, "write_gb_per_s": 57.5}, 40 / 3600),
    ("young-interval", {"mtbf_hours": 50, "write_hours": 0.04}, 2 + 0.04),  # sqrt(2 x 50 x 0.04) = 2
    (
        "daly-interval",
        {"mtbf_hours": 48, "write_hours": 0.04, "wait_hours": 0.5, "restart_hours": 1.5},
        2 + 0.04,  # sqrt(2 x (48 + 0.5 + 1.5) x 0.04) = 2
    ),
    # 100,000 GPUs at the RSC-2 rate, restart and interval of 2 minutes
    (
        "meta-ettr",
        {
            "nodes": 12_500,
            "failures_per_1000_node_days": 2.34,
            "restart_hours": 2 / 60,
            "interval_hours": 2 / 60,
        },
        1 - 12_500 * 2.34 / 1000 / 24 * (2 + 1) / 60,
    ),
    # half an hour to start, 10 h of filling, then 90 h of work of which 0.9 x 0.5 are kept
    (
        "run-hours",
        {
            "bring_up_hours": 0.5,
            "warm_up_hours": 10,
            "work_hours": 90,
            "input_fraction": 0.9,
            "availability_fraction": 0.5,
        },
        0.5 + 10 + 200,
    ),
    # 10 minutes, then 360 GB at 1 GB/s are 0.1 h
    ("restart-hours", {"restart_minutes": 10, "checkpoint_gb": 360, "cold_gb_per_s": 1}, 1 / 6 + 0.1),
    # every 10 h an interruption: 0.06 / 0.1 of them failures, half of which wait 2 h; the rest reclaims that wait 5 h
    (
        "mean-wait-hours",
        {
            "mtbf_hours": 10,
            "failures_per_hour": 0.06,
            "node_wait_hours": 1,
            "reclaims_per_hour": 0.04,
            "gang_wait_hours": 5,
        },
        0.6 * 0.5 * 2 + 0.4 * 5,
    ),
    # the same: of 126 h of training each cycle of 10 + 2.6 h waits 2 h for the gang
    (
        "unheld-hours",
        {
            "training_hours": 126,
            "mtbf_hours": 10,
            "wait_hours": 2.6,
            "reclaims_per_hour": 0.04,
            "gang_wait_hours": 5,
        },
        126 / 12.6 * 2,
    ),
    ("hours-from-samples", {"samples": 3_600_000, "samples_per_second": 100, "throughput_factor": 1.25}, 10 / 1.25),
    ("hours-from-gpu-hours", {"gpu_hours": 4000, "gpus": 32, "scaling_efficiency": 0.5}, 250),
    # 100 Gbit/s x 0.95 / 8 = 11.875 GB/s bind 4 clients whose streams carry 20
    ("clients-rate", {"nodes": 4, "gb_per_s_per_node": 20, "network_mbps": 100_000}, 4 * 11.875),
    ("rate-in-series", {"first_gb_per_s": 6, "second_gb_per_s": 3}, 2),
    # 400 nodes for 100 h less 10 without capacity, at 20 USD less 5 %
    (
        "nodes-cost",
        {"nodes": 400, "hours": 100, "unheld_hours": 10, "usd_per_hour": 20, "discount_fraction": 0.05},
        400 * 90 * 19,
    ),
    ("block-unused", {"nodes": 4, "run_hours": 40, "block_days": 2, "usd_per_hour": 11.8}, 4 * 8 * 11.8),
    ("node-hours", {"nodes": 4, "hours": 100, "unheld_hours": 10}, 360),
    # 9,000 h need a second year: 2 x 8,760 - 9,000 h, half of them taken over by others
    (
        "unused-node-hours",
        {"nodes": 2, "run_hours": 9000, "term_hours": 8760, "reuse_value_fraction": 0.5},
        2 * 8520 * 0.5,
    ),
    # 100 GB for 744 h, all of October, are 100 GB-Mo, of which the first 50 at 0.1 and the rest at 0.05
    (
        "tiered-storage",
        {
            "stored_gb": 100,
            "tiers": ((0, 50, 0.1), (50, math.inf, 0.05)),
            "start": date(2026, 10, 1),
            "hours": 744,
        },
        50 * 0.1 + (100 * 744 / 744 - 50) * 0.05,
    ),
    ("gb-per-node", {"nodes": 400, "gb_per_node": 20}, 8000),
    ("gb-per-node-day", {"nodes": 400, "hours": 48, "gb_per_node_day": 0.05}, 400 * 2 * 0.05),
    # 50 million objects, one in a hundred asks for the key: half a million requests
    (
        "key-requests",
        {"read_bytes": 4e15, "written_bytes": 1e15, "object_bytes": 100e6, "kms_request_fraction": 0.01},
        50,
    ),
    ("instance-cost", {"node_hours": 24, "usd_per_hour": 21.957642}, 24 * 21.957642),
    ("gpu-hours-cost", {"gpu_hours": 13_165, "usd_per_hour": 40.96}, 13_165 / 8 * 40.96),
    ("commitment-used", {"nodes": 4, "run_hours": 411.4, "usd_per_hour": 24.01}, 4 * 411.4 * 24.01),
    (
        "commitment-unused",
        {"nodes": 4, "run_hours": 411.4, "term_hours": 8760, "usd_per_hour": 24.01},
        4 * (8760 - 411.4) * 24.01,
    ),
    ("block-days", {"run_hours": 14 * 24 - 0.4}, 21),  # 0.1 h too long for 14 days; then whole weeks
    ("block-fee", {"nodes": 4, "block_days": 2, "usd_per_hour": 11.8}, 4 * 48 * 11.8),
    # Anyscale's p4de: reserved at 24.01 against 40.96 on demand
    (
        "break-even-hours",
        {"term_hours": 8760, "committed_usd_per_hour": 24.01, "on_demand_usd_per_hour": 40.96},
        8760 * 24.01 / 40.96,
    ),
    # a year at 13.92, and 730 h at 21.96 On-Demand: 16,030, where 8,030 h unused cost 111,778; at 7,000 h it is
    # 24,500 for 1,760 h unused against 56,280 more an hour's rate
    (
        "committed-run-hours",
        {"run_hours": 9490, "term_hours": 8760, "committed_usd_per_hour": 13.92, "on_demand_usd_per_hour": 21.96},
        8760,
    ),
    (
        "committed-run-hours",
        {
            "run_hours": 8760 + 7000,
            "term_hours": 8760,
            "committed_usd_per_hour": 13.92,
            "on_demand_usd_per_hour": 21.96,
        },
        15760,
    ),
    ("usd-per-useful-gpu-hour", {"cost_usd": 600_000, "useful_gpu_hours": 150_000}, 4.0),
    ("pool-raw", {"nodes": 400, "drives": 8, "drive_tb": 1.0}, 3200),
    ("pool-usable", {"raw_tb": 3200}, 3200 * 0.99 * 0.70),
    ("protected-usable", {"raw_tb": 10, "nodes": 10, "spares": 1, "data_stripes": 6, "parity_stripes": 2}, 6.075),
    ("lustre-capacity", {"needed_gib": 3 * 1024}, 4800),  # 1,200, 2,400, then steps of 2,400
    ("lustre-throughput", {"capacity_gib": 4800, "mbps_per_tib": 50}, 0.240),
    # 1 - ln(1 - c) goes from 2 to 4 while the cache fills, so a trip reads ln 2 of the data
    (
        "cache-hit-between-marks",
        {"low_ratio": 1 - math.exp(-1), "high_ratio": 1 - math.exp(-3)},
        1 - (math.exp(-1) - math.exp(-3)) / math.log(2),
    ),
    # as much as is needed, and a spread of 1: the buffer of 2 + 1 is empty for 1 / (2 x 3) of the time
    (
        "prefetched-read-rate",
        {"required_gb_per_s": 12, "given_gb_per_s": 12, "read_time_cv": 1, "prefetch_batches": 2},
        12 * (1 - 1 / 6),
    ),
    # 24,000 files a second
    ("lustre-scan-hours", {"files": 1e9, "metadata_iops": 12_000}, 1e9 / 24_000 / 3600),
    ("gb-months", {"stored_bytes": 1e12, "months": 0.5}, 1e12 / 1_073_741_824 / 2),
    ("usd-per-usable-tb-month", {"storage_usd": 300, "usable_tb": 2, "hours": 1460}, 300 / 2 / 2),
    ("change-per-tb", {"capacity_ratio": 15, "cost_ratio": 0.8}, 0.8 / 15 - 1),
    ("lustre-included-metadata-iops", {"capacity_gib": 72_000}, 3 * 12_000),
    # 10 TB / 3 TB a node = 4 nodes; 25 GB/s / 10 = 3 nodes; and a spare
    (
        "cluster-nodes",
        {
            "needed_tb": 10,
            "usable_tb_per_node": 3,
            "needed_gb_per_s": 25,
            "gb_per_s_per_node": 10,
            "spares": 1,
        },
        4 + 1,
    ),
    ("checkpoint-bytes", {"parameters": 8.03e9}, 8.03e9 * 14 / 1e9),
    ("flow-log-gb", {"node_hours": 240, "gb_per_node_day": 0.2}, 10 * 0.2),
    # 600 GB of a ladder 0-500 at 0.023 and above at 0.022
    ("tiered-storage-month", {"stored_gb": 600, "tiers": [(0, 500, 0.023), (500, 1e9, 0.022)]}, 500 * 0.023 + 2.2),
    ("requests", {"bytes_moved": 240e12, "object_bytes": 100e6}, 2_400),  # 2.4 million GETs
    ("hourly-resource", {"count": 3, "hours": 730, "usd_per_hour": 0.01}, 21.9),
    ("billed-gb", {"bytes_moved": 2**40}, 1024),
    ("volume-gb-months", {"volumes": 4, "size_gib": 200, "months": 0.5}, 4 * 200 / 2),
    ("months", {"count": 6, "months": 2}, 12),
    # half of October, which has 31 days, and a third of November
    ("calendar-months", {"start": date(2026, 10, 16), "hours": 16 * 24 + 240}, 16 / 31 + 1 / 3),
    # LAION-5B: 5.85e9 samples at 9,500/s are 7 days; here in bytes of 40 KB
    ("ingest-days", {"dataset_bytes": 5.85e9 * 40e3, "rate_bytes_per_second": 9500 * 40e3}, 5.85e9 / 9500 / 86_400),
    # OPT's 11 people for 78 days, at Epoch's 330,000 USD and 1.325
    # an interruption every 2 h with 3 h of waiting: 1 h of training takes e^0.05 (1 + 1.5) + 0.5 x 0.02 h
    (
        "availability-with-notice",
        {
            "unannounced_fraction": 0.9,
            "announced_per_hour": 0.5,
            "announced_wait_fraction": 1.5,
            "restart_hours": 0.1,
            "write_hours": 0.02,
        },
        0.9 / (2.5 * math.exp(0.05) + 0.01),
    ),
    # 40 days On-Demand with a deadline of 60 leave 20, half of them for spot
    ("fallback-threshold", {"limit_hours": 1440, "on_demand_hours": 960}, 240),
    # spot trains 3 times as long: 8 h lost after a first wait of 2 h are reached after 6 of 200 h more
    (
        "fallback-spot-fraction",
        {
            "first_wait_hours": 2,
            "spot_training_hours": 300,
            "on_demand_training_hours": 100,
            "threshold_hours": 8,
        },
        6 / 200,
    ),
    (
        "fallback-spot-hours",
        {
            "first_wait_hours": 2,
            "start_hours": 2.5,
            "spot_training_hours": 300,
            "spot_fraction": 0.03,
            "threshold_hours": 8,
        },
        2.5 + 9,
    ),
    (
        "fallback-hours",
        {
            "spot_hours": 11.5,
            "spot_fraction": 0.03,
            "changeover_hours": 0.7,
            "on_demand_training_hours": 100,
        },
        11.5 + 0.7 + 97,
    ),
    # the proof is 1 x (4 + 4) / 4 = 2 hours
    ("held-for-proof-hours", {"up_hours": 4, "down_hours": 4, "changeover_hours": 1}, 4 * (math.exp(2 / 4) - 1)),
    ("on-demand-spell-hours", {"up_hours": 4, "down_hours": 3, "held_hours": 2}, 3 * 1.5 + 2),
    (
        "times-on-demand",
        {
            "up_hours": 4,
            "down_hours": 4,
            "changeover_hours": 1,
            "spell_hours": 6,
            "spot_training_hours": 200,
            "on_demand_training_hours": 80,
            "limit_hours": 102,
        },
        # missing 8 x 80 x (1 - 100 / 200), gained 100 x 5 - 80 x 2 a gap; each cycle does 8 x 80 / 200 hours of work
        (320 / 340) * 80 / (3.2 + 5 * 320 / 340),
    ),
    (
        "staff-cost",
        {"engineers": 11, "months": 78 * 24 / 730, "usd_per_engineer_year": 330_000},
        11 * 78 * 24 / 8760 * 330_000 * 1.325,
    ),
    ("preprocessing-cost", {"gpu_hours": 3784, "gpus_per_node": 8, "usd_per_hour": 16}, 3784 * 2),
    (
        "experiments-cost",
        {"run_node_hours": 1000, "experiment_factor": 2.19, "usd_per_hour": 21.957642},
        1190 * 21.957642,
    ),
    (
        "effort-cost",
        {"layout_hours": 12, "purchase_hours": 6, "run_hours": 480, "usd_per_engineer_year": 330_000},
        18 * 480 / 730 * 330_000 * 1.325 / (52 * 40),
    ),
]


@pytest.mark.parametrize(("name", "inputs", "by_hand"), EXAMPLES, ids=[row[0] for row in EXAMPLES])
def test_by_hand(name, inputs, by_hand):
    entry = find(name)
    assert entry is not None
    assert float(entry.function(**inputs)) == pytest.approx(by_hand, rel=1e-12)


def test_every_equation_has_an_example():
    # the optimal interval has no closed form on paper; tests/models/test_goodput.py minimises by brute force
    assert {e.name for e in all_equations()} == {name for name, _, _ in EXAMPLES} | {"optimal-checkpoint-interval"}


def test_scaling_efficiency_is_at_most_1():
    """A row that is faster per GPU than the best one named: 200 / 8 = 25 against 20."""
    found = find("scaling-efficiency").function(samples_per_second=200, gpus=8, best_samples_per_second_per_gpu=20)
    assert found == 1.0


def test_three_rows_that_do_not_lie_on_a_line_leave_scatter():
    """t(n) = 1, 0.6, 0.5 s at 1, 2, 4 GPUs: a line through two of them misses the third."""
    rows = [(1, 1.0), (2, 1 / 0.6), (4, 2.0)]
    assert find("throughput-spread").function(rows=rows, gpus=4, error_per_doubling_fraction=0.0) > 0


@pytest.mark.parametrize(
    ("block_days", "is_sold"), [(1, True), (14, True), (15, False), (20, False), (21, True), (182, True)]
)
def test_blocks_over_two_weeks_last_whole_weeks(block_days, is_sold):
    refused = find("block-fee").refuse(nodes=4, block_days=block_days, usd_per_hour=11.8)
    assert (refused == "") is is_sold


def test_the_steps_of_tiered_storage_multiply_each_part_by_its_price():
    tiers = [(0, 500, 0.023), (500, 1e9, 0.022)]
    assert find("tiered-storage-month").show(stored_gb=600, tiers=tiers) == [
        "500.0 GB x 0.023 = 11.50 USD",
        "100.0 GB x 0.022 = 2.20 USD",
        "result = 13.70",
    ]


@pytest.mark.parametrize(
    ("needed_gib", "sold_gib"), [(1, 1200), (1200, 1200), (1201, 2400), (2400, 2400), (2401, 4800)]
)
def test_a_lustre_size_that_is_sold_is_enough(needed_gib, sold_gib):
    assert find("lustre-capacity").function(needed_gib=needed_gib) == sold_gib


class TestPublishedFigures:
    """Figures that others printed, within the digits they printed."""

    @pytest.mark.parametrize(
        ("gpus", "samples_per_second", "days"),
        [(8, 128.2, 258.83), (16, 254.0, 130.63), (64, 912.2, 36.38), (128, 1618.4, 20.5), (256, 2589.4, 12.83)],
    )
    def test_mosaicml_days(self, gpus, samples_per_second, days):
        found = find("days-from-samples").function(samples=2_867_200_000, samples_per_second=samples_per_second)
        assert found == pytest.approx(days, rel=0.002)
        assert find("gpu-hours").function(gpus=gpus, days=days) == pytest.approx(
            {8: 49_696, 16: 50_166, 64: 55_875, 128: 62_987, 256: 78_735}[gpus], rel=0.002
        )

    def test_mosaicml_256_gpus_from_the_measured_rows(self):
        predicted = find("strong-scaling-throughput").function(rows=MOSAIC, gpus=256)
        spread = find("throughput-spread").function(rows=MOSAIC, gpus=256)
        assert predicted == pytest.approx(2589.4, rel=0.04)
        assert predicted * (1 - spread) < 2589.4 < predicted * (1 + spread)

    def test_a_table_that_does_not_show_where_it_ends(self):
        """Part 2 at 256 px: the rows to 64 GPUs predict 16,172 images/s at 128, where 11,600 were published."""
        rows = [(8, 1100.0), (16, 2180.0), (32, 4080.0), (64, 8530.0)]
        predicted = find("strong-scaling-throughput").function(rows=rows, gpus=128)
        assert predicted == pytest.approx(16_172, abs=1)
        shortfall = default_assumptions()["workload.shortfall_per_doubling_fraction"].value
        reach = find("throughput-spread").function(rows=rows, gpus=128, error_per_doubling_fraction=shortfall)
        nine_of_ten = predicted * math.exp(-reach * 1.2815516 / 1.6448536)
        assert nine_of_ten < 11_600

    def test_linear_scaling(self):
        predicted = find("strong-scaling-throughput").function(rows=MOSAIC, gpus=256)
        linear = 128.2 / 8 * 256
        assert predicted < 0.7 * linear  # linear scaling promises 4,102

    @pytest.mark.parametrize(
        ("accelerators", "batch", "record_bytes", "compute_s", "au", "published_mib_per_s"),
        [
            (72, 7, 146_600_628, 0.636, 0.925, 99_712),
            (2100, 400, 114_660.07, 0.435, 0.917, 192_900),
            (512, 400, 114_660.07, 0.224, 0.924, 92_065),
            (150, 1, 2_828_486, 0.00551, 0.705, 50_115),
            (64, 1, 2_828_486, 0.0035, 0.702, 33_868),
            (255, 7, 146_600_628, 0.323, 0.917, 695_480),
        ],
    )
    def test_mlperf_storage(self, accelerators, batch, record_bytes, compute_s, au, published_mib_per_s):
        """The reports say MB and mean MiB; published runs lie within 7 % of the formula."""
        gb = find("required-read-rate").function(
            samples_per_second=accelerators * batch / compute_s * au, sample_bytes=record_bytes
        )
        assert gb * 1e9 / 2**20 == pytest.approx(published_mib_per_s, rel=0.07)

    def test_weka_usable_capacity(self):
        usable = find("protected-usable").function(raw_tb=3200, nodes=400, spares=2, data_stripes=16, parity_stripes=4)
        assert usable == pytest.approx(2292.48)

    def test_weka_cost_a_tb(self):
        assert find("change-per-tb").function(capacity_ratio=15, cost_ratio=0.8) == pytest.approx(-0.9467, abs=5e-5)

    def test_anyscale_break_even(self):
        share = find("break-even-hours").function(
            term_hours=8760, committed_usd_per_hour=24.01, on_demand_usd_per_hour=40.96
        )
        assert share / 8760 == pytest.approx(0.586, abs=0.0005)

    def test_checkpoint_sizes(self):
        """MLPerf prints GB and means GiB: 8B parameters 105, 70B 912 (its own text has 70.55e9: 920)."""
        assert find("checkpoint-bytes").function(parameters=8.03e9) == pytest.approx(105 * 1.073741824, rel=0.02)
        assert find("checkpoint-bytes").function(parameters=70.55e9) == pytest.approx(912 * 1.073741824, rel=0.02)

    def test_llm_foundry_mfu(self):
        assert {name: by_hand for name, _, by_hand in EXAMPLES}["mfu"] == pytest.approx(0.4571, abs=0.003)
