"""Resources that are still listed by tag but no longer exist: terminated instances, keys scheduled for deletion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.account.aws_client import MakeClient, aws_errors
from planner.stack.deployed_resources import TaggedResource

GONE = ("deleted", "deleting", "terminated", "shutting-down", "PendingDeletion", "DELETING", "Deleted", "Deleting")
BATCH = 100  # ids in one request

# kinds that stay listed after deletion -> operation, filter, and list, id and state in the response
_STATES = {
    "ec2:instance": ("describe_instances", "instance-id", "Reservations", "InstanceId", "State"),
    "ec2:natgateway": ("describe_nat_gateways", "nat-gateway-id", "NatGateways", "NatGatewayId", "State"),
    "ec2:vpc-endpoint": ("describe_vpc_endpoints", "vpc-endpoint-id", "VpcEndpoints", "VpcEndpointId", "State"),
    "ec2:capacity-reservation": (
        "describe_capacity_reservations",
        "capacity-reservation-id",
        "CapacityReservations",
        "CapacityReservationId",
        "State",
    ),
}


def deleted_arns(found: Sequence[TaggedResource], region: str, make: MakeClient) -> set[str]:
    """ARNs of resources that are still listed but deleted, expired or being deleted."""
    gone: set[str] = set()
    for kind, (operation, by, list_, id_, state) in _STATES.items():
        some = [entry for entry in found if entry.kind == kind]
        for first in range(0, len(some), BATCH):
            part = some[first : first + BATCH]
            with aws_errors(f"the state of each {kind}"):
                # NAT gateways alone call their filters by the singular
                key = "Filter" if operation == "describe_nat_gateways" else "Filters"
                filters = {key: [{"Name": by, "Values": [entry.id for entry in part]}]}
                ec2 = make("ec2", region)
                existing: set[str] = set()
                for page in ec2.get_paginator(operation).paginate(**filters):
                    existing |= parse_existing_ids(page, list_, id_, state)
            gone |= {entry.arn for entry in part if entry.id not in existing}
    for entry in found:
        if entry.kind == "kms:key":
            with aws_errors(f"the state of key {entry.id}"):
                metadata = make("kms", region).describe_key(KeyId=entry.id)["KeyMetadata"]
            if metadata["KeyState"] in GONE:
                gone.add(entry.arn)
    return gone


def parse_existing_ids(answer: Mapping[str, Any], list_: str, id_: str, state: str) -> set[str]:
    """Ids of resources that exist, without reservations that have ended."""
    entries = answer.get(list_, ())
    if list_ == "Reservations":
        entries = [instance for entry in entries for instance in entry.get("Instances", ())]
    over = {*GONE, "expired", "cancelled", "failed", "payment-failed", "unsupported"}
    found = set()
    for entry in entries:
        found_state = entry.get(state, "")
        if (found_state.get("Name") if isinstance(found_state, Mapping) else found_state) not in over:
            found.add(entry[id_])
    return found
