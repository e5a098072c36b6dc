"""Its stack: what a pool of one worker has."""

from planner.stack.spec import Buying, ClusterSpec, Data, Fleet, Guard, Workers


def stack_name(loaded):
    return "toy"


def given(options):
    return options.get("image") or "PLACEHOLDER-image"


def lacks(chosen):
    return ["it is a toy"]


def planned(ask, found, chosen, stack, nic_profile):
    return spec(ask, found, chosen, stack=stack, kept=None, given=given({}), nic_profile=None, budget=None)


def spec(ask, found, chosen, *, stack, kept, given, nic_profile, budget):
    size = ask.book.instance(chosen.instance_type)
    return ClusterSpec(
        stack=stack or "toy", plan_name=found.plan_name, plan_sha256=found.plan_sha256, scenario=chosen.id,
        region=found.region, zone_id="PLACEHOLDER-zone-id", layout="workers", buying=Buying(kind="on-demand"),
        fleet=Fleet(
            instance_type=chosen.instance_type, nodes=1, nic_profile="ip-saving", ami="", root_volume_gib=100,
            gpus=size.gpu_count, drives=size.nvme_drives, vcpu=size.vcpu, network_cards=1, efa_interfaces=0,
            root_device="/dev/xvda",
        ),
        guard=Guard(notify="PLACEHOLDER-notify", budget_usd=budget or 100.0, alarms=3, max_days=9.0), data=Data(),
        workers=Workers(
            image=given, memory_mib=1024, limit_hours=24.0, least_nodes=0, more_types=(), more_zones=(), tail_type=""
        ),
        interface_endpoints=0, usd_per_hour={"network.nat-gateway": 0.045},
    )  # fmt: skip


def stored_usd_per_hour(chosen):
    return None


def summary(ask, spec, chosen, look, overrides, out):
    return f"Stack {spec.stack}: {chosen.id}\n"
