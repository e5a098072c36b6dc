"""Files over the pool of `converged`: their rates, what they cost, and that nobody is told to deploy them yet."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from infra.graph import resource_graph
from planner.errors import PlanProblems
from planner.layouts.converged.files import BLOCK_BYTES
from planner.layouts.converged.layout import Converged
from planner.layouts.converged.settings import ConvergedSettings
from planner.models.ledger import Ledger
from planner.plan.load import LoadedPlan
from planner.stack.choose import spec_of
from tests.builders import book_of, by_id, compared, exact, months_of, plan_of, scenario_of
from tests.layouts.test_layouts import CENTRAL, demand_of, lines_of, timing_of

ON_DEMAND = {"options": ["on-demand"]}
POOL = "converged/p4d.24xlarge/on-demand"


def files(**changes: Any) -> Converged:
    """Four p4d with 4 TB in files of 100 MB, unless it is changed."""
    demand = demand_of(**changes)
    layout = Converged(settings=ConvergedSettings.model_validate({}), demand=demand, files=True)
    return replace(layout, demand=layout.stored(demand))


class TestRates:
    def test_mounts_limit_what_the_pool_gives(self):
        """Each of four mounts reads 2 and writes 0.77 GB/s; the pool serves 35.7, and writes 1/(1/32 + 1/4) = 3.56."""
        given = files().service(CENTRAL)
        assert given.warm_gb_per_s == given.steady_gb_per_s == pytest.approx(4 * 2)
        assert given.write_gb_per_s == given.copy_in_gb_per_s == pytest.approx(4 * 0.77)

    def test_small_files_are_bound_by_the_database(self):
        """4,600 opens a second of 110 KB are 0.506 GB/s and 1,300 creations 0.143, whatever the number of nodes."""
        given = files(nodes=40, object_bytes=110e3).service(CENTRAL)
        assert given.warm_gb_per_s == pytest.approx(4600 * 110e3 / 1e9)
        assert given.copy_in_gb_per_s == pytest.approx(1300 * 110e3 / 1e9)
        assert any("files of 110 KB are opened and closed at 0.5 GB/s at most" in text for text in given.warnings)
        # 4 TB are 36.4 million files: a scan opens each once
        scan = 4e12 / 110e3 / 4600 / 3600
        assert any(f"takes {scan:,.1f} h" in text for text in given.warnings)

    @pytest.mark.parametrize("object_bytes", [4e3, 110e3, 1e6, 4.2e6, 256e6])
    def test_files_are_never_faster_than_objects(self, object_bytes):
        """Law: a mount reads the pool's objects, and adds limits of its own. Blocks of large files are smaller objects,
        and small files are their objects."""
        as_files = files(nodes=40, object_bytes=object_bytes).service(CENTRAL)
        as_objects = Converged(
            settings=ConvergedSettings.model_validate({}), demand=demand_of(nodes=40, object_bytes=object_bytes)
        )
        objects = as_objects.service(CENTRAL)
        for name in ("warm_gb_per_s", "cold_gb_per_s", "steady_gb_per_s", "write_gb_per_s"):
            assert getattr(as_files, name) <= getattr(objects, name) * (1 + 1e-12)

    @pytest.mark.parametrize(("file_bytes", "blocks"), [(1e3, 1), (BLOCK_BYTES, 1), (BLOCK_BYTES + 1, 2), (100e6, 24)])
    def test_a_file_has_an_object_for_every_4_mib(self, file_bytes, blocks):
        assert files(object_bytes=file_bytes).demand.object_bytes == pytest.approx(file_bytes / blocks)

    def test_the_ranges_have_what_juicefs_published(self):
        """docs/en/benchmark of juicedata/juicefs, metadata engines (1.1.0): a client of 10 Gbit/s reads 924 MiB/s at
        most and writes 745; MySQL opens 4,640 small files a second and creates 1,327."""
        table = CENTRAL.table
        for key, published in (
            ("posix.client_read_gb_per_s", 924 * 2**20 / 1e9),
            ("posix.client_write_gb_per_s", 745 * 2**20 / 1e9),
            ("posix.opens_per_second", 4640),
            ("posix.creates_per_second", 1327),
        ):
            assert table[key].low <= published <= table[key].high


class TestBill:
    def test_the_database_its_storage_and_the_trash(self):
        """A month: 730 h of the database, 20 GiB of which 40,000 files fill 24 MB, and of ten checkpoints of 14 GB
        seven that are removed, each of which stays one day of 30.4."""
        lines = lines_of(files())
        assert lines["storage.files.database"].effective_cost == pytest.approx(730 * 0.96)
        assert lines["storage.files.database-storage"].effective_cost == pytest.approx(20 * 0.23)
        assert lines["storage.s3.trash"].quantity == pytest.approx(7 * 24 / 730 * 14e9 / 2**30)
        assert {line.basis for name, line in lines.items() if name.startswith("storage.files")} == {"assumption"}

    def test_100_million_files_are_60_gb_of_metadata(self):
        """As JuiceFS's documentation counts them."""
        line = lines_of(files(hot_bytes=1e13, read_sets_bytes=1e13, object_bytes=1e5))["storage.files.database-storage"]
        assert line.quantity * 2**30 == pytest.approx(60e9)

    def test_a_price_of_ones_own(self):
        plan = plan_of(
            data={"access": "posix"}, purchase=ON_DEMAND, assumptions=exact("posix.database_usd_per_hour", 3)
        )
        one = scenario_of(plan, POOL)
        line = next(line for line in one.bill if line.line == "storage.files.database")
        assert one.days is not None
        assert line.effective_cost == pytest.approx(3 * one.days.plan * 24)

    def test_checkpoints_that_all_stay_leave_no_trash(self):
        ledger = Ledger(book_of(), "us-east-1")
        replace(files(), keeps_all=True).bill(ledger, timing_of(), CENTRAL)
        assert "storage.s3.trash" not in {line.line for line in ledger.lines}

    def test_the_copy_is_written_in_blocks_and_takes_its_time(self):
        """4 TB in 40,000 files of 24 blocks: 960,000 PUTs, and a quarter of them for each TB. At 3.08 GB/s 1,299 s."""
        objects = scenario_of(plan_of(data={"access": "object"}, purchase=ON_DEMAND), POOL)
        as_files = scenario_of(plan_of(data={"access": "posix"}, purchase=ON_DEMAND), POOL)

        def puts(scenario):
            return next(line.quantity for line in scenario.bill if line.line == "storage.s3.put-requests") * 1000

        written = puts(objects) * 100e6  # of checkpoints, in objects of the plan's size
        assert puts(as_files) == pytest.approx(960_000 + written * 24 / 100e6, rel=0.01)
        assert as_files.days is not None
        assert objects.days is not None
        assert (as_files.days.plan - objects.days.plan) * 24 == pytest.approx(4000 / 3.08 / 3600, rel=0.15)
        storage = {line.line for line in as_files.bill} - {line.line for line in objects.bill}
        assert storage == {"storage.files.database", "storage.files.database-storage", "storage.s3.trash"}
        month = months_of(as_files.days.plan * 24)
        line = next(line for line in as_files.bill if line.line == "storage.files.database-storage")
        assert line.quantity == pytest.approx(20 * month)


class TestChoice:
    def test_training_code_that_opens_files_gets_them_unless_the_plan_refuses(self):
        asked = plan_of(data={"access": "posix"}, purchase=ON_DEMAND)
        assert by_id(compared(asked))[POOL].feasible
        refused = plan_of(data={"access": "posix"}, purchase=ON_DEMAND, storage={"converged": {"posix": False}})
        assert by_id(compared(refused))[POOL].why_not == ("it has no POSIX file system, but data.access requires one",)
        objects = plan_of(data={"access": "object"}, purchase=ON_DEMAND, storage={"converged": {"posix": True}})
        assert any(line.line == "storage.files.database" for line in by_id(compared(objects))[POOL].bill)

    def test_it_is_recommended_where_it_costs_less_than_lustre(self):
        """For 40 TB, on demand; for 20 TB the two are tied."""
        plan = plan_of(data={"access": "posix", "hot_dataset": "40TB"}, purchase=ON_DEMAND)
        found = compared(plan)
        pool = by_id(found)[POOL]
        lustre = next(s for s in found.scenarios if s.layout == "fsx-lustre")
        assert pool.cost_usd is not None
        assert lustre.cost_usd is not None
        assert not pool.held_back
        assert pool.cost_usd.p50 < lustre.cost_usd.p50
        assert found.answer.recommended == pool.id
        assert any("lose records" in text for text in pool.warnings)

    def test_the_stack_has_the_database_that_is_billed(self):
        plan = plan_of(data={"access": "posix"}, purchase=ON_DEMAND)
        loaded = LoadedPlan(plan=plan, sha256="0" * 64, where="plan.yaml", places={}, overridden={})
        found = compared(plan)
        spec = spec_of(loaded, found, by_id(found)[POOL], book_of())
        assert spec.files is not None
        assert (spec.files.instance_class, spec.files.storage_gib) == ("db.r8g.xlarge", 20)
        assert "files.second_zone_id" in spec.placeholders
        standing = {entry["name"]: entry["bill_lines"] for entry in resource_graph(spec)["resources"]}
        assert standing["files-database"] == ["storage.files.database", "storage.files.database-storage"]

    def test_without_mutual_tls_there_are_no_files(self):
        plan = plan_of(data={"access": "posix"}, purchase=ON_DEMAND, deploy={"pool_tls": False})
        loaded = LoadedPlan(plan=plan, sha256="0" * 64, where="plan.yaml", places={}, overridden={})
        found = compared(plan)
        with pytest.raises(PlanProblems, match="mutual TLS"):
            spec_of(loaded, found, by_id(found)[POOL], book_of())
