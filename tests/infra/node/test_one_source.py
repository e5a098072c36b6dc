"""The planner's layout and the nodes' configuration read the same settings: one change, both change."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from fleet_pool import settings
from fleet_pool.node.config import cluster_config
from fleet_pool.node.facts import cluster_settings, stack_of

from infra.allowed_flows import POOL
from infra.derived import bundle_of
from infra.node.render import installed_files
from planner.errors import UsageProblem
from planner.plan.assumptions import default_assumptions
from planner.stack.check import findings_of
from planner.stack.file import parsed, rendered
from planner.stack.spec import Pool
from tests.infra.specs import spec_of
from tests.stack.test_choose import chosen

ROOT = Path(__file__).resolve().parents[3]
# in a process of its own: constants are read when modules are loaded
BOTH = """
import json
from fleet_pool import settings
for name, value in json.loads({changes!r}).items():
    assert hasattr(settings, name)
    setattr(settings, name, value)
from infra.node.render import installed_files
from planner.layouts.shared.pool import DONT_EVICT_S
from planner.models.capacity import pool_usable_tb
from planner.models.datapath import fill_rate_limit
from planner.plan.assumptions import default_assumptions
from fleet_pool.node.config import cluster_config
from fleet_pool.node.facts import cluster_settings, stack_of
from planner.stack.spec import Pool
stack = stack_of(dict(name="dev", layout="converged", proxies=["10.0.0.1"], targets_on="gpu", drives=8, reserved_vcpu=8,
    tls=True, low_watermark_percent=Pool().low_watermark_percent, dataset_prefix="d/", checkpoint_prefix="c/",
    checkpoints_kept=3, files=False))
told = cluster_config(cluster_settings(stack))
print(json.dumps(dict(
    planned_low=default_assumptions()["converged.low_watermark_fraction"].value,
    planned_usable=pool_usable_tb(raw_tb=100),
    planned_fill=fill_rate_limit(node_raw_tb=8),
    planned_control=default_assumptions()["pool.control_nodes"].value,
    planned_reserved=settings.reserved_vcpu(96),
    set_low=told["space"]["lowwm"], set_high=told["space"]["highwm"], set_floor=told["lru"]["dont_evict_time"],
    set_memory=[line for line in installed_files(stack)["planner-target.service"].splitlines() if "MemoryHigh" in line],
)))
"""


def both(**changes: float) -> dict[str, object]:
    code = BOTH.format(changes=json.dumps(changes))
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_a_changed_constant_is_planned_with_and_set():
    plain = both()
    assert (plain["planned_low"], plain["set_low"], plain["set_floor"]) == (0.7, 70, "3600s")
    assert plain["planned_fill"] == pytest.approx(8000 * 0.7 / 3600)
    other = both(
        CLEANUP_WATERMARK_PERCENT=55,
        LOW_WATERMARK_PERCENT=60,
        DONT_EVICT_S=7200,
        CONTROL_NODES=5,
        RESERVED_MEMORY_GIB=48,
    )
    assert (other["planned_low"], other["set_low"]) == (0.6, 60)
    assert other["set_floor"] == "7200s"
    assert other["planned_fill"] == pytest.approx(8000 * 0.6 / 7200)
    assert other["planned_usable"] == pytest.approx(100 * 0.99 * 0.6)
    assert other["planned_control"] == 5
    assert other["set_memory"] == ["MemoryHigh=48G"]


@pytest.mark.parametrize("scenario", ["converged/p4d.24xlarge/on-demand", "separate-nvme/p4d.24xlarge/on-demand"])
def test_a_plan_s_watermark_reaches_the_nodes(scenario):
    plain, _ = chosen(scenario)
    assert plain.pool == Pool()
    assert (plain.pool.engine, plain.pool.engine_version) == ("aistore", settings.AISTORE_VERSION)
    lower, planned = chosen(scenario, assumptions={"converged.low_watermark_fraction": 0.6})
    told = json.loads(bundle_of(lower).texts["stack.json"])
    assert cluster_config(cluster_settings(stack_of(told)))["space"] | {"batch_size": 0} == {
        "cleanupwm": 55,
        "lowwm": 60,
        "highwm": 70,
        "out_of_space": 95,
        "batch_size": 0,
        "dont_cleanup_time": "120m",
    }
    if scenario.startswith("converged"):
        assert planned.storage.usable_tb == pytest.approx(planned.storage.raw_tb * 0.99 * 0.6)


@pytest.mark.parametrize(("fraction", "said"), [(0.655, "whole percent"), (0.9, "between 20 and 80")])
def test_a_watermark_that_cannot_be_set_is_planned_but_not_deployed(fraction, said):
    with pytest.raises(UsageProblem, match=said):
        chosen("converged/p4d.24xlarge/on-demand", assumptions={"converged.low_watermark_fraction": fraction})


def test_certificates_are_the_plan_s_choice():
    spec, _ = chosen("converged/p4d.24xlarge/on-demand", deploy={"pool_tls": False})
    assert spec.pool == Pool(tls=False)
    assert json.loads(bundle_of(spec).texts["stack.json"])["tls"] is False


@pytest.mark.parametrize(
    ("layout", "pool", "said"),
    [
        ("converged", Pool(low_watermark_percent=90), "between 20 and 80"),
        ("s3-stream", Pool(tls=False), "s3-stream has no pool"),
    ],
)
def test_a_stack_file_s_own_settings_are_judged(layout, pool, said):
    found = findings_of(spec_of(layout, pool=pool))
    assert any(said in finding.message and finding.path[0] == "pool" for finding in found)


def test_the_firewall_opens_the_ports_that_daemons_listen_on():
    assert POOL == (("tcp", settings.FIRST_PORT, settings.LAST_PORT),)


def test_a_pool_s_settings_survive_the_stack_file():
    plain = spec_of()
    assert f"pool:\n      engine: aistore\n      engine_version: {settings.AISTORE_VERSION}\n" in rendered(plain)
    assert "pool:" not in rendered(spec_of("s3-stream"))
    own = replace(plain, pool=Pool(low_watermark_percent=60, tls=False))
    assert parsed(rendered(own), "Pulumi.dev.yaml").spec == own


def test_the_table_of_assumptions_says_what_is_set():
    row = default_assumptions()["converged.low_watermark_fraction"]
    assert (row.value, row.low, row.high) == (settings.LOW_WATERMARK_PERCENT / 100,) * 3
    assert default_assumptions()["pool.control_nodes"].value == settings.CONTROL_NODES


def test_only_targets_on_gpu_nodes_are_held_back_for_training():
    """A proxy, and a target on a storage node, shares its node with no training."""
    for layout, targets_on in (("converged", "gpu"), ("separate-nvme", "storage")):
        facts = {
            **{"name": "dev", "layout": layout, "proxies": ["10.0.0.1"], "targets_on": targets_on, "drives": 8},
            **{"reserved_vcpu": 8, "tls": True, "low_watermark_percent": 70, "dataset_prefix": "d/"},
            **{"checkpoint_prefix": "c/", "checkpoints_kept": 3, "files": False},
        }
        units = installed_files(stack_of(facts))
        assert ("CPUWeight" in units["planner-target.service"]) is (targets_on == "gpu")
        assert "CPUWeight" not in units["planner-proxy.service"]
