"""Ids that only the AWS account knows: for each placeholder of a spec, what it is and a command that prints it."""

from __future__ import annotations

from dataclasses import dataclass

from planner.stack.spec import PLACEHOLDER, ClusterSpec

# public SSM parameters: the newest image of each kind. Ubuntu 24.04, since AIStore needs Linux 6.8 or newer
GPU_IMAGE = "/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-24.04/latest/ami-id"
# for Trainium and Inferentia: AWS Neuron documentation, Neuron DLAMI User Guide (2026-11-23). trn2 and newer too
NEURON_IMAGE = "/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id"
PLAIN_IMAGE = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64"


@dataclass(frozen=True, kw_only=True)
class MissingId:
    """One id. option: of `planner stack`; empty: another command writes it. key: of the plan's `deploy` section, if it
    can be written there. command: prints it; may be empty."""

    name: str
    what: str
    option: str
    example: str
    key: str = ""
    command: str = ""


def missing_ids(spec: ClusterSpec) -> tuple[MissingId, ...]:
    """The ids that are still placeholders, in the order of `spec.placeholders`."""
    known = {entry.name: entry for entry in _all(spec)}
    return tuple(known[name] for name in spec.placeholders if name in known) + _further(spec)


def _further(spec: ClusterSpec) -> tuple[MissingId, ...]:
    """Images of further instance types; reservations of the second block and later ones, which `planner reserve`
    writes, or a person into the file."""
    images = tuple(
        MissingId(
            name="scheduler.others",
            what=f"image of the {one.fleet.instance_type} nodes",
            option="--ami",
            example="ami-0123456789abcdef0, for all types, or ami of its group in the plan",
        )
        for one in spec.by_type[1:]
        if PLACEHOLDER in one.fleet.ami
    )
    return images + tuple(
        MissingId(
            name="buying.further_blocks",
            what=f"Capacity Block {number} of {len(spec.blocks)}, with {block.nodes} of the nodes, for the same days",
            option="",
            example="",
            command=f"planner reserve --stack {spec.stack}",
        )
        for number, block in enumerate(spec.blocks, start=1)
        if number > 1 and PLACEHOLDER in block.reservation_id + block.ends
    )


def _all(spec: ClusterSpec) -> tuple[MissingId, ...]:
    region, kind = spec.region, spec.fleet.instance_type
    block = f"aws ec2 describe-capacity-reservations --region {region} --filters Name=instance-type,Values={kind}"
    fields = "[CapacityReservationId,AvailabilityZoneId,EndDate,State]"
    return (
        MissingId(
            name="fleet.ami",
            what="image of the GPU nodes",
            option="--ami",
            example="ami-0123456789abcdef0",
            key="deploy.ami",
            command=_parameter(region, NEURON_IMAGE if spec.fleet.neuron else GPU_IMAGE),
        ),
        MissingId(
            name="control.ami",
            what="plain image of the control and storage nodes",
            option="--control-ami",
            example="ami-0123456789abcdef0",
            command=_parameter(region, PLAIN_IMAGE),
        ),
        MissingId(
            name="zone_id",
            what=f"zone that offers {' and '.join(one.fleet.instance_type for one in spec.by_type)}",
            option="--zone-id",
            example="use1-az4",
            key="deploy.zone_id",
            command=f"aws ec2 describe-instance-type-offerings --region {region} --location-type availability-zone-id "
            f"--filters Name=instance-type,Values={kind} --query 'InstanceTypeOfferings[].Location' --output text",
        ),
        MissingId(
            name="files.second_zone_id",
            what="another zone, for the standby of the files' database",
            option="--second-zone-id",
            example="use1-az6",
            command=f"aws ec2 describe-availability-zones --region {region} --query 'AvailabilityZones[].ZoneId' "
            "--output text",
        ),
        MissingId(
            name="buying.reservation_id",
            what="Capacity Block that you have (`planner reserve` buys one and writes these values)",
            option="--reservation",
            example="cr-0123456789abcdef0",
            command=f"{block} --query 'CapacityReservations[].{fields}' --output text",
        ),
        MissingId(
            name="buying.ends",
            what="end of the block (same command)",
            option="--block-ends",
            example="2026-11-30T11:30:00Z",
        ),
        MissingId(
            name="workers.image",
            what="container image of the jobs, with Python 3.9 or newer",
            option="--image",
            example="111122223333.dkr.ecr.us-east-1.amazonaws.com/train:1.0",
        ),
        MissingId(
            name="guard.notify",
            what="e-mail address for notices of budget and alarms",
            option="--notify",
            example="gpu-oncall@example.org",
            key="deploy.notify",
        ),
    )


def _parameter(region: str, name: str) -> str:
    return f"aws ssm get-parameter --region {region} --name {name} --query Parameter.Value --output text"
