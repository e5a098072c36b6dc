"""A stack with a Slurm cluster by AWS PCS: desired states against AWS's schemas, rights, guards, what gives way."""

from __future__ import annotations

import base64
import email
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from fleet_pool.health import records as health

from infra.derived import addresses_of
from infra.pcs import CLUSTER, GROUP, QUEUE
from planner.lint.read.graph import parse
from planner.lint.rules import lint
from planner.stack.canary import as_canary
from planner.stack.check import findings_of
from planner.stack.slurm_settings import (
    QUEUES,
    cluster_settings,
    group_settings,
    node_groups,
    queue_settings,
    time_limit,
)
from planner.stack.spec import Block, ClusterSpec, OtherType, Project
from tests.cluster.specs import LINES, P4D_USD, SCHEDULER, USD_PER_NODE_HOUR, mixed_spec, slurm_spec, two_markets
from tests.infra.aws_schemas import schema
from tests.infra.specs import BUYING, GANGS, fleet_of, graph_of, inputs, named, names

# AWS PCS User Guide, "Custom Slurm settings" for clusters, compute node groups and queues, read 2026-11-28
TAKEN = {
    "cluster": [
        "AccountingStorageEnforce",
        "AccountingStorageTRES",
        "AccountingStoreFlags",
        "AuthAltParameters",
        "CliFilterParameters",
        "CliFilterPlugins",
        "CommunicationParameters",
        "DefMemPerCPU",
        "Epilog",
        "EnforcePartLimits",
        "FairShareDampeningFactor",
        "FirstJobId",
        "HealthCheckInterval",
        "HealthCheckNodeState",
        "HealthCheckProgram",
        "JobRequeue",
        "LaunchParameters",
        "Licenses",
        "MetricsType",
        "MinJobAge",
        "OverTimeLimit",
        "PreemptExemptTime",
        "PreemptMode",
        "PreemptParameters",
        "PreemptType",
        "PriorityCalcPeriod",
        "PriorityDecayHalfLife",
        "PriorityFavorSmall",
        "PriorityFlags",
        "PriorityMaxAge",
        "PriorityUsageResetPeriod",
        "PriorityWeightAge",
        "PriorityWeightAssoc",
        "PriorityWeightFairshare",
        "PriorityWeightJobSize",
        "PriorityWeightPartition",
        "PriorityWeightQOS",
        "PriorityWeightTRES",
        "Prolog",
        "PrologFlags",
        "RequeueExit",
        "RequeueExitHold",
        "SchedulerParameters",
        "SelectTypeParameters",
        "SrunPortRange",
        "TaskEpilog",
        "TaskPluginParam",
        "TaskProlog",
        "TrackWCKey",
        "UnkillableStepProgram",
        "UnkillableStepTimeout",
    ],
    "group": ["CpuSpecList", "Features", "Gres", "MemSpecLimit", "Parameters", "RealMemory", "Sockets", "Weight"],
    "queue": [
        "AllowAccounts",
        "AllowQoS",
        "Default",
        "DefaultTime",
        "DenyAccounts",
        "DenyQoS",
        "ExclusiveUser",
        "GraceTime",
        "MaxTime",
        "OverSubscribe",
        "OverTimeLimit",
        "PowerDownOnIdle",
        "PreemptMode",
        "PriorityJobFactor",
        "PriorityTier",
        "QOS",
        "TRESBillingWeights",
    ],
}
# newer than the schemas that cfn-lint has: AWS PCS API reference, InstanceHealthChecks, read 2026-11-28
NEWER = {GROUP: ("InstanceHealthChecks",)}
HERE = (22, 5)  # Debian's Slurm, on which tests/cluster runs these settings
EXAMPLES = {
    "ec2/subnet": "subnet-0123456789abcdef0",
    "ec2/securityGroup": "sg-0123456789abcdef0",
    "ec2/launchTemplate": "lt-0123456789abcdef0",
    "iam/instanceProfile": "arn:aws:iam::111122223333:instance-profile/aws-pcs/planner-dev-fleet-pcs-profile",
    "cloudcontrol/resource": "pcs_abc1234567",
}
REFERENCE = re.compile(r"\$\{urn:pulumi:[^}]*[$:]aws:(?P<type>[^:]+):[^}]*\}")


def states(graph: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Name, type and desired state of everything that Cloud Control makes; references as AWS would write them."""
    for entry in graph["resources"]:
        if entry["type"] == "aws:cloudcontrol/resource:Resource":
            text = REFERENCE.sub(lambda found: EXAMPLES[found["type"]], entry["inputs"]["desiredState"])
            yield entry["name"], entry["inputs"]["typeName"], json.loads(text)


def state(graph: dict[str, Any], name: str) -> dict[str, Any]:
    return next(found for at, _, found in states(graph) if at == name)


@pytest.mark.parametrize("buying", ["on-demand", "spot", "capacity-block"])
@pytest.mark.parametrize("layout", ["s3-stream", "converged"])
def test_desired_states_are_what_the_schemas_of_aws_take(layout: str, buying: str):
    found = list(states(graph_of(slurm_spec(layout, buying=buying))))
    assert sorted(kind for _, kind, _ in found) == [CLUSTER, GROUP, GROUP, QUEUE, QUEUE, QUEUE]
    for name, kind, given in found:
        jsonschema.Draft7Validator(schema(kind)).validate(given)
        only_read = {path.rpartition("/")[2] for path in schema(kind)["readOnlyProperties"]}
        assert not only_read & set(given), name


def test_a_canary_is_a_group_that_has_a_node_for_a_job_alone_and_raising_it_changes_two_resources():
    whole = slurm_spec()
    before, after = graph_of(as_canary(whole)), graph_of(whole)
    group = state(before, "fleet-group")
    jsonschema.Draft7Validator(schema(GROUP)).validate(group)
    assert group["ScalingConfiguration"] == {"MinInstanceCount": 0, "MaxInstanceCount": 1}
    assert state(after, "fleet-group")["ScalingConfiguration"] == {"MinInstanceCount": 8, "MaxInstanceCount": 8}
    old, new = ({entry["name"]: entry["inputs"] for entry in graph["resources"]} for graph in (before, after))
    changed = {name for name in old if old[name] != new[name]} - {"network-vpc"}  # whose tag stays: it is ignored
    assert sorted(changed) == ["fleet-group", "scheduler-settings"]
    assert set(old) == set(new)
    job = json.loads(old["scheduler-settings"]["content"])["canary"]
    assert job == f"planner-canary-{whole.fleet.ami}-{whole.plan_sha256[:8]}"
    assert "canary" not in json.loads(new["scheduler-settings"]["content"])


def test_a_wrong_state_is_seen_by_the_schema():
    given = state(graph_of(slurm_spec()), "fleet-group")
    for wrong in ({"PurchaseOption": "SPOTTY"}, {"Nodes": 8}, {"ScalingConfiguration": {"MinInstanceCount": "8"}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft7Validator(schema(GROUP)).validate({**given, **wrong})


def test_the_diagnosis_at_start_is_sent_where_the_plan_asks_for_it_alone():
    plain = slurm_spec()
    asked = replace(plain, scheduler=replace(SCHEDULER, health_check="MEDIUM"))
    assert "InstanceHealthChecks" not in state(graph_of(plain), "fleet-group")
    found = state(graph_of(asked), "fleet-group")
    assert found["InstanceHealthChecks"] == {
        "DeepHealthChecks": {"OnStart": {"Profile": "MEDIUM", "RepairAction": "AUTO"}}
    }
    older = {name: value for name, value in found.items() if name not in NEWER[GROUP]}
    jsonschema.Draft7Validator(schema(GROUP)).validate(older)
    assert "InstanceHealthChecks" not in state(graph_of(asked), "scheduler-login-group")


def test_every_setting_is_on_the_list_of_aws_and_as_old_as_the_slurm_of_the_tests():
    spec = slurm_spec()
    sent = {
        "cluster": cluster_settings(SCHEDULER),
        "group": [one for group in node_groups(spec) for one in group_settings(spec, group)],
        "queue": [one for queue in QUEUES for one in queue_settings(queue, SCHEDULER)],
    }
    for where, settings in sent.items():
        assert {one.name for one in settings} <= set(TAKEN[where]), where
        for one in settings:
            assert tuple(int(part) for part in one.since.split(".")) <= HERE, one
            assert one.why


def test_gres_and_its_devices_agree():
    """AWS PCS refuses a group whose two sides of gres differ (gres-custom-settings)."""
    found = state(graph_of(slurm_spec()), "fleet-group")["SlurmConfiguration"]
    settings = {one["ParameterName"]: one["ParameterValue"] for one in found["SlurmCustomSettings"]}
    name, kind, count = settings["Gres"].split(":")
    assert found["GresCustomSettings"] == [{"Name": name, "Type": kind, "File": f"/dev/nvidia[0-{int(count) - 1}]"}]


@pytest.mark.parametrize("layout", GANGS)
def test_the_node_group_takes_the_place_of_the_auto_scaling_group(layout: str):
    before, after = graph_of(layout), graph_of(slurm_spec(layout))
    gone, new = names(before) - names(after), names(after) - names(before)
    assert gone == {
        "fleet-launch",
        "fleet-drain",
        *("fleet-role", "fleet-role-data", "fleet-role-ssm", "fleet-profile"),
        *({"guard-not-ready", "guard-not-ready-notice"} if layout != "separate-nvme" else ()),
        *(name for name in gone if name.startswith("guard-alarm-")),
    }
    parts = {name.split("-")[0] for name in new if not name.startswith("fleet-pcs-")}
    assert parts <= {"scheduler", "firewall", "guard"}
    assert inputs(after, "fleet-group")["typeName"] == GROUP
    # the same template, but for the form of its user data, the name of the group and the path of the profile
    template, other = dict(inputs(before, "fleet-template")), dict(inputs(after, "fleet-template"))
    old, wrapped = (base64.b64decode(one.pop("userData")).decode() for one in (template, other))
    assert template.pop("iamInstanceProfile") != other.pop("iamInstanceProfile")
    assert template == other
    archive = email.message_from_string(wrapped)
    _, part = archive.walk()
    assert part.get_content_type() == "text/cloud-config"
    own = str(part.get_payload())
    assert "PLANNER_FLEET='planner-dev-fleet-group'" in own
    assert "PLANNER_GROUP" not in own
    assert "PLANNER_GROUP='planner-dev-fleet-group'" in old
    assert own.startswith("#cloud-config\n")


def test_roles_have_the_path_and_the_one_right_that_aws_demands():
    graph = graph_of(slurm_spec())
    for name in ("fleet-pcs-role", "fleet-pcs-profile", "scheduler-pcs-role", "scheduler-pcs-profile"):
        assert inputs(graph, name)["path"] == "/aws-pcs/"
    for name in ("fleet-pcs-role-data", "scheduler-pcs-role-data"):
        statements = json.loads(inputs(graph, name)["policy"])["Statement"]
        actions = [one for statement in statements for one in _listed(statement["Action"])]
        assert [one for one in actions if one.startswith(("pcs:", "autoscaling:", "secretsmanager:"))] == [
            "pcs:RegisterComputeNodeGroupInstance"
        ]
    # the login node reads its settings, and no data of anybody
    login = json.loads(inputs(graph, "scheduler-pcs-role-data")["policy"])["Statement"]
    reads = [where for one in login if one["Action"] == "s3:GetObject" for where in _listed(one["Resource"])]
    assert sorted(where.rpartition("}/")[2] for where in reads) == ["boot-logs/*", "bundles/*", "scheduler/*"]
    assert not any("PutObject" in str(one["Action"]) and "checkpoints" in str(one["Resource"]) for one in login)


def _listed(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


def test_the_login_node_is_reached_by_systems_manager_alone():
    graph = graph_of(slurm_spec())
    group = named(graph, "firewall-login")["urn"]
    rules = [entry["inputs"] for entry in graph["resources"] if entry["type"].endswith(":SecurityGroupIngressRule")]
    into = [rule for rule in rules if rule["securityGroupId"] == f"${{{group}.id}}"]
    assert into
    assert all("cidrIpv4" not in rule and rule["referencedSecurityGroupId"] for rule in into)
    (nic,) = inputs(graph, "scheduler-template")["networkInterfaces"]
    assert nic["associatePublicIpAddress"] == "false"
    assert "keyName" not in inputs(graph, "scheduler-template")


def test_each_block_has_a_group_of_its_size_and_no_schedule_changes_it():
    ends = "2026-12-01T11:30:00Z"
    further = (Block(nodes=2, reservation_id="cr-0123456789abcdef1", starts="2026-11-24T11:30:00Z", ends=ends),)
    spec = slurm_spec(nodes=10, buying="capacity-block", further=further)
    graph = graph_of(spec)
    sizes = {}
    for name, template, reservation in (
        ("fleet-group", "fleet-template", "cr-0123456789abcdef0"),
        ("fleet-group-2", "fleet-template-2", "cr-0123456789abcdef1"),
    ):
        found = state(graph, name)
        assert found["PurchaseOption"] == "CAPACITY_BLOCK"
        sizes[found["Name"]] = found["ScalingConfiguration"]
        bought = inputs(graph, template)
        assert bought["instanceMarketOptions"]["marketType"] == "capacity-block"
        target = bought["capacityReservationSpecification"]["capacityReservationTarget"]
        assert target["capacityReservationId"] == reservation
    # AWS PCS: at most the block's size
    assert sizes == {
        "p5-48xlarge": {"MinInstanceCount": 8, "MaxInstanceCount": 8},
        "p5-48xlarge-b2": {"MinInstanceCount": 2, "MaxInstanceCount": 2},
    }
    assert not any(entry["type"].endswith(":Schedule") for entry in graph["resources"])
    settings = json.loads(inputs(graph, "scheduler-settings")["content"])
    assert settings["blocks"] == [
        {"group": "p5-48xlarge", "ends": "2026-12-01T11:30:00+00:00"},
        {"group": "p5-48xlarge-b2", "ends": "2026-12-01T11:30:00+00:00"},
    ]


def test_every_dollar_of_the_cluster_is_on_a_resource():
    spec = slurm_spec()
    graph = graph_of(spec)
    assert sum(one["usd_per_hour"] for one in graph["resources"]) == pytest.approx(sum(spec.usd_per_hour.values()))
    assert named(graph, "scheduler-cluster")["usd_per_hour"] == pytest.approx(
        sum(LINES[f"scheduler.{name}"] for name in ("controller", "accounting", "node-fee"))
    )
    assert named(graph, "fleet-group")["bill_lines"] == ["fleet.compute", "fleet.ebs"]


def test_the_guards_still_watch():
    graph = graph_of(slurm_spec("fsx-lustre"))
    alarms = {one["name"]: one["inputs"] for one in graph["resources"] if one["name"].startswith("guard-alarm-")}
    assert {"guard-alarm-fleet-count", "guard-alarm-fleet-idle", "guard-alarm-fleet-problems"} <= set(alarms)
    count = alarms["guard-alarm-fleet-count"]
    assert (count["metricName"], count["dimensions"], count["treatMissingData"]) == (
        "SlurmNodesOut",
        {"Stack": "dev"},
        "breaching",
    )
    # nothing watches an Auto Scaling group that is not there
    assert not [name for name, one in alarms.items() if one["namespace"] in ("AWS/AutoScaling", "AWS/EC2")]
    assert alarms["guard-alarm-fleet-idle"]["dimensions"] == {"Fleet": "planner-dev-fleet-group"}
    assert "AWS/AutoScaling" not in inputs(graph, "guard-dashboard")["dashboardBody"]
    denied = json.loads(inputs(graph, "guard-no-more")["policy"])["Statement"][0]["Action"]
    assert {"pcs:CreateCluster", "pcs:CreateComputeNodeGroup"} <= set(denied)
    assert "guard-budget" in names(graph)


@pytest.mark.parametrize("buying", ["on-demand", "spot", "capacity-block"])
def test_lint_finds_nothing_wrong(buying: str):
    assert [str(found) for found in lint(parse(json.dumps(graph_of(slurm_spec(buying=buying)))))] == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"size": "TINY"}, "not a size of AWS PCS"),
        ({"projects": ()}, "nobody could submit"),
        ({"projects": (Project(name="a", share=1), Project(name="a", share=2))}, "is there twice"),
        ({"projects": (Project(name="root", share=1),)}, "Slurm's own"),
        ({"projects": (Project(name="a", share=1, max_nodes=9),)}, "at most 9 nodes for a, of 8"),
        ({"longest_job_hours": 0.2}, "as the longest job"),
        ({"health_check": "DEEP"}, "AWS diagnoses"),
    ],
)
def test_what_aws_or_slurm_would_refuse_is_said_before(change: dict[str, Any], said: str):
    spec = replace(slurm_spec(), scheduler=replace(SCHEDULER, **change))
    assert said in "; ".join(found.message for found in findings_of(spec))


@pytest.mark.parametrize(("nodes", "size"), [(31, "SMALL"), (32, "MEDIUM"), (511, "MEDIUM"), (2047, "LARGE")])
def test_a_controller_has_room_for_its_nodes_and_the_login_node(nodes: int, size: str):
    spec = slurm_spec(nodes=nodes)
    fits = replace(spec, scheduler=replace(SCHEDULER, size=size))
    assert not [one for one in findings_of(fits) if one.path[0] == "scheduler"]
    if size != "SMALL":
        smaller = {"MEDIUM": "SMALL", "LARGE": "MEDIUM"}[size]
        (found,) = findings_of(replace(spec, scheduler=replace(SCHEDULER, size=smaller)))
        assert f"write {size}" in found.remedy


def test_a_reservation_is_refused():
    assert "resource group" in "; ".join(one.message for one in findings_of(slurm_spec(buying="reservation")))


@pytest.mark.parametrize(
    ("hours", "text"), [(1, "0-01:00:00"), (336, "14-00:00:00"), (24.5, "1-00:30:00"), (0.01, "0-00:01:00")]
)
def test_time_limits_are_written_as_slurm_reads_them(hours: float, text: str):
    assert time_limit(hours) == text


def test_the_spec_of_the_tests_can_be_deployed():
    spec: ClusterSpec = slurm_spec()
    assert findings_of(spec) == ()


def _of(graph: dict[str, Any], name: str) -> str:
    """A reference to its id."""
    return f"${{{named(graph, name)['urn']}.id}}"


@pytest.mark.parametrize("layout", ["s3-stream", "converged", "fsx-lustre"])
def test_spot_and_on_demand_stand_in_one_queue_and_on_demand_has_no_node_without_a_job(layout: str):
    spec = two_markets(layout)
    assert findings_of(spec) == ()
    graph = graph_of(spec)
    groups = {}
    for name, kind, given in states(graph):
        jsonschema.Draft7Validator(schema(kind)).validate(given)
        if kind == GROUP:
            groups[name] = (given["Name"], given["PurchaseOption"], given["ScalingConfiguration"])
    assert groups == {
        "scheduler-login-group": ("login", "ONDEMAND", {"MinInstanceCount": 1, "MaxInstanceCount": 1}),
        "fleet-group": ("p5-48xlarge", "SPOT", {"MinInstanceCount": 8, "MaxInstanceCount": 8}),
        "fleet-group-on-demand": ("p5-48xlarge-od", "ONDEMAND", {"MinInstanceCount": 0, "MaxInstanceCount": 8}),
    }
    for queue in QUEUES:
        taken = json.loads(inputs(graph, f"scheduler-queue-{queue.name}")["desiredState"])
        ids = [one["ComputeNodeGroupId"] for one in taken["ComputeNodeGroupConfigurations"]]
        found = [name for one in ids for name in ("fleet-group", "fleet-group-on-demand") if _of(graph, name) == one]
        assert found == ["fleet-group", "fleet-group-on-demand"]
    settings = json.loads(inputs(graph, "scheduler-settings")["content"])
    assert settings["markets"]["on_demand"] == "p5-48xlarge-od"
    assert settings["usd_per_node_hour"] == {"p5-48xlarge": 98.0, "p5-48xlarge-od": 110.0}
    login = json.loads(inputs(graph, "scheduler-pcs-role-data")["policy"])["Statement"]
    (listing,) = [one for one in login if one["Sid"] == "List"]
    assert listing["Condition"]["StringLike"]["s3:prefix"] == ["boot-logs/*", "checkpoints/*"]
    assert not any("checkpoints" in str(one["Resource"]) for one in login), "it sees names, and reads no checkpoint"
    assert [str(found) for found in lint(parse(json.dumps(graph)))] == []
    assert sum(one["usd_per_hour"] for one in graph["resources"]) == pytest.approx(sum(spec.usd_per_hour.values()))
    bills = {name: named(graph, name)["bill_lines"] for name in ("fleet-group", "fleet-group-on-demand")}
    assert bills == {
        "fleet-group": ["fleet.compute", "fleet.ebs"],
        "fleet-group-on-demand": ["fleet.compute-on-demand"],
    }
    assert named(graph, "fleet-group-on-demand")["usd_per_hour"] == 0, "nothing without a job"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"work_hours": 400.0}, "On-Demand alone could not keep it"),
        ({"nodes": 9}, "a gang of 9 nodes, of 8"),
    ],
)
def test_a_rule_that_cannot_be_carried_out_is_refused(change: dict[str, Any], said: str):
    spec = two_markets()
    assert spec.scheduler
    assert spec.scheduler.markets
    wrong = replace(spec, scheduler=replace(spec.scheduler, markets=replace(spec.scheduler.markets, **change)))
    assert said in "; ".join(found.message for found in findings_of(wrong))
    held = replace(wrong, buying=slurm_spec().buying)
    assert "two markets, and nodes that are bought as" in "; ".join(found.message for found in findings_of(held))


def test_a_controller_has_room_for_the_nodes_of_both_markets():
    spec = two_markets(nodes=16)
    assert "32 GPU nodes: a cluster of size SMALL has 31" in "; ".join(one.message for one in findings_of(spec))


def _settings(found: dict[str, Any]) -> dict[str, str]:
    return {one["ParameterName"]: one["ParameterValue"] for one in found["SlurmConfiguration"]["SlurmCustomSettings"]}


@pytest.mark.parametrize("layout", ["s3-stream", "converged", "fsx-lustre"])
def test_each_instance_type_has_its_group_template_and_queues(layout: str):
    spec = mixed_spec(layout)
    assert findings_of(spec) == ()
    graph = graph_of(spec)
    for _, kind, given in states(graph):
        jsonschema.Draft7Validator(schema(kind)).validate(given)
    for name, kind, gpu, interfaces in (("", "p4d.24xlarge", "a100", 5), ("-p5-48xlarge", "p5.48xlarge", "h100", 33)):
        group = state(graph, f"fleet-group{name}")
        assert group["InstanceConfigs"] == [{"InstanceType": kind}]
        assert group["SlurmConfiguration"]["GresCustomSettings"][0]["Type"] == gpu
        assert _settings(group)["Gres"] == f"gpu:{gpu}:8"
        template = inputs(graph, f"fleet-template{name}")
        assert template["instanceType"] == kind
        assert len(template["networkInterfaces"]) == interfaces
        assert f"fleet-placement{name}" in template["placement"]["groupName"]
    queues = {
        entry["name"].removeprefix("scheduler-queue-"): _of_group(graph, entry)
        for entry in graph["resources"]
        if entry["name"].startswith("scheduler-queue-")
    }
    assert queues == {
        f"{queue.name}{suffix}": [f"fleet-group{suffix}"] for queue in QUEUES for suffix in ("", "-p5-48xlarge")
    }
    settings = json.loads(inputs(graph, "scheduler-settings")["content"])
    assert settings["usd_per_node_hour"] == {"p4d-24xlarge": P4D_USD, "p5-48xlarge": USD_PER_NODE_HOUR}
    assert [str(found) for found in lint(parse(json.dumps(graph)))] == []
    assert sum(one["usd_per_hour"] for one in graph["resources"]) == pytest.approx(sum(spec.usd_per_hour.values()))
    assert named(graph, "fleet-group-p5-48xlarge")["bill_lines"] == ["fleet.compute-on-demand-p5.48xlarge", "fleet.ebs"]


def _of_group(graph: dict[str, Any], queue: dict[str, Any]) -> list[str]:
    taken = json.loads(queue["inputs"]["desiredState"])["ComputeNodeGroupConfigurations"]
    groups = ("fleet-group", "fleet-group-p5-48xlarge")
    return [name for one in taken for name in groups if _of(graph, name) == one["ComputeNodeGroupId"]]


def test_the_drives_of_the_first_type_are_the_pool_and_the_others_are_its_clients():
    graph = graph_of(mixed_spec("converged"))
    told = {}
    for name in ("fleet-template", "fleet-template-p5-48xlarge"):
        text = base64.b64decode(inputs(graph, name)["userData"]).decode()
        told[name] = str(list(email.message_from_string(text).walk())[1].get_payload())
    assert "PLANNER_CLIENT" not in told["fleet-template"]
    assert "PLANNER_CLIENT='yes'" in told["fleet-template-p5-48xlarge"]
    assert "efa=32" in told["fleet-template-p5-48xlarge"]
    assert f"{health.PRICE}='98.0000'" in told["fleet-template-p5-48xlarge"]
    # without a pool there is nobody to be the client of
    assert "PLANNER_CLIENT='" not in json.dumps(graph_of(mixed_spec("fsx-lustre")))
    addresses = addresses_of(mixed_spec()).needed - addresses_of(replace(mixed_spec(), scheduler=SCHEDULER)).needed
    assert 2 <= addresses <= 3, "two p5, and the spare tenth"


@pytest.mark.parametrize(("layout", "first"), [("s3-stream", 0), ("converged", 4)])
def test_released_nodes_are_launched_for_jobs_and_those_of_the_pool_stand(layout: str, first: int):
    graph = graph_of(mixed_spec(layout, release=True))
    assert state(graph, "fleet-group")["ScalingConfiguration"] == {"MinInstanceCount": first, "MaxInstanceCount": 4}
    other = state(graph, "fleet-group-p5-48xlarge")
    assert other["ScalingConfiguration"] == {"MinInstanceCount": 0, "MaxInstanceCount": 2}
    # of nodes that wait for a job nobody says that they are out, or idle for dollars
    out = json.loads(inputs(graph, "scheduler-settings")["content"])["as_jobs_need"]
    assert out == [*([] if first else ["p4d-24xlarge"]), "p5-48xlarge"]
    idle = [line for line in inputs(graph, "guard-dashboard")["dashboardBody"].split('"') if " * (1 - use" in line]
    assert idle == (["4 * 21.9576 * (1 - use0 / 100)"] if first else [])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kinds": ("p4d.24xlarge",)}, "p4d.24xlarge is there twice"),
        ({"kinds": ("p5.48xlarge", "p5e.48xlarge", "p5en.48xlarge")}, "AWS PCS has 10 in a cluster"),
        ({"kinds": ("g6e.48xlarge", "g6.xlarge")}, "other numbers or makers of GPUs"),
        ({"buying": "spot"}, "several instance types, bought as 'spot'"),
        ({"ami": "ami-?"}, "is not an image id"),
        ({"nodes": 0}, "a fleet of 0 nodes"),
    ],
)
def test_types_that_cannot_stand_together_are_refused(change: dict[str, Any], said: str):
    spec = mixed_spec()
    assert spec.scheduler
    nodes = [fleet_of(name, change.get("nodes", 2)) for name in change.get("kinds", ("p5.48xlarge",))]
    nodes = [replace(one, ami=change.get("ami", one.ami)) for one in nodes]
    others = tuple(OtherType(fleet=one, gres="h100", usd_per_node_hour=98.0) for one in nodes)
    buying = BUYING[change.get("buying", "on-demand")]
    wrong = replace(spec, scheduler=replace(spec.scheduler, others=others), buying=buying)
    assert said in "; ".join(found.message for found in findings_of(wrong))
