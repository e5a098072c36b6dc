"""What each component says to AWS, where a mistake costs money or data."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

import pytest
from fleet_pool import settings
from fleet_pool.node import gpu_use, watch
from fleet_pool.node.requests import CERTIFICATE, LEAVE

from infra import compose
from infra.dashboard import body
from infra.layouts import allowed_flows
from infra.node.built import DAEMON_SHA256
from planner.errors import UsageProblem
from planner.stack.spec import LAYOUTS, Data, Lustre, Pool
from tests.infra.specs import GANGS, fleet_of, graph_of, inputs, named, names, spec_of
from tests.stack.test_choose import chosen


def statements(graph: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return json.loads(inputs(graph, name)["policy"])["Statement"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_data_and_its_key_are_kept_and_nothing_else_is(layout):
    graph = graph_of(layout)
    protected = {entry["name"] for entry in graph["resources"] if entry["protect"]}
    kept = {entry["name"] for entry in graph["resources"] if entry["retain_on_delete"]}
    # what is protected alone is deleted on purpose, never on the way to another layout or another size
    assert protected - kept == {"lustre-file-system"} & names(graph)
    assert kept <= protected
    assert {"tier-bucket", "tier-key", "tier-bucket-policy", "tier-bucket-encryption"} <= kept
    assert all(name.startswith("tier-") for name in kept)
    assert inputs(graph, "tier-bucket")["forceDestroy"] is False
    assert inputs(graph, "artefacts-bucket")["forceDestroy"] is True


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("bucket", ["tier-bucket", "artefacts-bucket"])
def test_buckets_are_private_encrypted_versioned_and_tls_only(layout, bucket):
    graph = graph_of(layout)
    access = inputs(graph, f"{bucket}-private")
    assert all(access[key] for key in access if key != "bucket")
    rule = inputs(graph, f"{bucket}-encryption")["rules"][0]
    assert rule["bucketKeyEnabled"] is True
    assert rule["applyServerSideEncryptionByDefault"]["sseAlgorithm"] == "aws:kms"
    assert inputs(graph, f"{bucket}-versions")["versioningConfiguration"] == {"status": "Enabled"}
    (tls,) = statements(graph, f"{bucket}-policy")
    assert (tls["Effect"], tls["Condition"]) == ("Deny", {"Bool": {"aws:SecureTransport": "false"}})
    housekeeping = inputs(graph, f"{bucket}-lifecycle")["rules"][0]
    assert housekeeping["abortIncompleteMultipartUpload"] == {"daysAfterInitiation": 7}
    assert housekeeping["noncurrentVersionExpiration"] == {"noncurrentDays": 7}


@pytest.mark.parametrize(("kind", "days"), [("INTELLIGENT_TIERING", 0), ("GLACIER_IR", 0), ("STANDARD_IA", 30)])
def test_what_training_does_not_read_goes_to_its_class(kind, days):
    graph = graph_of(spec_of("s3-stream", data=Data(beside_hot_class=kind, kept_prefix="raw/")))
    rule = inputs(graph, "tier-bucket-lifecycle")["rules"][1]
    assert rule["filter"] == {"prefix": "raw/"}
    assert rule["transitions"] == [{"days": days, "storageClass": kind}]
    assert len(inputs(graph_of("s3-stream"), "tier-bucket-lifecycle")["rules"]) == 1


@pytest.mark.parametrize("layout", ["converged", "fsx-lustre", "separate-nvme", "s3-stream"])
def test_intelligent_tiering_that_a_plan_names_is_a_rule_for_what_training_does_not_read_alone(layout):
    spec, _ = chosen(
        f"{layout}/p4d.24xlarge/on-demand", data={"kept_in_s3": "9TB", "kept_class": "INTELLIGENT_TIERING"}
    )
    housekeeping, down = inputs(graph_of(spec), "tier-bucket-lifecycle")["rules"]
    assert "transitions" not in housekeeping
    assert (down["status"], down["transitions"]) == ("Enabled", [{"days": 0, "storageClass": "INTELLIGENT_TIERING"}])
    assert down["filter"] == {"prefix": "kept/"}
    for hot in (spec.data.dataset_prefix, spec.data.checkpoint_prefix):
        assert not hot.startswith("kept/")
    lines = {*spec.usd_per_hour, *spec.metered}
    assert "storage.s3.standard" in lines, "the hot data are billed as they lie"
    assert {"storage.s3.intelligent-tiering.frequent", "storage.s3.intelligent-tiering.monitoring"} <= lines


@pytest.mark.parametrize(("layout", "role"), [("converged", "fleet"), ("converged", "pool"), ("separate-nvme", "nvme")])
def test_nodes_reach_their_prefixes_and_no_wildcard(layout, role):
    found = statements(graph_of(layout), f"{role}-role-data")
    for statement in found:
        resources, actions = statement["Resource"], statement["Action"]
        for resource in [resources] if isinstance(resources, str) else resources:
            # DescribeInstances, PutMetricData and DescribeAutoScalingGroups know no resources
            assert resource not in ("*", "arn:aws:s3:::*") or statement["Sid"] in ("KnowNodes", "Metrics", "Members")
        for action in [actions] if isinstance(actions, str) else actions:
            assert "*" not in action
            assert action not in ("s3:DeleteObjectVersion", "s3:PutBucketPolicy")
    writes = next(statement for statement in found if statement["Sid"] == "Write")
    jobs = ["launch/*", "launch-logs/*", "health/*"] if role == "fleet" else []
    written = [resource.partition("arn}/")[2] for resource in writes["Resource"]]
    assert written == ["checkpoints/*", "boot-logs/*", ".planner-canary/*", *jobs]


def test_a_node_completes_the_hooks_of_its_own_group_only():
    found = statements(graph_of("converged"), "fleet-role-data")
    hook = next(statement for statement in found if statement["Sid"] == "Lifecycle")
    assert hook["Resource"] == (
        "arn:aws:autoscaling:us-east-1:000000000000:autoScalingGroup:*:autoScalingGroupName/planner-dev-fleet-group"
    )
    assert inputs(graph_of("converged"), "fleet-group")["name"] == "planner-dev-fleet-group"


def test_a_gpu_node_says_that_it_is_sick_and_a_storage_node_does_not():
    graph = graph_of("separate-nvme")
    for role, may in (("fleet", True), ("nvme", False)):
        assert ("autoscaling:SetInstanceHealth" in by_sid(graph, f"{role}-role-data")["Lifecycle"]["Action"]) is may


def test_a_gpu_node_knows_what_an_hour_of_it_costs():
    spec = replace(spec_of("s3-stream"), usd_per_hour={"fleet.compute": 8 * 55.04})
    settings = compose._price(replace(spec, fleet=replace(spec.fleet, nodes=8)))
    assert settings == {"PLANNER_HOURLY": "55.0400"}
    assert compose._price(replace(spec, usd_per_hour={})) == {}, "a block that was paid in advance"


NODES = ["Nodes missing", "Failing checks of the worst node (none: no line)"]
POOL = ["Pool targets", "Pool problems", "Used space of the pool, percent"]


@pytest.mark.parametrize("layout", GANGS)
def test_the_dashboard_has_what_the_stack_has(layout):
    spec = spec_of(layout)
    graph = graph_of(layout)
    assert inputs(graph, "guard-dashboard")["dashboardName"] == "planner-dev-guard-dashboard"
    widgets = json.loads(inputs(graph, "guard-dashboard")["dashboardBody"])["widgets"]
    titles = [widget["properties"].get("title") for widget in widgets]
    rest = {"fsx-lustre": ["Free space of the file system, percent"], "s3-stream": []}.get(layout, POOL)
    assert titles == [None, "Alarms", "Idle GPUs, USD an hour", "GPU use, percent", *NODES, *rest]
    assert len({(widget["x"], widget["y"]) for widget in widgets}) == len(widgets)
    assert "$100,000" in widgets[0]["properties"]["markdown"]
    assert len(widgets[1]["properties"]["alarms"]) == 8
    idle = widgets[2]["properties"]["metrics"][-1][0]["expression"]
    # eight nodes that are half idle cost half of the fleet
    half = eval(idle, {"nodes0": spec.fleet.nodes, "use0": 50})
    assert half == pytest.approx(spec.usd_per_hour["fleet.compute"] / 2)
    missing = json.dumps(widgets[4])
    assert ("nvme-group.name}" in missing) is (layout == "separate-nvme")
    for widget in widgets[2:]:
        metrics = widget["properties"]["metrics"]
        ids = [metric[-1]["id"] for metric in metrics if "id" in metric[-1]]
        assert len(set(ids)) == len(ids)
        used = {word for m in metrics for word in re.findall(r"[a-z]+\d*", str(m[-1].get("expression", "")))}
        assert used <= set(ids), "every name of an expression is a metric beside it"


def test_the_dashboard_of_a_cpu_fleet_without_a_price_has_no_dollars():
    plain = spec_of("s3-stream")
    found = {"groups": ["g"], "storage_groups": [], "file_system": "", "alarms": []}
    free = body(replace(plain, usd_per_hour={}), found)
    assert [w["properties"].get("title") for w in free["widgets"]] == [None, "GPU use, percent", *NODES]
    cpu = body(replace(plain, fleet=replace(plain.fleet, gpus=0)), found)
    assert [w["properties"].get("title") for w in cpu["widgets"]] == [None, *NODES]


def test_the_alarm_on_idle_nodes_watches_what_the_nodes_publish_and_may_publish():
    graph = graph_of("converged")
    alarm = inputs(graph, "guard-alarm-fleet-idle")
    assert (alarm["namespace"], alarm["metricName"]) == (gpu_use.NAMESPACE, gpu_use.METRIC)
    assert [*alarm["dimensions"]] == [gpu_use.DIMENSION]
    assert alarm["period"] >= 60 * gpu_use.EVERY_MIN
    for role in ("fleet", "pool"):
        assert by_sid(graph, f"{role}-role-data")["Metrics"]["Condition"] == {
            "StringEquals": {"cloudwatch:namespace": gpu_use.NAMESPACE}
        }
    plain = spec_of("s3-stream")
    without = graph_of(replace(plain, fleet=replace(plain.fleet, gpus=0)))
    assert inputs(without, "guard-alarm-fleet-idle")["metricName"] == "CPUUtilization"


@pytest.mark.parametrize("layout", GANGS)
def test_alarms_on_problems_watch_what_nodes_publish(layout):
    graph = graph_of(layout)
    prefix = "guard-alarm-"
    found = {name.removeprefix(prefix): inputs(graph, name) for name in names(graph) if name.startswith(prefix)}
    group = {gpu_use.DIMENSION: inputs(graph, "guard-alarm-fleet-idle")["dimensions"][gpu_use.DIMENSION]}
    fleet = found["fleet-problems"]
    assert (fleet["namespace"], fleet["metricName"], fleet["dimensions"]) == ("Planner", watch.NODE_PROBLEMS, group)
    assert fleet["treatMissingData"] == "notBreaching", "a node that is right publishes nothing"
    pooled = layout in ("converged", "separate-nvme")
    assert ("pool-problems" in found, "pool-space" in found) == (pooled, pooled)
    assert ("storage-problems" in found) is (layout == "separate-nvme")
    if pooled:
        pool = found["pool-problems"]
        assert (pool["metricName"], pool["dimensions"]) == (watch.POOL_PROBLEMS, {watch.STACK: "dev"})
        assert pool["treatMissingData"] == "breaching", "control nodes that tell nothing are a problem"
        assert settings.HIGH_WATERMARK_PERCENT < found["pool-space"]["threshold"] < settings.OUT_OF_SPACE_PERCENT
    if layout == "fsx-lustre":
        assert found["lustre-export"]["dimensions"]["Publisher"] == "AutoExport"


@pytest.mark.parametrize("layout", GANGS)
def test_a_node_counts_in_service_only_once_it_says_so(layout):
    graph = graph_of(layout)
    for role in ("fleet", "nvme") if layout == "separate-nvme" else ("fleet",):
        group, hook = inputs(graph, f"{role}-group"), inputs(graph, f"{role}-launch")
        shared = {key: hook[key] for key in ("name", "lifecycleTransition", "heartbeatTimeout", "defaultResult")}
        assert group["initialLifecycleHooks"] == [shared], (
            "the first nodes start before the hook's own resource is made"
        )
        assert (shared["name"], shared["defaultResult"]) == ("launch", "ABANDON")
        assert shared["lifecycleTransition"] == "autoscaling:EC2_INSTANCE_LAUNCHING"
        assert group["waitForCapacityTimeout"] == "0", "`pulumi up` does not wait for nodes that wait"
        drain = inputs(graph, f"{role}-drain")
        assert (drain["lifecycleTransition"], drain["defaultResult"]) == (
            "autoscaling:EC2_INSTANCE_TERMINATING",
            "CONTINUE",
        )


def test_a_node_that_was_given_up_is_named_with_its_boot_log():
    graph = graph_of("separate-nvme")
    pattern = json.loads(inputs(graph, "guard-not-ready")["eventPattern"])
    assert [urn.rpartition("::")[2] for urn in pattern["detail"]["AutoScalingGroupName"]] == [
        "fleet-group.name}",
        "nvme-group.name}",
    ]
    assert pattern["detail"]["StatusMessage"] == [{"wildcard": "*Lifecycle Action*"}]
    target = inputs(graph, "guard-not-ready-notice")
    assert target["arn"].endswith("guard-topic.arn}")
    sent = target["inputTransformer"]
    assert re.findall(r"<(\w+)>", sent["inputTemplate"]) == ["instance", "group", "instance", "why"]
    assert {"instance", "group", "why"} == set(sent["inputPaths"])
    assert "tier-bucket.id}/boot-logs/<instance>/boot.log" in sent["inputTemplate"]
    assert json.loads(sent["inputTemplate"]).startswith("Node <instance> of <group> did not become ready")
    notices, events = statements(graph, "guard-topic-policy")
    assert "events.amazonaws.com" not in notices["Principal"]["Service"]
    assert (events["Principal"], "Condition" in events) == ({"Service": "events.amazonaws.com"}, False)


@pytest.mark.parametrize("layout", GANGS)
def test_metadata_by_token_volumes_encrypted_no_public_address(layout):
    graph = graph_of(layout)
    for name in ("fleet-template", "nvme-template"):
        if name not in names(graph):
            continue
        template = inputs(graph, name)
        assert template["metadataOptions"]["httpTokens"] == "required"
        assert template["blockDeviceMappings"][0]["ebs"]["encrypted"] == "true"
        assert "vpcSecurityGroupIds" not in template
        one = len(template["networkInterfaces"]) == 1
        for nic in template["networkInterfaces"]:
            assert nic.get("associatePublicIpAddress") == ("false" if one else None)
            assert len(nic["securityGroups"]) == 1
    for name in names(graph):
        if name.startswith("pool-node-"):
            node = inputs(graph, name)
            assert node["metadataOptions"]["httpTokens"] == "required"
            assert node["rootBlockDevice"]["encrypted"] is True
        if name.startswith("network-subnet-"):
            assert inputs(graph, name)["mapPublicIpOnLaunch"] is False


def test_control_nodes_have_the_addresses_that_everybody_is_told():
    graph = graph_of("converged")
    fixed = [inputs(graph, f"pool-address-{number}")["privateIps"][0] for number in range(3)]
    told = base64.b64decode(inputs(graph, "fleet-template")["userData"]).decode()
    assert f"export PLANNER_PROXIES='{' '.join(fixed)}'" in told
    assert inputs(graph, "pool-node-1")["primaryNetworkInterface"]["networkInterfaceId"].endswith("pool-address-1.id}")


def test_the_fleet_waits_for_its_bundle_and_for_what_serves_it():
    for layout, served in (
        ("converged", "pool-node-2"),
        ("fsx-lustre", "lustre-link-dataset"),
        ("separate-nvme", "nvme-group"),
    ):
        graph = graph_of(layout)
        waits = {urn.rpartition("::")[2] for urn in named(graph, "fleet-group")["depends_on"]}
        assert {served, "artefacts-object-start", "artefacts-object-stack", "fleet-role-data"} <= waits


@pytest.mark.parametrize("layout", GANGS)
def test_efa_s_group_is_open_to_itself_both_ways_and_to_the_world_by_https_alone(layout):
    flows = allowed_flows(spec_of(layout))
    own = [flow for flow in flows if flow.source == flow.target == "fleet"]
    assert [flow.ports for flow in own] == [(("-1", None, None),)]
    assert {flow.ports for flow in flows if flow.target == "anywhere"} == {(("tcp", 443, 443),)}
    graph = graph_of(layout)
    for entry in graph["resources"]:
        if entry["type"].endswith("SecurityGroupIngressRule"):
            assert entry["inputs"].get("cidrIpv4") in (None, "10.0.0.0/16")


def test_efa_on_lustre_joins_the_clients_group_and_its_own_to_itself():
    lustre = Lustre(deployment="PERSISTENT_2", capacity_gib=38_400, mbps_per_tib=125, metadata_iops=24_000, efa=True)
    graph = graph_of(spec_of("fsx-lustre", lustre=lustre))
    system = inputs(graph, "lustre-file-system")
    assert system["efaEnabled"] is True
    assert system["fileSystemTypeVersion"] == "2.15"
    assert system["metadataConfiguration"] == {"iops": 24_000, "mode": "USER_PROVISIONED"}
    assert [group.rpartition("::")[2] for group in system["securityGroupIds"]] == [
        "firewall-lustre.id}",
        "firewall-fleet.id}",
    ]
    for rule in ("firewall-in-lustre-to-lustre", "firewall-out-lustre-to-lustre"):
        assert inputs(graph, rule)["ipProtocol"] == "-1"


def test_a_file_system_is_linked_to_the_bucket_and_exports_checkpoints():
    graph = graph_of("fsx-lustre")
    data, checkpoints = inputs(graph, "lustre-link-dataset"), inputs(graph, "lustre-link-checkpoints")
    assert data["dataRepositoryPath"].endswith("tier-bucket.id}/dataset/")
    assert "autoExportPolicy" not in data["s3"]
    assert checkpoints["s3"]["autoExportPolicy"]["events"] == ["NEW", "CHANGED", "DELETED"]
    assert inputs(graph, "lustre-file-system")["metadataConfiguration"] == {"mode": "AUTOMATIC"}


def test_other_deployment_types_take_no_association():
    tiering = Lustre(deployment="INTELLIGENT_TIERING", capacity_gib=100_000, mbps_per_tib=0, throughput_mbps=8000)
    graph = graph_of(spec_of("fsx-lustre", lustre=tiering))
    system = inputs(graph, "lustre-file-system")
    assert (system["storageType"], system["throughputCapacity"]) == ("INTELLIGENT_TIERING", 8000)
    assert not {"storageCapacity", "perUnitStorageThroughput"} & set(system)
    scratch = graph_of(spec_of("fsx-lustre", lustre=replace(tiering, deployment="SCRATCH_2", mbps_per_tib=200)))
    assert "perUnitStorageThroughput" not in inputs(scratch, "lustre-file-system")
    assert not [name for name in names(graph) | names(scratch) if name.startswith("lustre-link")]


def test_the_budget_is_the_forecast_and_its_action_forbids_buying():
    graph = graph_of("converged")
    budget = inputs(graph, "guard-budget")
    assert (budget["limitAmount"], budget["timeUnit"]) == ("100000.00", "ANNUALLY")
    assert budget["costFilters"] == [{"name": "TagKeyValue", "values": ["user:planner:stack$dev"]}]
    assert {(n["notificationType"], n["threshold"]) for n in budget["notifications"]} == {
        ("ACTUAL", 50),
        ("ACTUAL", 80),
        ("ACTUAL", 100),
        ("FORECASTED", 100),
    }
    assert inputs(graph, "guard-action")["approvalModel"] == "AUTOMATIC"


@pytest.mark.parametrize("layout", GANGS)
@pytest.mark.parametrize("count", [1, 6])
def test_as_many_alarms_as_are_paid_for(layout, count):
    spec = spec_of(layout)
    graph = graph_of(replace(spec, guard=replace(spec.guard, alarms=count)))
    alarms = [entry["inputs"] for entry in graph["resources"] if entry["type"].endswith("MetricAlarm")]
    assert len(alarms) == count
    assert all(alarm["alarmActions"][0].endswith("guard-topic.arn}") for alarm in alarms)


def test_s3_is_reached_by_the_gateway_endpoint_unless_the_plan_says_otherwise():
    endpoint = inputs(graph_of("s3-stream"), "network-gateway-s3")
    assert endpoint["vpcEndpointType"] == "Gateway"
    assert endpoint["routeTableIds"][0].endswith("network-routes-private.id}")
    without = graph_of(spec_of("s3-stream", gateway_endpoint=False))
    assert "network-gateway-s3" not in names(without)
    assert "guard-alarm-nat-bytes" not in names(without)


def test_control_nodes_take_the_fleet_s_image_where_they_have_none():
    spec = spec_of("separate-nvme")
    graph = graph_of(replace(spec, control=replace(spec.control, ami="")))
    assert inputs(graph, "pool-node-0")["ami"] == spec.fleet.ami
    assert inputs(graph, "nvme-template")["imageId"] == spec.fleet.ami
    assert inputs(graph, "nvme-template")["blockDeviceMappings"][0]["deviceName"] == "/dev/sda1"
    assert inputs(graph_of(spec), "nvme-template")["blockDeviceMappings"][0]["deviceName"] == "/dev/xvda"


@pytest.mark.parametrize(("layout", "part"), [("fsx-lustre", "lustre"), ("separate-nvme", "nvme")])
def test_a_layout_without_its_part_is_refused(layout, part):
    with pytest.raises(UsageProblem, match=f"layout {layout} needs"):
        graph_of(replace(spec_of(layout), **{part: None}))
    with pytest.raises(UsageProblem, match="layout s3-stream takes no"):
        graph_of(replace(spec_of("s3-stream"), **{part: getattr(spec_of(layout), part)}))


def test_more_addresses_than_a_subnet_has_are_refused():
    with pytest.raises(UsageProblem, match="use the ip-saving profile"):
        graph_of(spec_of("s3-stream", fleet=fleet_of("p5.48xlarge", 1024, "efa-every-card")))


def bundle_sha256(graph: dict[str, Any]) -> str:
    """The bundle that a fleet's template names, which is the one that lies in the bucket."""
    told = base64.b64decode(inputs(graph, "fleet-template")["userData"]).decode()
    sha256 = told.partition("export PLANNER_BUNDLE='")[2].partition("'")[0]
    assert inputs(graph, "artefacts-object-start")["key"] == f"bundles/{sha256}/start.sh"
    return sha256


def test_a_changed_setting_is_another_bundle_in_the_template_and_changed_prices_are_not():
    spec = spec_of()
    kept = bundle_sha256(graph_of(spec))
    assert bundle_sha256(graph_of(replace(spec, usd_per_hour={**spec.usd_per_hour, "fleet.compute": 1.0}))) == kept
    for other in (Pool(low_watermark_percent=60), Pool(tls=False)):
        assert bundle_sha256(graph_of(replace(spec, pool=other))) != kept


def test_built_files_are_named_by_their_hash_and_shown_without_a_path():
    graph = graph_of("converged")
    daemon = inputs(graph, "artefacts-object-aisnode")
    assert daemon["key"] == f"daemons/{DAEMON_SHA256}/aisnode"
    assert daemon["sourceHash"] == DAEMON_SHA256
    assert daemon["source"] == f"aisnode with SHA-256 {DAEMON_SHA256}, built by `make bundle`"
    assert "artefacts-object-aisnode" not in names(graph_of("s3-stream")) | names(graph_of("fsx-lustre"))


def test_control_nodes_are_replaced_by_another_bundle_one_after_the_other():
    graph = graph_of("converged")
    assert all(inputs(graph, f"pool-node-{number}")["userDataReplaceOnChange"] is True for number in range(3))
    before = {urn.rpartition("::")[2] for urn in named(graph, "pool-node-1")["depends_on"]}
    assert "pool-node-0" in before
    assert "pool-node-2" not in before


def folders(graph: dict[str, Any], role: str) -> set[str]:
    """What of the artefact bucket a role reads."""
    return {where.rpartition("}/")[2] for where in by_sid(graph, role)["Bundle"]["Resource"]}


def by_sid(graph: dict[str, Any], role: str) -> dict[str, dict[str, Any]]:
    return {statement["Sid"]: statement for statement in statements(graph, role)}


def test_only_who_runs_a_daemon_reads_it_and_only_control_nodes_write_the_authority():
    graph = graph_of("separate-nvme")
    assert folders(graph, "pool-role-data") == {"bundles/*", "daemons/*", "authority/*", "control/*"}
    assert folders(graph, "nvme-role-data") == {"bundles/*", "daemons/*", "authority/*"}
    assert folders(graph, "fleet-role-data") == {"bundles/*", "authority/*"}
    assert folders(graph_of("s3-stream"), "fleet-role-data") == {"bundles/*"}
    kept = by_sid(graph, "pool-role-data")["KeepTheAuthority"]["Resource"]
    assert [where.rpartition("}/")[2] for where in kept] == ["authority/*", "control/*", "issued/*"]
    assert "KeepTheAuthority" not in by_sid(graph, "nvme-role-data").keys() | by_sid(graph, "fleet-role-data").keys()
    plain = graph_of(spec_of("separate-nvme", pool=Pool(tls=False)))
    assert "authority" not in json.dumps([statements(plain, f"{part}-role-data") for part in ("pool", "nvme", "fleet")])


def allows(graph: dict[str, Any], role: str, action: str, resource: str, user: str, prefix: str = "") -> bool:
    """As IAM decides about one call: its variable is the caller's, and what is not allowed is denied."""
    for statement in statements(graph, role):
        actions, resources = ([x] if isinstance(x, str) else x for x in (statement["Action"], statement["Resource"]))
        prefixes = statement.get("Condition", {}).get("StringLike", {}).get("s3:prefix", ["*"])
        patterns = [one.replace("${aws:userid}", user) for one in resources]
        if (
            statement["Effect"] == "Allow"
            and action in actions
            and any(fnmatchcase(resource, pattern.rpartition("}/")[2]) for pattern in patterns if "}/" in pattern)
            | (action == "s3:ListBucket" and any("artefacts" in one for one in patterns))
            and any(fnmatchcase(prefix, one.replace("${aws:userid}", user)) for one in prefixes)
        ):
            return True
    return False


@pytest.mark.parametrize("role", ["fleet", "nvme"])
def test_a_node_asks_control_nodes_in_its_own_name_alone(role):
    graph, me, other = graph_of("separate-nvme"), "AROAEXAMPLE:i-0aaaaaaaaaaaaaaaa", "AROAEXAMPLE:i-0bbbbbbbbbbbbbbbb"

    def may(action: str, resource: str, prefix: str = "") -> bool:
        return allows(graph, f"{role}-role-data", action, resource, me, prefix)

    for kind in (CERTIFICATE, LEAVE):
        assert may("s3:PutObject", f"join/{me}/{kind}")
        assert not may("s3:PutObject", f"join/{other}/{kind}")
        assert not may("s3:PutObject", f"issued/{me}/{kind}"), "an answer is what a control node wrote"
        assert not may("s3:DeleteObject", f"join/{me}/{kind}")
        assert allows(graph, "pool-role-data", "s3:PutObject", f"issued/{me}/{kind}", "AROACONTROL:i-0c")
        for action in ("s3:GetObject", "s3:DeleteObject"):
            assert allows(graph, "pool-role-data", action, f"join/{me}/{kind}", "AROACONTROL:i-0c")
    assert not may("s3:PutObject", f"join/{me}/anything")
    assert may("s3:GetObject", f"issued/{me}/certificate")
    assert not may("s3:GetObject", f"issued/{other}/certificate")
    assert may("s3:ListBucket", "", f"issued/{me}/certificate")
    assert not may("s3:ListBucket", "", "join/")
    for secret in ("control/authority.key", "control/admin.token", "control/token.key"):
        assert not may("s3:GetObject", secret)
        assert not may("s3:PutObject", secret)
        assert allows(graph, "pool-role-data", "s3:GetObject", secret, "AROACONTROL:i-0c")
    for public in ("authority/authority.crt", "authority/job.token", "authority/token.pub"):
        assert may("s3:GetObject", public)
        assert not may("s3:PutObject", public)
    assert not by_sid(graph_of("s3-stream"), "fleet-role-data").keys() & {"AskControlNodes", "ReadAnswers"}


@pytest.mark.parametrize("layout", GANGS)
def test_jobs_have_the_data_and_nothing_of_their_node(layout):
    graph = graph_of(spec_of(layout, extra_buckets=("others",)))
    found = by_sid(graph, "fleet-job-role-data")
    assert found.keys() == {
        *("FindTheBucket", "List", "Read", "Key", "Write", "ListOthers", "ReadOthers", "Topology")
    }, "no bundle, no authority, no requests, no metrics, no lifecycle"
    assert "artefacts" not in json.dumps(list(found.values()))
    canary = [".planner-canary/*"] if layout == "converged" else []
    written = [resource.partition("arn}/")[2] for resource in found["Write"]["Resource"]]
    assert written == ["checkpoints/*", *canary, "launch/*", "launch-logs/*", "health/passes/*"]
    role = inputs(graph, "fleet-job-role")
    [trust] = json.loads(role["assumeRolePolicy"])["Statement"]
    assert trust["Action"] == "sts:AssumeRole"
    assert trust["Principal"]["AWS"].endswith("fleet-role.arn}")
    # the node may assume exactly this one, and tells its service which
    arn = f"arn:aws:iam::000000000000:role/{role['name']}"
    assert by_sid(graph, "fleet-role-data")["KeysForJobs"]["Resource"] == arn
    assert f"export PLANNER_JOBS='{arn}'" in base64.b64decode(inputs(graph, "fleet-template")["userData"]).decode()
    for other in ("pool", "nvme"):
        if f"{other}-role" in names(graph):
            assert "KeysForJobs" not in by_sid(graph, f"{other}-role-data")


def test_the_canary_may_write_where_it_writes():
    graph = graph_of("separate-nvme")
    for role, may in (("pool", True), ("nvme", True), ("fleet", False)):
        written = by_sid(graph, f"{role}-role-data")["Write"]["Resource"]
        assert any(where.endswith("/.planner-canary/*") for where in written) is may, role


def test_a_target_may_ask_for_the_bucket_itself_and_a_client_only_below_its_prefixes():
    graph = graph_of("separate-nvme")
    assert "Condition" not in by_sid(graph, "nvme-role-data")["List"]
    assert by_sid(graph, "fleet-role-data")["List"]["Condition"] == {
        "StringLike": {
            "s3:prefix": ["dataset/*", "checkpoints/*", "boot-logs/*", "launch/*", "launch-logs/*", "health/*"]
        }
    }
    assert "Condition" not in by_sid(graph_of("converged"), "fleet-role-data")["List"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_way_out_stands_before_the_first_node_and_goes_after_the_last(layout):
    """Without it a node boots without its bundle, and at the end cannot save its last checkpoint."""
    resources = {entry["urn"]: entry for entry in graph_of(layout)["resources"]}
    by_name = {entry["name"]: entry for entry in resources.values()}
    way_out = {name for name in by_name if name.startswith(("network-route", "network-gateway", "network-endpoint"))}
    way_out |= {"network-nat", "network-nat-address", "network-internet-gateway"}
    for node in {"fleet-group", "nvme-group", "pool-node-0"} & by_name.keys():
        before, left = set(), [by_name[node]["urn"]]
        while left:
            urn = left.pop()
            if urn not in before:
                before.add(urn)
                left += resources[urn]["depends_on"]
        assert way_out <= {resources[urn]["name"] for urn in before}, node
