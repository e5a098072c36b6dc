"""Every layout on small and large demands: capacity, nodes, rates and lines, with the arithmetic in sight."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest
from fleet_pool.settings import reserved_vcpu

from planner.layouts.base import Demand, Timing
from planner.layouts.converged.layout import Converged
from planner.layouts.converged.settings import ConvergedSettings
from planner.layouts.fsx_lustre.layout import FsxLustre, lustre_variants
from planner.layouts.fsx_lustre.settings import LustreSettings
from planner.layouts.s3_stream.layout import S3Stream
from planner.layouts.separate_nvme.layout import separate_cluster
from planner.layouts.separate_nvme.settings import SeparateSettings
from planner.layouts.shared.links import ip_gbps
from planner.layouts.shared.s3 import bill_s3, s3_read_rate
from planner.models.ledger import Ledger
from planner.models.sheet import UNRECORDED
from planner.models.values import Values
from planner.plan.assumptions import default_assumptions
from planner.plan.training_types import Ingest
from tests.builders import book_of, by_id, compared, plan_of, scenario_of

CENTRAL = Values(table=default_assumptions())


def demand_of(instance: str = "p4d.24xlarge", nodes: int = 4, **changes: Any) -> Demand:
    """4 nodes that read 2 GB/s of 4 TB in objects of 100 MB, and write checkpoints of 14 GB."""
    found = book_of().instance(instance)
    base = Demand(
        instance=found,
        nodes=nodes,
        training_nodes=nodes,
        gpus=nodes * found.gpu_count,
        hot_bytes=4e12,
        read_sets_bytes=4e12,
        kept_bytes=4e12,
        checkpoint_bytes=14e9,
        object_bytes=100e6,
        required_gb_per_s=2.0,
        planned_gb_per_s=2.0,
        start=date(2026, 10, 5),
        order="shuffled",
        s3_gateway_endpoint=True,
    )
    return replace(base, **changes)


def timing_of(**changes: Any) -> Timing:
    base = Timing(
        standing_hours=730.0,
        months=1.0,
        retention_hours=0.0,
        s3_read_bytes=4e12,
        read_bytes=10e12,
        s3_through_vpc=True,
        checkpoints_written=10.0,
        checkpoints_stored=3.0,
    )
    return replace(base, **changes)


def lines_of(layout, timing: Timing | None = None) -> dict[str, Any]:
    ledger = Ledger(book_of(), "us-east-1")
    layout.bill(ledger, timing or timing_of(), CENTRAL)
    return {line.line: line for line in ledger.lines}


def converged(**changes: Any) -> Converged:
    return Converged(settings=ConvergedSettings(), demand=demand_of(**changes))


class TestConverged:
    def test_400_p4d(self):
        """3.2 PB of raw flash; 3,200 x 0.99 x 0.70 = 2,217.6 TB that the cache never evicts below."""
        given = converged(nodes=400).service(CENTRAL)
        assert given.raw_tb == pytest.approx(3200)
        assert given.usable_tb == pytest.approx(2217.6)

    def test_spares_hold_data_too(self):
        """A spare is a paid node with drives: its target serves like any other, though it does not train."""
        given = converged(nodes=4, training_nodes=3).service(CENTRAL)
        assert given.usable_tb == pytest.approx(4 * 8 * 0.99 * 0.70)

    def test_a_single_gpu_node(self):
        """p5.4xlarge: one drive of 3.8 TB and 16 vCPU, of which 8 go to the target."""
        layout = converged(instance="p5.4xlarge", nodes=1, hot_bytes=1e12)
        given = layout.service(CENTRAL)
        assert given.usable_tb == pytest.approx(3.8 * 0.99 * 0.70)
        assert reserved_vcpu(layout.demand.instance.vcpu) == 8
        assert given.reserved_vcpu_fraction == 0.5
        assert given.warm_gb_per_s == pytest.approx(0.87 * 2)  # the one drive

    def test_certificates_cost_cores_and_without_them_it_is_the_wire(self):
        """Four p4d with 8 cores kept each: at 0.78 core-seconds a GB they serve 10.3 GB/s, at 0.56 they could serve
        14.3, more than the 12.5 of their wire; of either, 0.87."""
        assert converged().service(CENTRAL).warm_gb_per_s == pytest.approx(4 * 0.87 * 8 / 0.78)
        plain = replace(CENTRAL.table["converged.core_seconds_per_gb"], value=0.56)
        values = Values(table={**CENTRAL.table, plain.key: plain})
        assert converged().service(values).warm_gb_per_s == pytest.approx(4 * 0.87 * 12.5)

    def test_small_objects_are_bound_by_requests(self):
        """5,600 GETs a second of 110 KB are 0.62 GB/s a node, however fast its wire is; shards are not bound."""
        small = converged(nodes=40, object_bytes=110e3, required_gb_per_s=30.0)
        given = small.service(CENTRAL)
        assert given.warm_gb_per_s == pytest.approx(40 * 5600 * 110e3 / 1e9)
        warned = [text for text in given.warnings if "pack samples into shards" in text]
        assert len(warned) == 1
        assert "objects of 110 KB are read at 24.6 GB/s at most, by requests, and 30.0 GB/s are needed" in warned[0]
        shards = converged(nodes=40, object_bytes=4e6, required_gb_per_s=30.0).service(CENTRAL)
        assert shards.warm_gb_per_s == converged(nodes=40, required_gb_per_s=30.0).service(CENTRAL).warm_gb_per_s
        assert not any("shards" in text for text in shards.warnings)

    def test_the_range_of_requests_has_what_aistore_published(self):
        """NVIDIA/aistore 583e7729e: 5,480 to 5,610 GETs of 1 MB a second and target on 50 Gbit/s."""
        gets = CENTRAL.table["converged.get_requests_per_second_per_target"]
        assert gets.low < 5480 < 5610 <= gets.high
        assert gets.value == pytest.approx(5545, rel=0.05)

    def test_a_separate_cluster_has_the_nodes_that_its_requests_need(self):
        demand = demand_of(nodes=100, planned_gb_per_s=60.0, object_bytes=110e3)
        layout = separate_cluster(
            SeparateSettings.model_validate({"instance_type": "i3en.24xlarge", "spares": 0}),
            demand,
            book_of(),
            "us-east-1",
            CENTRAL,
        )
        assert layout.cluster.nodes == math.ceil(60 / (5600 * 110e3 / 1e9))

    def test_cores_are_reported_and_not_billed(self):
        layout = converged()
        assert set(lines_of(layout)) == {"pool.control-nodes", "pool.control-ebs"}
        assert "8 of 96 vCPU" in layout.service(CENTRAL).reserved

    def test_three_control_nodes_stand_a_month(self):
        lines = lines_of(converged())
        price = book_of().on_demand("m7i.xlarge", "us-east-1").usd
        assert lines["pool.control-nodes"].effective_cost == pytest.approx(3 * 730 * price)
        assert lines["pool.control-ebs"].quantity == pytest.approx(3 * 50)  # GB-months

    def test_first_epoch_comes_from_s3_at_its_speed(self):
        given = converged().service(CENTRAL)
        assert given.cold_gb_per_s == 4 * 2  # 2 GB/s a node
        assert given.hit_fraction == 1
        assert given.steady_gb_per_s == given.warm_gb_per_s

    def test_a_cache_just_too_small_falls_off_the_cliff(self):
        """4 nodes keep 22.176 TB when they evict, and begin at 8/7 of that: 0.8 of 27.72 TB, and 0.914 less the newest
        checkpoint."""
        layout = converged(hot_bytes=22.176e12 / 0.8)
        given = layout.service(CENTRAL)
        low, high = 0.2, 1 - (22.176e12 * 8 / 7 - demand_of().checkpoint_bytes) / (22.176e12 / 0.8)
        hit = 1 - (low - high) / np.log((1 - np.log(high)) / (1 - np.log(low)))
        assert given.hit_fraction == pytest.approx(hit)
        # evicting takes an hour: 8 TB x 0.70 an hour and node = 1.556 GB/s, below S3's 2 GB/s
        fill = 4 * 8000 * 0.70 / 3600
        assert given.cold_gb_per_s == pytest.approx(fill)
        assert given.steady_gb_per_s == pytest.approx(1 / (hit / given.warm_gb_per_s + (1 - hit) / fill))
        assert any("does not fit the cache" in w for w in given.warnings)

    def test_nothing_is_evicted_below_the_high_mark(self):
        """22.176 TB are guaranteed; what is 10 % more stays, as long as the drives hold nothing else."""
        given = converged(hot_bytes=22.176e12 * 1.1).service(CENTRAL)
        assert given.hit_fraction == 1
        large = converged(hot_bytes=22.176e12 * 1.1, checkpoint_bytes=1e12, checkpoints_kept=3).service(CENTRAL)
        assert large.hit_fraction < 0.95  # 3 TB of checkpoints need the place
        [said] = [w for w in given.warnings if "cache guarantees" in w]
        assert "nothing else fills the drives to 80 %" in said

    def test_fill_rate_warning_counts_reads_not_checkpoint_writes(self):
        """(1 - hit) x what training reads against the limit; layouts are sized for writes as well."""
        small = {"hot_bytes": 222e12}
        quiet = converged(**small, required_gb_per_s=1.0, planned_gb_per_s=500.0).service(CENTRAL)
        loud = converged(**small, required_gb_per_s=500.0).service(CENTRAL)
        assert not any("507" in w for w in quiet.warnings)
        assert any("507" in w for w in loud.warnings)

    def test_a_narrow_margin_is_said(self):
        given = converged(hot_bytes=22.0e12).service(CENTRAL)
        assert any("only 0.8% larger than the training data" in w for w in given.warnings)

    def test_no_drives_no_pool(self):
        assert converged(instance="c5n.18xlarge").refusals()
        assert not converged().refusals()

    def test_drives_that_nobody_counted_are_timed_as_one(self):
        """g7.48xlarge: 7.6 TB in an unknown number of drives. The size is right, the rate a floor."""
        layout = converged(instance="g7.48xlarge")
        given = layout.service(CENTRAL)
        assert not layout.refusals()
        assert given.raw_tb == pytest.approx(4 * 7.6)
        assert given.warm_gb_per_s == pytest.approx(4 * 0.87 * 2)
        assert any("not published" in w for w in given.warnings)

    def test_one_network_card_carries_ip_alone_and_several_are_for_efa(self):
        """i8ge.48xlarge sends 180 Gbit/s over its one card; of p5en's 16 cards of 200, one interface carries 100."""
        single, several = (book_of().instance(name) for name in ("i8ge.48xlarge", "p5en.48xlarge"))
        assert ip_gbps("x", single, CENTRAL, UNRECORDED)[0] == 180
        assert ip_gbps("x", several, CENTRAL, UNRECORDED)[0] == 100

    def test_a_put_writes_the_drives_and_then_s3(self):
        """32 drives of 1 GB/s, then 4 nodes at 1 GB/s to S3: 1 / (1/32 + 1/4) GB/s."""
        assert converged().service(CENTRAL).write_gb_per_s == pytest.approx(1 / (1 / 32 + 1 / 4))


class TestS3Stream:
    def test_every_epoch_is_read_again(self):
        given = S3Stream(demand=demand_of()).service(CENTRAL)
        assert given.hit_fraction == 0
        assert given.warm_gb_per_s == given.cold_gb_per_s == given.steady_gb_per_s == 4 * 2
        assert given.usable_tb is None
        assert lines_of(S3Stream(demand=demand_of())) == {}

    def test_no_node_reads_faster_than_its_link(self):
        """g5.2xlarge has 5 Gbps for good: 0.95 x 5/8 GB/s, not S3's 2."""
        given = S3Stream(demand=demand_of("g5.2xlarge", nodes=2)).service(CENTRAL)
        assert given.cold_gb_per_s == pytest.approx(2 * 0.95 * 5 / 8)

    def test_small_objects_bind(self):
        """5,500 GET a second on each of 10 prefixes: 10 KB objects are 0.55 GB/s whatever the fleet."""
        given = S3Stream(demand=demand_of(nodes=400, object_bytes=10e3)).service(CENTRAL)
        assert given.cold_gb_per_s == pytest.approx(55_000 * 10e3 / 1e9)

    def test_a_nat_gateway_ends_at_100_gbps(self):
        demand = demand_of(nodes=400, s3_gateway_endpoint=False)
        assert s3_read_rate(demand, CENTRAL, demand.instance, 400) == 12.5

    def test_gets_of_streaming_and_of_a_pool(self):
        """5,000 GPU-hours at 32 x 200 MB/s read 3,600 TB; the pool reads its 4 TB from S3 once."""
        plan = plan_of(
            run={"work": {"gpu_hours": 5000}},
            data={"read_per_gpu": "200MB/s"},
            purchase={"options": ["on-demand"]},
            storage={"layouts": ["converged", "s3-stream"]},
        )
        found = by_id(compared(plan))
        gets = {
            key.split("/")[0]: next(e.quantity for e in s.bill if e.line == "storage.s3.get-requests")
            for key, s in found.items()
        }
        assert gets["s3-stream"] == pytest.approx(5000 * 3600 * 0.2 / 0.1 / 1000)
        assert gets["converged"] == pytest.approx(4000 / 0.1 / 1000)


class TestLustre:
    def variant(self, demand: Demand | None = None, **settings: Any) -> FsxLustre:
        (only,) = lustre_variants(
            LustreSettings.model_validate(settings), demand or demand_of(), book_of(), "us-east-1", 0.8
        )
        assert isinstance(only, FsxLustre)
        return only

    def test_room_for_the_data_at_eighty_per_cent(self):
        """4 TB are 3,725.3 GiB; / 0.8 = 4,656.6; the next size sold is 4,800 GiB, 1.2 GB/s at 250 MB/s/TiB."""
        layout = self.variant(demand_of(planned_gb_per_s=1.0), throughput_mbps_per_tib=[250])
        assert layout.file_system.capacity_gib == 4800
        given = layout.service(CENTRAL)
        assert given.usable_tb == pytest.approx(4800 * 2**30 / 1e12)
        assert given.warm_gb_per_s == pytest.approx(1.2)
        assert given.cold_gb_per_s == pytest.approx(0.6)  # half of the baseline while files load from S3

    def test_bought_larger_to_be_fast_enough(self):
        """2 GB/s at 125 MB/s/TiB take 16,000 GiB: 16,800 is the next multiple of 2,400."""
        layout = self.variant(throughput_mbps_per_tib=[125])
        assert layout.file_system.capacity_gib == 16_800
        cost = lines_of(layout)["storage.lustre.capacity"]
        assert cost.effective_cost == pytest.approx(16_800 * 0.145)
        assert cost.usd_per_hour == pytest.approx(16_800 * 0.145 / 730)

    def test_the_cheapest_tier_that_is_fast_enough(self):
        """Capacity x price for 2 GB/s: 16,800 x 0.145 = 2,436; 9,600 x 0.21 = 2,016; 4,800 x 0.34 = 1,632 and
        x 0.60 = 2,880."""
        assert self.variant().file_system.mbps == 500

    def test_capacity_is_one_file_system_whatever_the_fleet(self):
        few, many = (lines_of(self.variant(demand_of(nodes=n)))["storage.lustre.capacity"] for n in (4, 400))
        assert few.quantity == many.quantity

    @pytest.mark.parametrize(("tier", "gib"), [(125, 38_400), (250, 19_200), (500, 9_600), (1000, 4_800)])
    def test_efa_sells_larger_steps(self, tier, gib):
        demand = demand_of("p5.48xlarge", planned_gb_per_s=0.1)
        layout = self.variant(demand, throughput_mbps_per_tib=[tier], efa=True)
        assert layout.file_system.capacity_gib == gib
        assert not layout.refusals()

    def test_efa_needs_a_newer_nitro(self):
        assert any("Nitro v4" in why for why in self.variant(efa=True).refusals())
        assert self.variant(demand_of("p5.48xlarge"), deployment="SCRATCH_2", efa=True).refusals()

    def test_metadata_beyond_what_is_included(self):
        """4,800 GiB include 6,000; 12,000 bought leave 6,000 at 0.055 a month."""
        layout = self.variant(demand_of(planned_gb_per_s=1.0), throughput_mbps_per_tib=[250], metadata_iops=12_000)
        assert lines_of(layout)["storage.lustre.metadata-iops"].effective_cost == pytest.approx(6000 * 0.055)

    def test_small_files_are_bound_by_metadata(self):
        """6,000 opens a second of 10 KB are 60 MB/s."""
        layout = self.variant(demand_of(planned_gb_per_s=1.0, object_bytes=10e3), throughput_mbps_per_tib=[250])
        given = layout.service(CENTRAL)
        assert given.warm_gb_per_s == pytest.approx(0.06)
        slow, scan = given.warnings[-2:]
        assert "files of 10 KB are opened and closed at 0.1 GB/s at most" in slow
        # 4 TB of them, 12,000 opened a second: 9.26 h
        assert "takes 9.3 h at 10 KB a file; 4 nodes that wait for it are 37 paid node-hours" in scan
        assert not any("file" in text for text in self.variant(throughput_mbps_per_tib=[250]).service(CENTRAL).warnings)

    def test_a_stated_capacity_is_taken_and_may_be_too_small(self):
        layout = self.variant(capacity="2400GiB", throughput_mbps_per_tib=[125])
        assert layout.file_system.capacity_gib == 2400
        assert any("cannot hold" in why for why in layout.refusals())
        assert not self.variant(capacity="4800GiB", throughput_mbps_per_tib=[125]).refusals()

    def test_beyond_the_quota_is_a_warning(self):
        layout = self.variant(demand_of(hot_bytes=200e12), throughput_mbps_per_tib=[125])
        assert not layout.refusals()
        assert any("quota" in w for w in layout.service(CENTRAL).warnings)

    def test_tiering_sells_throughput_in_steps(self):
        """10 GB/s take three steps of 4,000 MB/s; storage is what is stored."""
        layout = self.variant(demand_of(planned_gb_per_s=10.0), deployment="INTELLIGENT_TIERING")
        assert layout.file_system.mbps == 12_000
        lines = lines_of(layout)
        assert lines["storage.lustre.throughput"].effective_cost == pytest.approx(12_000 * 0.52)
        assert lines["storage.lustre.capacity"].quantity == pytest.approx(3726)  # 4e12 / 2^30, rounded up

    def test_tiering_is_filled_before_training(self):
        """No association with the bucket: the data are copied in while the GPUs wait and are paid for."""
        plan = plan_of(
            purchase={"options": ["on-demand"]},
            storage={"layouts": ["fsx-lustre"], "fsx-lustre": {"deployment": "INTELLIGENT_TIERING"}},
        )
        s = scenario_of(plan, "fsx-lustre")
        fill = 4000 / s.storage.cold_read_gb_per_s / 3600
        assert s.days.plan * 24 == pytest.approx(0.5 + fill + 4000 / 32 / s.goodput.useful_fraction, rel=1e-9)

    def test_scratch_is_another_price_and_not_durable(self):
        layout = self.variant(deployment="SCRATCH_2")
        assert "not replicated" in layout.service(CENTRAL).durability
        assert lines_of(layout)["storage.lustre.capacity"].effective_unit_price == 0.14

    def test_its_servers_do_not_use_the_fleets_gateway(self):
        plan = plan_of(purchase={"options": ["on-demand"]}, storage={"s3_gateway_endpoint": False})
        for key, s in by_id(compared(plan)).items():
            through = any(e.line == "network.nat-s3-data" for e in s.bill)
            assert through == (not key.startswith("fsx-lustre"))


class TestSeparate:
    def cluster(self, demand: Demand | None = None, **settings: Any):
        return separate_cluster(
            SeparateSettings.model_validate(settings), demand or demand_of(), book_of(), "us-east-1", CENTRAL
        )

    def test_sized_by_capacity(self):
        """1 PB over 60 TB x 0.99 x 0.70 = 41.58 TB a node: 24.05, so 25, and one spare."""
        layout = self.cluster(demand_of(hot_bytes=1e15), instance_type="i3en.24xlarge")
        assert (layout.cluster.nodes, layout.cluster.spares) == (26, 1)
        given = layout.service(CENTRAL)
        assert given.usable_tb == pytest.approx(25 * 41.58)
        assert given.raw_tb == 26 * 60

    def test_sized_by_throughput(self):
        """60 GB/s over 0.87 x 12.5 = 10.9 GB/s a node: 5.5, so 6; without spares when told so."""
        layout = self.cluster(demand_of(nodes=100, planned_gb_per_s=60.0), instance_type="i3en.24xlarge", spares=0)
        assert layout.cluster.nodes == 6
        assert layout.service(CENTRAL).warm_gb_per_s == pytest.approx(6 * 0.87 * 12.5)

    def test_never_faster_than_its_clients(self):
        """One small client of 5 Gbps asks for one node, however much the plan would read."""
        demand = demand_of("g5.2xlarge", nodes=1, planned_gb_per_s=60.0, hot_bytes=1e12)
        layout = self.cluster(demand, instance_type="i3en.24xlarge", spares=0)
        assert layout.cluster.nodes == 1
        assert layout.service(CENTRAL).warm_gb_per_s == pytest.approx(0.95 * 5 / 8)

    def test_protection_is_sized_and_priced(self):
        """16+4 keeps 16/20 x 0.9 = 0.72 of the serving nodes: 43.2 TB of 60; at least 20 nodes and a spare."""
        small = self.cluster(instance_type="i3en.24xlarge", protection="16+4")
        assert small.cluster.nodes == 21
        large = self.cluster(demand_of(hot_bytes=2e15), instance_type="i3en.24xlarge", protection="16+4")
        assert large.cluster.nodes == 47 + 1  # 2,000 / 43.2 = 46.3
        assert large.service(CENTRAL).usable_tb == pytest.approx(47 * 43.2)

    def test_what_a_stripe_holds_is_not_evicted(self):
        """21 serving nodes of 60 TB: 907.2 TB by 16+4, where a cache guarantees 873.2; 900 TB fit the one."""
        layout = self.cluster(demand_of(hot_bytes=900e12), instance_type="i3en.24xlarge", protection="16+4", spares=1)
        assert layout.cluster.nodes == 22
        given = layout.service(CENTRAL)
        assert given.hit_fraction == 1
        assert given.steady_gb_per_s == given.warm_gb_per_s

    def test_the_cheapest_candidate(self):
        """By price an hour of the whole cluster, sizes included."""
        chosen = self.cluster(demand_of(hot_bytes=1e15))
        book = book_of()
        costs = {}
        for name in ("i3en.24xlarge", "i4i.32xlarge", "i7ie.24xlarge", "i7ie.48xlarge"):
            costs[name] = (
                self.cluster(demand_of(hot_bytes=1e15), instance_type=name).cluster.nodes
                * book.on_demand(name, "us-east-1").usd
            )
        assert costs[chosen.cluster.storage_instance.name] == min(costs.values())

    def test_lines(self):
        layout = self.cluster(instance_type="i3en.24xlarge")
        lines = lines_of(layout)
        assert set(lines) == {"storage.nvme.nodes", "storage.nvme.ebs", "pool.control-nodes", "pool.control-ebs"}
        price = book_of().on_demand("i3en.24xlarge", "us-east-1").usd
        assert lines["storage.nvme.nodes"].effective_cost == pytest.approx(2 * 730 * price)  # one and its spare

    def test_no_drives(self):
        assert self.cluster(instance_type="m7i.xlarge").refusals()


class TestSharedTier:
    def lines(self, demand: Demand, timing: Timing | None = None, **ingest: Any) -> dict[str, Any]:
        ledger = Ledger(book_of(), "us-east-1")
        bill_s3(ledger, demand, timing or timing_of(), CENTRAL, Ingest.model_validate(ingest))
        return {line.line: line for line in ledger.lines}

    def test_requests_by_the_thousand_and_the_dearer_writes(self):
        """4 TB in 100 MB are 40,000 GET; 10 checkpoints of 14 GB are 1,400 PUT."""
        lines = self.lines(demand_of())
        assert lines["storage.s3.get-requests"].effective_cost == pytest.approx(40 * 0.0004)
        assert lines["storage.s3.put-requests"].effective_cost == pytest.approx(1.4 * 0.005)

    def test_checkpoints_are_binary_gigabytes_too(self):
        """Three of 14 GB for 730 h from October 5: 648 of October's 744 h and 82 of November's 720."""
        line = self.lines(demand_of())["storage.s3.checkpoints"]
        assert line.quantity == pytest.approx(3 * 14e9 / 2**30 * (648 / 744 + 82 / 720))
        assert line.effective_unit_price == pytest.approx(0.023)

    def test_checkpoints_stand_on_top_of_the_tiers(self):
        """5 PB fill the first 512,000 GB: what comes on top costs 0.021 (the month of October has 744 h)."""
        timing = timing_of(standing_hours=600.0)
        line = self.lines(demand_of(kept_bytes=5e15), timing)["storage.s3.checkpoints"]
        assert line.effective_unit_price == pytest.approx(0.021, rel=1e-6)

    def test_an_upload_is_written_once_and_comes_in_free(self):
        lines = self.lines(demand_of(), source="upload")
        assert lines["storage.s3.put-requests"].quantity == pytest.approx(1.4 + 40)
        assert "transfer.ingest" not in lines

    def test_from_another_region(self):
        """4e12 / 2^30 GB at 0.02 out of us-west-2; 0.01 between the two regions of the east."""
        gb = 4e12 / 2**30
        west = self.lines(demand_of(), source="other-region", from_region="us-west-2")
        east = self.lines(demand_of(), source="other-region", from_region="us-east-2")
        assert west["transfer.ingest"].effective_cost == pytest.approx(gb * 0.02)
        assert east["transfer.ingest"].effective_cost == pytest.approx(gb * 0.01)

    def test_without_a_gateway_endpoint_every_byte_pays_the_nat(self):
        demand = demand_of(s3_gateway_endpoint=False)
        upload = self.lines(demand, source="upload")["network.nat-s3-data"]
        # 4 TB of reads and 140 GB of checkpoints; what is uploaded from outside never passes the fleet's gateway
        assert upload.effective_cost == pytest.approx((4e12 + 140e9) / 2**30 * 0.045)
        assert "network.nat-s3-data" not in self.lines(demand_of())
        assert "network.nat-s3-data" not in self.lines(demand, timing_of(s3_through_vpc=False))


class TestPhasesAndPrefetch:
    def test_phases_stall_each_at_its_own_rate(self):
        """s3-stream gives 4 nodes 8 GB/s. Phase a needs 16: it takes twice its time; phase b needs 4: none lost."""
        rows = [{"gpus": 32, "samples_per_second": 1000.0}]
        phases = [
            {"name": "a", "samples": 36e6, "sample": "16MB", "throughput": rows},  # 10 h at full speed
            {"name": "b", "samples": 72e6, "sample": "4MB", "throughput": rows},  # 20 h
        ]
        plan = plan_of(
            run={"work": None, "phases": phases},
            data={"read_per_gpu": None},
            purchase={"options": ["on-demand"]},
            storage={"layouts": ["s3-stream"]},
        )
        s = scenario_of(plan, "s3-stream")
        assert s.days_at_full_speed == pytest.approx(30 / 24)
        assert s.goodput.input_fraction == pytest.approx(30 / (20 + 20))
        assert s.storage.required_read_gb_per_s == pytest.approx(16)

    def test_the_cold_epoch_runs_over_the_end_of_a_phase(self):
        """1.2 TB at 8 GB/s cold where 16 are needed: 150 s instead of 75, of which phase a's 36 s read 576 GB."""
        rows = [{"gpus": 32, "samples_per_second": 1000.0}]
        phases = [
            {"name": name, "samples": seconds * 1000.0, "sample": "16MB", "throughput": rows}
            for name, seconds in (("a", 36), ("b", 3564))
        ]
        plan = plan_of(
            run={"work": None, "phases": phases},
            data={"read_per_gpu": None, "hot_dataset": "1.2TB"},
            purchase={"options": ["on-demand"]},
            storage={"layouts": ["converged"]},
        )
        assert scenario_of(plan, "converged").goodput.input_fraction == pytest.approx(3600 / (3600 + 75))

    def test_prefetch_pays_before_instead_of_stalling(self):
        """4 TB at 8 GB/s: 500 s of paid waiting, and no stall afterwards."""
        changes: dict[str, Any] = {"purchase": {"options": ["on-demand"]}, "storage": {"layouts": ["converged"]}}
        changes["data"] = {"read_per_gpu": "500MB/s", "warm_up": "prefetch"}
        s = scenario_of(plan_of(**changes), "converged")
        assert s.goodput.input_fraction == pytest.approx(1)
        run = 4000 / 32 / s.goodput.useful_fraction
        assert s.days.plan * 24 == pytest.approx(0.5 + 500 / 3600 + run, rel=1e-9)

    def test_prefetch_fills_no_more_than_fits(self):
        """100 TB into 22.176 TB: the fill ends when the pool is full; the rest is cold by the hit rate."""
        changes: dict[str, Any] = {"purchase": {"options": ["on-demand"]}, "storage": {"layouts": ["converged"]}}
        changes["data"] = {"hot_dataset": "100TB", "warm_up": "prefetch"}
        s = scenario_of(plan_of(**changes), "converged")
        cold = 4 * 8000 * 0.70 / 3600  # the fill-rate limit
        fill = 22_176 / cold / 3600
        assert s.days.plan * 24 == pytest.approx(0.5 + fill + 4000 / 32 / s.goodput.useful_fraction, rel=1e-9)


def test_per_usable_terabyte_and_month():
    """All storage and pool lines over usable TB and months; the value of the cores stands beside it."""
    s = scenario_of(plan_of(purchase={"options": ["on-demand"]}), "converged")
    lines = [e for e in s.bill if e.line.startswith(("storage.", "pool."))]
    months = s.days.plan * 24 / 730
    by_hand = sum(e.effective_cost for e in lines) / s.storage.usable_tb / months
    assert s.storage.usd_per_usable_tb_month == pytest.approx(by_hand, rel=1e-12)
    rate = next(e for e in s.bill if e.line == "fleet.compute").usd_per_hour
    assert s.storage.reserved_usd_per_hour == pytest.approx(rate * 8 / 96)
    assert scenario_of(plan_of(purchase={"options": ["spot"]}), "s3-stream").storage.usd_per_usable_tb_month is None
