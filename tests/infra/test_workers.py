"""A pool of workers on AWS Batch: what each part may, and that it is the service's word for word."""

from __future__ import annotations

import base64
import email
import ipaddress
import itertools
import json
import subprocess
from dataclasses import replace
from typing import Any

import boto3
import botocore.validate
import pytest
from fleet_pool.worker.exits import RULES
from fleet_pool.worker.here import DRAIN_S, GRACE_S

from infra.artefacts import WORKER_FILE
from infra.worker_role import repository
from infra.worker_userdata import STOP_S, text_of
from planner.lint.read.graph import graph_from
from planner.lint.rules import lint
from planner.stack.check import findings_of
from planner.stack.leaving import off_spot
from planner.stack.spec import PLACEHOLDER, Buying, ClusterSpec
from tests.infra.specs import fleet_of, graph_of, inputs, names, spec_of


def spec(kind: str = "spot", **changes: Any) -> ClusterSpec:
    made = spec_of(
        "workers", scenario=f"workers/g6.xlarge/{kind}", buying=Buying(kind=kind), fleet=fleet_of("g6.xlarge", 40)
    )
    workers = replace(made.workers, memory_mib=14_000)  # type: ignore[type-var]
    return replace(made, **{"workers": workers, **changes})


GRAPH = graph_of(spec())


def statements(name: str) -> dict[str, dict[str, Any]]:
    return {one["Sid"]: one for one in json.loads(inputs(GRAPH, name)["policy"])["Statement"]}


def test_it_can_be_deployed_and_lint_has_nothing_to_say():
    assert findings_of(spec()) == ()
    for kind in ("spot", "on-demand"):
        found = lint(graph_from(json.loads(json.dumps(graph_of(spec(kind))))))
        assert [f"{one.id} {one.message}" for one in found] == []


@pytest.mark.parametrize(
    ("kind", "type_", "strategy"),
    [("spot", "SPOT", "SPOT_CAPACITY_OPTIMIZED"), ("on-demand", "EC2", "BEST_FIT_PROGRESSIVE")],
)
def test_nodes_are_bought_as_they_were_priced(kind, type_, strategy):
    nodes = inputs(graph_of(spec(kind)), "fleet-environment")["computeResources"]
    assert (nodes["type"], nodes["allocationStrategy"]) == (type_, strategy)
    assert (nodes["minVcpus"], nodes["maxVcpus"], nodes["instanceTypes"]) == (0, 40 * 4, ["g6.xlarge"])
    assert "spotIamFleetRole" not in nodes  # only for BEST_FIT


def several(kind: str = "spot") -> ClusterSpec:
    """Three types in three zones, with On-Demand nodes for the end."""
    made = spec(kind, scenario="workers/diversified/spot-fallback")
    assert made.workers is not None
    more = {"more_types": ("g5.xlarge", "g6e.xlarge"), "more_zones": ("use1-az2", "use1-az6"), "tail_type": "g6.xlarge"}
    return replace(made, workers=replace(made.workers, **more), zone_id="use1-az4")  # type: ignore[arg-type]


def test_a_pool_of_several_markets_has_every_type_and_a_subnet_a_zone():
    graph = graph_of(several())
    assert findings_of(several()) == ()
    assert [one.message for one in lint(graph_from(json.loads(json.dumps(graph))))] == []
    nodes = inputs(graph, "fleet-environment")["computeResources"]
    assert nodes["instanceTypes"] == ["g6.xlarge", "g5.xlarge", "g6e.xlarge"]
    assert nodes["allocationStrategy"] == "SPOT_PRICE_CAPACITY_OPTIMIZED"
    assert len(nodes["subnets"]) == 3
    subnets = {name: inputs(graph, f"network-subnet-{name}") for name in ("nodes", "nodes-use1-az2", "nodes-use1-az6")}
    assert [one["availabilityZoneId"] for one in subnets.values()] == ["use1-az4", "use1-az2", "use1-az6"]
    blocks = [ipaddress.ip_network(one["cidrBlock"]) for one in subnets.values()]
    assert not any(one.overlaps(other) for one, other in itertools.combinations(blocks, 2))
    routed = [name for name in names(graph) if name.startswith("network-routes-private-")]
    assert len(routed) == 3  # each reaches S3 and the internet


def test_its_end_is_on_demand_in_place():
    before, after = graph_of(several()), graph_of(off_spot(several()))
    assert findings_of(off_spot(several())) == ()
    changed = {name for name in names(before) if inputs(before, name) != inputs(after, name)}
    assert changed == {"network-vpc", "fleet-environment"}  # the engine ignores the VPC's tag, which stays
    nodes = inputs(after, "fleet-environment")["computeResources"]
    assert (nodes["type"], nodes["instanceTypes"]) == ("EC2", ["g6.xlarge"])


def test_an_update_waits_for_jobs_as_long_as_the_service_takes():
    """AWS Batch API reference, UpdatePolicy: 1 to 360 minutes; one try of these jobs may take longer."""
    made = spec()
    assert made.workers is not None
    for hours, minutes in ((2.0, 120), (336.0, 360)):
        found = graph_of(replace(made, workers=replace(made.workers, limit_hours=hours)))
        assert inputs(found, "fleet-environment")["updatePolicy"]["jobExecutionTimeoutMinutes"] == minutes


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"more_zones": ("use1-az4",)}, "'use1-az4' is not another one of us-east-1"),
        ({"more_zones": ("usw2-az1",)}, "'usw2-az1' is not another one of us-east-1"),
        ({"more_types": ("g6.xlarge",)}, "g6.xlarge is in the pool already"),
        ({"tail_type": ""}, "no rule that leaves spot"),
    ],
)
def test_markets_that_cannot_be_are_found(more, message):
    made = several()
    assert made.workers is not None
    (found,) = findings_of(replace(made, workers=replace(made.workers, **more)))
    assert message in found.message


def test_retries_are_those_by_which_workers_end():
    strategy = inputs(GRAPH, "fleet-job")["retryStrategy"]
    assert strategy["attempts"] == 10
    assert [tuple(sorted(rule.items())) for rule in strategy["evaluateOnExits"]] == [
        tuple(
            sorted(
                (key, value)
                for key, value in (
                    ("action", rule.action),
                    ("onStatusReason", rule.on_status_reason),
                    ("onExitCode", rule.on_exit_code),
                    ("onReason", rule.on_reason),
                )
                if value
            )
        )
        for rule in RULES
    ]


def test_the_service_s_own_model_takes_the_container_and_the_job():
    """botocore's model of AWS Batch: names and types of what the JSON text holds."""
    container = json.loads(inputs(GRAPH, "fleet-job")["containerProperties"])
    model = boto3.client("batch", region_name="us-east-1").meta.service_model
    shape = model.shape_for("ContainerProperties")
    assert not botocore.validate.ParamValidator().validate(container, shape).has_errors()
    assert set(container) <= set(shape.members)
    assert {each["type"]: each["value"] for each in container["resourceRequirements"]} == {
        "VCPU": "4",
        "MEMORY": "14000",
        "GPU": "1",
    }
    assert container["privileged"] is False
    assert container["mountPoints"][0]["readOnly"] is True
    without = json.loads(
        inputs(graph_of(spec(fleet=replace(spec().fleet, gpus=0))), "fleet-job")["containerProperties"]
    )
    assert "GPU" not in {each["type"] for each in without["resourceRequirements"]}


def test_a_node_s_role_sees_no_data_since_jobs_can_take_it():
    found = statements("fleet-role-agent")
    assert all("tier-bucket" not in json.dumps(one["Resource"]) for one in found.values())
    assert found["Worker"]["Action"] == "s3:GetObject"
    everywhere = {sid for sid, one in found.items() if one["Resource"] == "*"}
    assert everywhere == {"Find", "Registry"}  # actions that know no resources
    assert "fleet-role-ssm" not in names(GRAPH)


def test_a_node_ends_itself_and_pulls_the_image_of_its_pool():
    """The user id of a role on an instance ends in the instance's id, so the condition holds for itself alone."""
    found = statements("fleet-role-agent")
    assert found["GiveBack"]["Condition"] == {
        "StringLike": {"aws:userid": "*:${ec2:InstanceID}"},
        "StringEquals": {"aws:ResourceTag/planner:stack": "dev"},
    }
    assert found["Images"]["Resource"] == "arn:aws:ecr:us-east-1:111122223333:repository/t"
    assert spec().workers is not None
    other = graph_of(spec(workers=replace(spec().workers, image="docker.io/pytorch/pytorch:2.8")))
    sids = {one["Sid"] for one in json.loads(inputs(other, "fleet-role-agent")["policy"])["Statement"]}
    assert not {"Images", "Registry"} & sids


@pytest.mark.parametrize(
    ("image", "name"),
    [
        ("111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/train@sha256:" + "0" * 64, "team/train"),
        ("111122223333.dkr.ecr.eu-west-1.amazonaws.com/train", "train"),
        ("public.ecr.aws/acme/train:1", ""),
        ("train", ""),
    ],
)
def test_the_repository_of_an_image(image, name):
    assert repository(image) == (f"arn:aws:ecr:eu-west-1:111122223333:repository/{name}" if name else "")


def test_a_job_writes_checkpoints_and_each_record_once():
    found = statements("fleet-job-role-data")
    assert found["Write"]["Resource"].endswith("arn}/checkpoints/*")
    records = [arn.rpartition("arn}/")[2] for arn in found["WriteOnce"]["Resource"]]
    assert records == [f"workers/*/{kind}/*" for kind in ("jobs", "beats", "done", "dead", "machines")]
    assert found["WriteOnce"]["Condition"] == {"Null": {"s3:if-none-match": "false"}}
    puts = {sid for sid, one in found.items() if "s3:PutObject" in one["Action"]}
    assert puts == {"Write", "WriteOnce"}  # nothing outside of checkpoints is ever overwritten
    assert "TerminateInstances" not in json.dumps(found)
    assert "s3:DeleteObjectVersion" not in json.dumps(found)
    trusted = json.loads(inputs(GRAPH, "fleet-job-role")["assumeRolePolicy"])["Statement"][0]
    assert trusted["Principal"] == {"Service": "ecs-tasks.amazonaws.com"}
    assert "aws:SourceAccount" in json.dumps(trusted["Condition"])
    # the condition holds for nodes: the environment and the template tag them
    assert inputs(GRAPH, "fleet-environment")["computeResources"]["tags"]["planner:stack"] == "dev"


def test_nodes_are_apart_and_their_metadata_are_not_forwarded():
    rules = [inputs(GRAPH, name) for name in names(GRAPH) if name.startswith(("firewall-in", "firewall-out"))]
    assert [(rule["fromPort"], rule["toPort"], rule["cidrIpv4"]) for rule in rules] == [(443, 443, "0.0.0.0/0")]
    options = inputs(GRAPH, "fleet-template")["metadataOptions"]
    assert (options["httpTokens"], options["httpPutResponseHopLimit"]) == ("required", 1)
    volume = inputs(GRAPH, "fleet-template")["blockDeviceMappings"][0]
    assert (volume["deviceName"], volume["ebs"]["encrypted"]) == ("/dev/xvda", "true")


def test_user_data_is_a_mime_archive_with_one_script_that_bash_takes(tmp_path):
    text = text_of("s3://bucket/bundles/x/planner-worker.pyz", "ab" * 32, "us-east-1")
    parts = email.message_from_string(text).get_payload()
    assert [part.get_content_type() for part in parts] == ["text/x-shellscript"]
    (tmp_path / "script").write_text(parts[0].get_payload())
    assert subprocess.run(["bash", "-n", tmp_path / "script"], check=False).returncode == 0
    assert len(base64.b64encode(text.encode())) < 16_384
    # a job that is told to end has time to save, and its worker to commit, before the agent kills both
    assert GRACE_S + DRAIN_S < STOP_S < 120


def test_a_failed_array_is_a_notice_and_its_children_are_none():
    pattern = json.loads(inputs(GRAPH, "guard-jobs-failed")["eventPattern"])
    assert pattern["detail"]["arrayProperties"] == {"index": [{"exists": False}]}
    assert pattern["detail"]["jobQueue"][0].endswith("fleet-queue.arn}")
    assert inputs(GRAPH, "guard-jobs-failed-notice")["arn"].endswith("guard-topic.arn}")
    assert "guard-not-ready" not in names(GRAPH)


def test_the_bundle_is_the_worker_alone():
    files = {name for name in names(GRAPH) if name.startswith("artefacts-object-")}
    assert files == {f"artefacts-object-{WORKER_FILE.partition('.')[0]}"}


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"image": "two words"}, ("workers", "image")),
        ({"memory_mib": 0}, ("workers", "memory_mib")),
        ({"limit_hours": 0.001}, ("workers", "limit_hours")),
        ({"limit_hours": 1000.0}, ("workers", "limit_hours")),
        ({"least_nodes": 41}, ("workers", "least_nodes")),
    ],
)
def test_what_batch_does_not_take_is_found(changes, path):
    workers = replace(spec().workers, **changes)  # type: ignore[type-var]
    assert [finding.path for finding in findings_of(spec(workers=workers))] == [path]


def test_workers_need_their_section_and_others_have_none():
    assert ("workers" in finding.message for finding in findings_of(spec(workers=None)))
    assert findings_of(spec(workers=None))
    assert [finding.path for finding in findings_of(spec_of("s3-stream", workers=spec().workers))] == [("workers",)]
    assert findings_of(spec(buying=Buying(kind="capacity-block", reservation_id="cr-0123456789abcdef0")))


def test_without_an_image_it_is_previewed_and_not_deployed():
    workers = replace(spec().workers, image=f"{PLACEHOLDER}-image")  # type: ignore[type-var]
    held = spec(workers=workers)
    assert (findings_of(held), held.placeholders) == ((), ("workers.image",))
