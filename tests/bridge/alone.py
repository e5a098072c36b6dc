"""One resource through the real provider's code, without engine or stack: what a test asks of a single type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Struct
from pulumi.runtime.proto import provider_pb2 as messages
from pulumi.runtime.proto.provider_pb2_grpc import ResourceProviderStub

from tests.bridge.forward import Forward
from tests.bridge.process import started
from tests.bridge.proxy import TYPES

SETTINGS = {  # of the provider, in the bridge's words
    "region": "us-east-1",
    "accessKey": "testing",
    "secretKey": "testing",
    "skipCredentialsValidation": "true",
    "skipMetadataApiCheck": "true",
    "s3UsePathStyle": "true",
    "maxRetries": "1",
}
OFFLINE = {"skipRequestingAccountId": "true", "skipRegionValidation": "true"}


@dataclass(frozen=True, kw_only=True)
class Made:
    """What stands after a create."""

    type: str
    id: str
    inputs: Struct
    state: Struct


@dataclass(frozen=True)
class Alone:
    """The provider of pulumi_aws, called by hand."""

    forward: Forward

    def check(self, token: str, inputs: Mapping[str, Any]) -> tuple[Struct, dict[str, str]]:
        """Inputs as the provider takes them, and property -> what it says against it."""
        asked = messages.CheckRequest(urn=urn_of(token), type=token, name="alone", news=struct(inputs), randomSeed=b"1")
        found = self.forward.call("Check", asked)
        return found.inputs, {failure.property: failure.reason for failure in found.failures}

    def create(self, token: str, inputs: Mapping[str, Any], *, preview: bool = False) -> Made:
        """Raises AssertionError for what Check refuses, grpc.RpcError for what the plan, AWS or the wait refuses."""
        news, refused = self.check(token, inputs)
        assert not refused, refused
        asked = messages.CreateRequest(urn=urn_of(token), type=token, name="alone", properties=news, preview=preview)
        made = self.forward.call("Create", asked)
        return Made(type=token, id=made.id, inputs=news, state=made.properties)

    def differs(self, made: Made, inputs: Mapping[str, Any] | None = None) -> list[str]:
        """Properties that differ from what was made; without inputs nothing was changed."""
        news = made.inputs if inputs is None else self.check(made.type, inputs)[0]
        asked = messages.DiffRequest(
            id=made.id, urn=urn_of(made.type), type=made.type, olds=made.state, news=news, old_inputs=made.inputs
        )
        return sorted(self.forward.call("Diff", asked).diffs)

    def delete(self, made: Made) -> None:
        asked = messages.DeleteRequest(id=made.id, urn=urn_of(made.type), type=made.type, properties=made.state)
        asked.old_inputs.CopyFrom(made.inputs)
        self.forward.call("Delete", asked)


@contextmanager
def running(provider: Path, env: Mapping[str, str], *, offline: bool = False) -> Iterator[Alone]:
    """env: as moto_server.credentials gives it. offline: nothing is asked of anybody; enough for Check and plans."""
    with started(provider, types=TYPES, env=env) as bridge:
        configure(bridge, {**SETTINGS, **(OFFLINE if offline else {})})
        yield Alone(Forward(bridge))


def configure(bridge: ResourceProviderStub, settings: Mapping[str, str]) -> None:
    urn = "urn:pulumi:alone::alone::pulumi:providers:aws::default"
    checked = bridge.CheckConfig(messages.CheckRequest(urn=urn, news=struct(settings)))
    assert not checked.failures, checked.failures
    bridge.Configure(messages.ConfigureRequest(args=checked.inputs, acceptSecrets=False, acceptResources=True))


def urn_of(token: str) -> str:
    return f"urn:pulumi:alone::alone::{token}::alone"


def struct(value: Mapping[str, Any]) -> Struct:
    return ParseDict(dict(value), Struct())


def plain(value: Struct) -> dict[str, Any]:
    return MessageToDict(value)
