"""What pulumi_aws calls otherwise than the bridge does: properties that are renamed, and single blocks that the bridge,
which sees no limit in the provider's schema, holds for lists. Both ways, without loss: state goes there and back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Struct

from tests.engine.assets import asset_of


@dataclass(frozen=True, kw_only=True)
class Other:
    """One property. of: type. ours: path in pulumi_aws; a list on the way means each of its entries.

    theirs: the bridge's name for its last part. block: one here, a list of one there. added: what the list's
    entry says besides.
    """

    of: str
    ours: str
    theirs: str
    block: bool = False
    added: Mapping[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(self.ours.split("."))


LIFECYCLE = "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration"
INSTANCE = "aws:ec2/instance:Instance"
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"

# a test holds each against the bridge's own schema: none is missing, none is idle
OTHERS = (
    Other(of="aws:batch/computeEnvironment:ComputeEnvironment", ours="name", theirs="computeEnvironmentName"),
    Other(of="aws:cloudwatch/metricAlarm:MetricAlarm", ours="name", theirs="alarmName"),
    Other(of="aws:sns/topicSubscription:TopicSubscription", ours="topic", theirs="topicArn"),
    Other(of=LIFECYCLE, ours="rules.filter", theirs="filters", block=True),
    Other(
        of=LIFECYCLE,
        ours="rules.abortIncompleteMultipartUpload",
        theirs="abortIncompleteMultipartUploads",
        block=True,
    ),
    Other(
        of=LIFECYCLE,
        ours="rules.noncurrentVersionExpiration",
        theirs="noncurrentVersionExpirations",
        block=True,
    ),
    Other(of=LUSTRE, ours="subnetIds", theirs="subnetIds", block=True),
    # provider 6 has a block of its own for the first interface; provider 5 knows it as one of many, on device 0
    Other(
        of=INSTANCE, ours="primaryNetworkInterface", theirs="networkInterfaces", block=True, added={"deviceIndex": 0}
    ),
)


def others(token: str) -> list[Other]:
    return [other for other in OTHERS if other.of == token]


def to_bridge(token: str, properties: Struct) -> Struct:
    """Inputs or state as the bridge wants them; a file by its path, as pulumi_aws hands it to its own provider."""
    files = {name: file for name, value in properties.fields.items() if (file := asset_of(value))}
    if files:
        properties = Struct(fields=dict(properties.fields))
        for name, file in files.items():
            properties.fields[name].string_value = file.fields["path"].string_value
    return _changed(token, properties, _there)


def from_bridge(token: str, properties: Struct) -> Struct:
    """Inputs or state as pulumi_aws has them."""
    return _changed(token, properties, _back)


def path_from_bridge(token: str, path: str) -> str:
    """A path of a difference or a refusal: `rules[0].filters[0].prefix` -> `rules[0].filter.prefix`."""
    for other in others(token):
        before = "".join(rf"{re.escape(part)}(?:\[\d+\])?\." for part in other.path[:-1])
        index = r"(?:\[0\])?" if other.block else ""
        path = re.sub(rf"^({before}){other.theirs}{index}(?=[.\[]|$)", rf"\g<1>{other.path[-1]}", path)
    return path


def _changed(token: str, properties: Struct, change: Callable[[Other, dict[str, Any]], None]) -> Struct:
    mine = others(token)
    if not mine:
        return properties
    held = MessageToDict(properties)
    for other in mine:
        for owner in _owners(held, other.path[:-1]):
            change(other, owner)
    return ParseDict(held, Struct())


def _owners(value: Any, path: tuple[str, ...]) -> list[dict[str, Any]]:
    """The objects that hold the last part of a path."""
    if isinstance(value, list):
        return [owner for entry in value for owner in _owners(entry, path)]
    if not isinstance(value, dict):
        return []  # unknown as yet, or left out
    return _owners(value.get(path[0]), path[1:]) if path else [value]


def _there(other: Other, owner: dict[str, Any]) -> None:
    if other.path[-1] not in owner:
        return
    value = owner.pop(other.path[-1])
    if other.block and value is not None and not isinstance(value, list):
        value = [{**other.added, **value} if isinstance(value, dict) else value]
    owner[other.theirs] = value


def _back(other: Other, owner: dict[str, Any]) -> None:
    value = owner.get(other.theirs)
    if other.theirs not in owner or (other.block and not (isinstance(value, list) and len(value) == 1)):
        return  # an empty list stays as it is, so that it comes back as it was
    del owner[other.theirs]
    owner[other.path[-1]] = value[0] if other.block and isinstance(value, list) else value
