"""Mistakes about groups: sizes, templates, zones, placement, hooks."""

from __future__ import annotations

from tests.lint.graphs import Document, drop, find
from tests.lint.mistakes.edits import OURS, Mistake, add, asg, cut, lt, nodes_subnet, of, put


def spread(document: Document) -> None:
    """A second subnet, in another zone."""
    old = nodes_subnet(document)
    zones = {key: "us-east-1z" for key in ("availabilityZone", "availabilityZoneId") if key in old}
    if "availabilityZone" in zones:
        zones["availabilityZone"] = "us-west-2z"
    cidr = old["cidrBlock"].rsplit(".", 2)[0] + ".254.0/24"
    add(document, "aws:ec2/subnet:Subnet", "second", {**old, **zones, "cidrBlock": cidr})
    asg(document)["vpcZoneIdentifiers"] = [*asg(document)["vpcZoneIdentifiers"], "added::second"]


def unplaced(document: Document) -> None:
    """A preview's placeholder for the zone, and a second subnet without a zone: AWS picks its zone."""
    put(nodes_subnet, "availabilityZoneId", "PLACEHOLDER-zone-id")(document)
    old = dict(nodes_subnet(document))
    del old["availabilityZoneId"]
    add(document, "aws:ec2/subnet:Subnet", "second", {**old, "cidrBlock": "10.0.254.0/24"})
    asg(document)["vpcZoneIdentifiers"] = [*asg(document)["vpcZoneIdentifiers"], "added::second"]


def placeholder_spread(document: Document) -> None:
    spread(document)
    put(nodes_subnet, "availabilityZoneId", "PLACEHOLDER-zone-id")(document)


def hook(document: Document) -> Document:
    return find(document, "LifecycleHook", "fleet-drain")["inputs"]


def silent_in(document: Document) -> None:
    """As the group is made with it, and as the hook is then."""
    for resource in document["resources"]:
        hooks = [resource["inputs"], *(resource["inputs"].get("initialLifecycleHooks") or [])]
        for held in hooks:
            if held.get("lifecycleTransition") == "autoscaling:EC2_INSTANCE_LAUNCHING":
                held["defaultResult"] = "CONTINUE"


def without_hooks(document: Document) -> None:
    """Of the GPU nodes."""
    drop(document, *(find(document, "LifecycleHook", f"fleet-{name}") for name in ("launch", "drain")))
    del asg(document)["initialLifecycleHooks"]


MISTAKES = (
    Mistake("min above max", "ASG-SIZE", put(asg, "minSize", 4096)),
    Mistake("desired above max", "ASG-SIZE", put(asg, "desiredCapacity", 4096), also=("SUBNET-SMALL",)),
    Mistake(
        "template and mix",
        "ASG-TEMPLATE",
        put(asg, "mixedInstancesPolicy", {"launchTemplate": {}}),
        also=("INPUT-MISSING",),
    ),
    Mistake("no template", "ASG-TEMPLATE", cut(asg, "launchTemplate"), also=()),
    Mistake("latest version", "ASG-VERSION", lambda d: asg(d)["launchTemplate"].update(version="$Latest")),
    Mistake("two zones", "ASG-ZONE", spread, also=("SUBNET-UNROUTED", "SUBNET-SMALL")),
    Mistake(
        "two zones, one still a placeholder",
        "ASG-ZONE",
        placeholder_spread,
        also=("SUBNET-UNROUTED", "SUBNET-SMALL", "FSX-SUBNET"),
        only=OURS,
    ),
    Mistake(
        "a default zone beside a placeholder",
        "ASG-ZONE",
        unplaced,
        also=("SUBNET-UNROUTED", "SUBNET-SMALL", "FSX-SUBNET"),
        only=OURS,
    ),
    Mistake("waits for the nodes", "ASG-WAIT", cut(asg, "waitForCapacityTimeout")),
    Mistake("AZRebalance not suspended", "ASG-GANG", cut(asg, "suspendedProcesses")),
    Mistake("partitions in a cluster", "PG-CLUSTER", put(of("PlacementGroup"), "partitionCount", 3)),
    Mistake("placement misspelled", "WORD-UNKNOWN", put(of("PlacementGroup"), "strategy", "clustered")),
    Mistake("launch hook that lets a silent node in", "ASG-HOOK-RESULT", silent_in, only=OURS),
    Mistake("hook too short", "ASG-HOOK", put(of("LifecycleHook"), "heartbeatTimeout", 10), only=OURS),
    Mistake(
        "hook misspelled",
        "WORD-UNKNOWN",
        put(of("LifecycleHook"), "lifecycleTransition", "EC2_INSTANCE_TERMINATING"),
        only=OURS,
    ),
    Mistake("Launch suspended", "ASG-SUSPENDED", lambda d: asg(d)["suspendedProcesses"].append("Launch")),
    Mistake("Terminate suspended", "ASG-SUSPENDED", lambda d: asg(d)["suspendedProcesses"].append("Terminate")),
    Mistake("nodes end by age", "ASG-LIFETIME", put(asg, "maxInstanceLifetime", 86_400)),
    Mistake("nodes end without their drain", "ASG-LIFETIME", put(asg, "forceDelete", True)),
    Mistake(
        "storage nodes with a minimum size of zero",
        "ASG-GANG-SIZE",
        lambda d: find(d, "Group", "nvme-group")["inputs"].update(minSize=0),
        only=("separate-nvme",),
    ),
    Mistake("job with a minimum size of zero", "ASG-GANG-SIZE", put(asg, "minSize", 0)),
    Mistake(
        "group of zero nodes that is billed",
        "ASG-GANG-SIZE",
        lambda d: asg(d).update(minSize=0, maxSize=0, desiredCapacity=0),
    ),
    Mistake("group without scale-in protection", "ASG-PROTECT", put(asg, "protectFromScaleIn", False)),
    Mistake(
        "drain at the launch",
        "ASG-HOOK-WAY",
        put(hook, "lifecycleTransition", "autoscaling:EC2_INSTANCE_LAUNCHING"),
        only=OURS,
    ),
    Mistake("no hook", "ASG-HOOK-WAY", without_hooks, only=OURS),
    Mistake(
        "metric misspelled",
        "WORD-UNKNOWN",
        put(asg, "enabledMetrics", ["GroupInServiceInstance"]),
        also=("ALARM-METRIC",),
    ),
    Mistake(
        "template's name misspelled",
        "ASG-UNRESOLVED",
        lambda d: asg(d).update(launchTemplate={"name": lt(d)["name"][:-1] + "_", "version": "1"}),
        only=OURS,
    ),
    Mistake("size mistyped", "INPUT-UNKNOWN", lambda d: asg(d).update(desiredCapcity=16)),
)
