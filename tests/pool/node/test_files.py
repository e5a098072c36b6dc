"""Every file of a node by layout and role, against golden files (`pytest tests/pool/node --update-golden`)."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from fleet_pool import settings
from fleet_pool.node import config
from fleet_pool.node.facts import CLIENT, BadFacts, node_of, stack_of
from fleet_pool.node.files import files

from infra.artefacts import bundle
from infra.node.render import bundle_files, installed_files, roles
from infra.userdata import text_of
from tests.cluster.specs import mixed_spec
from tests.pool.node.nodes import CASES, INSTANCE, Case, every_bundle

MOUNTS = tuple(f"{settings.MOUNT_FOLDER}/AWS{n}" for n in range(8))


def files_of(case: Case) -> dict[str, str]:
    mounts = MOUNTS if case.stack.targets_on == case.role else ()
    return {file.path: file.text for file in files(case.stack, case.node, mounts, dict(case.cores))}


def shown(texts: dict[str, str]) -> str:
    return "".join(f"===== {name}\n{text}" for name, text in sorted(texts.items()))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_files_of_a_node(case, golden):
    golden(f"node/{case.name}.txt", shown(files_of(case)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_user_data_of_a_node(case, golden):
    text = text_of(bundle(case.stack), case.environment)
    assert len(text.encode()) < 16_384
    golden(f"node/{case.name}.user-data.yaml", re.sub(r"\b[0-9a-f]{64}\b", "<sha256>", text))


def test_the_bundle_of_each_layout(golden):
    for name, texts, _ in every_bundle():
        golden(f"node/bundle.{name}.txt", shown(dict(texts)))


def test_control_nodes_and_targets_agree_on_the_cluster():
    by_name = {case.name: files_of(case) for case in CASES}
    folder = settings.STATE_FOLDER
    assert by_name["control"][f"{folder}/proxy/ais.json"] == by_name["p4d"][f"{folder}/target/ais.json"]
    told = json.loads(by_name["p4d"][f"{folder}/target/ais.json"])
    assert told["proxy"]["primary_url"] == "https://10.0.255.228:51082"
    # whoever comes back has two others to ask
    assert told["proxy"]["discovery_url"] == "https://10.0.255.229:51082"
    assert told["proxy"]["original_url"] == "https://10.0.255.230:51082"
    assert json.loads(by_name["p4d"][f"{folder}/target/ais_local.json"])["fspaths"] == dict.fromkeys(MOUNTS, "")


def test_only_nodes_with_a_daemon_get_one_and_a_layout_without_pool_gets_nothing():
    by_name = {case.name: set(files_of(case)) for case in CASES}
    assert by_name["no-pool"] == set()
    assert by_name["client"] == {"/etc/planner/pool.env"}
    assert any(path.endswith("cpus.conf") for path in by_name["p4d"])
    assert not any(path.endswith("cpus.conf") for path in by_name["storage"] | by_name["control"])


def test_a_proxy_keeps_its_id_when_its_instance_is_replaced_and_a_target_does_not():
    by_name = {case.name: files_of(case) for case in CASES}
    assert 'PLANNER_DAEMON_ID="pcontrol1"' in by_name["control"]["/etc/planner/proxy.env"]
    assert f'PLANNER_DAEMON_ID="t{INSTANCE.replace("-", "")}"' in by_name["p5"]["/etc/planner/target.env"]


def test_without_tls_there_are_no_certificate_settings():
    case = next(case for case in CASES if case.name == "p5")
    plain = replace(case.stack, tls=False)
    texts = {**bundle_files(plain), **installed_files(plain)}
    assert not any("certificate" in name for name in texts)
    for name, text in texts.items():
        assert "openssl" not in text, name
        assert "planner-certificate" not in text, name
    found = "".join(file.text for file in files(plain, case.node, MOUNTS, dict(case.cores)))
    assert "AIS_CRT" not in found
    assert "https://" not in found


def test_what_is_missing_is_named():
    with pytest.raises(BadFacts, match=r"lacks targets_on, .*tls"):
        stack_of({"name": "dev", "layout": "converged", "proxies": []})
    with pytest.raises(BadFacts, match="PLANNER_ADDRESS, PLANNER_REGION"):
        node_of({"PLANNER_ROLE": "gpu", "PLANNER_INSTANCE": INSTANCE, "PLANNER_BUCKET": "b", "PLANNER_DATA": "d"})
    names = ("INSTANCE", "ADDRESS", "REGION", "BUCKET", "DATA")
    with pytest.raises(BadFacts, match="must be one of control, storage, gpu"):
        node_of({"PLANNER_ROLE": "spare", **{f"PLANNER_{name}": "x" for name in names}})


@pytest.mark.parametrize(
    ("percent", "expected"),
    [(70, (65, 70, 80, 95)), (60, (55, 60, 70, 95)), (80, (75, 80, 90, 95)), (20, (15, 20, 30, 95))],
)
def test_watermarks_move_together(percent, expected):
    marks = config.watermarks(percent)
    assert (marks.cleanup, marks.low, marks.high, marks.out_of_space) == expected


@pytest.mark.parametrize(
    ("fraction", "said"),
    [
        (0.7049, "whole percent"),
        (0.95, "between 20 and 80"),
        (0.0, "between 20 and 80"),
        (float("nan"), "whole percent"),
    ],
)
def test_a_watermark_that_cannot_be_set_is_refused(fraction, said):
    with pytest.raises(settings.BadSetting, match=said):
        settings.low_watermark_percent(fraction)


@pytest.mark.parametrize("role", ["gpu", ""])
def test_a_daemon_is_a_proxy_or_a_target(role):
    with pytest.raises(settings.BadSetting):
        settings.daemon_id(role, INSTANCE)


def test_a_short_id_is_refused_before_the_engine_panics():
    with pytest.raises(settings.BadSetting, match="too short"):
        settings.daemon_id("target", "i-12")


def test_a_gpu_node_of_a_further_type_is_a_client_with_the_units_of_a_separate_cluster_s_gpu_node():
    case = Case(name="mixed", spec=mixed_spec("converged"), role="gpu")
    of_role = {role.name: role for role in roles(case.stack, slurm_runs=True)}
    separate = {role.name: role for role in roles(next(c for c in CASES if c.name == "client").stack, slurm_runs=True)}
    assert of_role["gpu-client"].units == separate["gpu"].units
    assert not of_role["gpu-client"].daemon
    assert of_role["gpu"].daemon
    node = node_of({**case.environment, "PLANNER_INSTANCE": INSTANCE, "PLANNER_ADDRESS": "10.0.1.7", CLIENT: "yes"})
    assert [file.path for file in files(case.stack, node, (), dict(case.cores))] == ["/etc/planner/pool.env"]
