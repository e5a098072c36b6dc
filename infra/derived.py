"""What follows from a spec alone, before anything is created: interfaces, addresses and the bundle of its nodes."""

from __future__ import annotations

from collections.abc import Sequence

from fleet_pool.node.facts import Expected
from fleet_pool.node.facts import Stack as NodeFacts
from fleet_pool.settings import FILES_FOLDER

from infra.addresses import AddressPlan, address_plan, lustre_addresses
from infra.artefacts import Bundle, bundle, worker_bundle
from infra.layouts import LAYOUTS
from infra.network import ENDPOINTS
from infra.nics import Nic, addresses_per_node, nics
from infra.node.render import LUSTRE_ROOT
from planner.models.controller_sizes import LOGIN_NODES
from planner.stack.spec import ClusterSpec, Pool

CONTROLLER_ADDRESSES = (
    4  # of AWS PCS in the subnet: AWS names no number; it has one controller, a second during changes
)


def interfaces_of(spec: ClusterSpec) -> tuple[Nic, ...]:
    """Network interfaces of a GPU node, in order. Raises UsageProblem."""
    fleet = spec.fleet
    if spec.workers:  # AWS Batch gives a node one interface, unless the template has several
        return nics(fleet.instance_type, "ip-saving", 1, 0)
    return nics(fleet.instance_type, fleet.nic_profile, fleet.network_cards, fleet.efa_interfaces)


def addresses_of(spec: ClusterSpec) -> AddressPlan:
    """Subnets for the nodes of a spec and for everything else with an address. Raises UsageProblem."""
    others = min(spec.interface_endpoints, len(ENDPOINTS)) + (spec.nvme.nodes if spec.nvme else 0)
    if spec.scheduler:
        others += CONTROLLER_ADDRESSES + LOGIN_NODES
    if spec.lustre:
        others += lustre_addresses(spec.lustre.capacity_gib)
    # addresses of further types are counted as others
    further = sum(one.fleet.nodes * addresses_per_node(interfaces_of(one)) for one in spec.by_type[1:])
    return address_plan(
        nodes=spec.most_nodes - sum(one.fleet.nodes for one in spec.by_type[1:]),
        per_node=addresses_per_node(interfaces_of(spec)),
        others=others + further,
        control=spec.control.count,
        zones=1 + len(spec.workers.more_zones if spec.workers else ()),
    )


def bundle_of(spec: ClusterSpec) -> Bundle:
    """The files that the nodes of a spec fetch. They do not depend on prices. Raises UsageProblem."""
    if spec.workers:
        return worker_bundle()
    return bundle(_node_facts(spec, addresses_of(spec).control), spec.scheduler is not None)


def _node_facts(spec: ClusterSpec, proxies: Sequence[str]) -> NodeFacts:
    """The stack's settings in the bundle. proxies: addresses of the control nodes."""
    layout, pool = LAYOUTS[spec.layout], spec.pool or Pool()
    target_nodes = {"gpu": spec.fleet, "storage": spec.nvme}.get(layout.targets_on)
    return NodeFacts(
        name=spec.stack,
        layout=spec.layout,
        proxies=tuple(proxies),
        targets_on=layout.targets_on,
        drives=target_nodes.drives if target_nodes else 0,
        reserved_vcpu=spec.fleet.reserved_vcpu,
        tls=pool.tls and bool(proxies),
        low_watermark_percent=pool.low_watermark_percent,
        dataset_prefix=spec.data.dataset_prefix,
        checkpoint_prefix=spec.data.checkpoint_prefix,
        files=spec.files is not None,
        checkpoints_kept=0 if spec.data.checkpoints_kept == "all" else int(spec.data.checkpoints_kept),
    )


def expected_of(spec: ClusterSpec) -> dict[str, Expected]:
    """What `planner-ready` looks for on the nodes of each role. Not in the bundle, which all nodes share: another type
    of GPU node changes its own template alone. Raises UsageProblem."""
    fleet = spec.fleet
    gpu = Expected(
        nvidia=0 if fleet.neuron else fleet.gpus,
        neuron=fleet.gpus if fleet.neuron else 0,
        efa=sum(nic.kind.startswith("efa") for nic in interfaces_of(spec)),
        drives=fleet.drives,
        mount=LUSTRE_ROOT if spec.lustre else FILES_FOLDER if spec.files else "",
    )
    return {
        "gpu": gpu,
        "control": Expected(),
        "storage": Expected(drives=spec.nvme.drives if spec.nvme else 0),
        "login": Expected(),
    }
