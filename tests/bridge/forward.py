"""Every call of the engine handed on to the bridge: types, URNs, properties in its words, the answers in ours."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Set
from types import MappingProxyType
from typing import Any

import grpc
from google.protobuf.struct_pb2 import Struct
from pulumi.runtime.proto import plugin_pb2, provider_pb2
from pulumi.runtime.proto.provider_pb2_grpc import ResourceProviderServicer, ResourceProviderStub

from tests.bridge import stand_in
from tests.bridge.names import bridged, bridged_urn
from tests.bridge.shapes import from_bridge, path_from_bridge, to_bridge

VERSION = "7.51.1"  # of the pulumi_aws whose provider this stands for
OF_A_RESOURCE = ("Check", "Diff", "Create", "Read", "Update", "Delete")
RAW = "__pulumi_raw_state_delta"  # in every state: how the bridge makes Terraform's of it
HANDED_ON = ("CheckConfig", "DiffConfig", "Configure", "Invoke", "Cancel", "Attach", "GetMapping", "GetMappings")


class Forward(ResourceProviderServicer):
    """A provider of pulumi_aws that is the Terraform provider behind the bridge.

    lacking: types that the cloud behind it does not have; the real code checks and plans them, and they are not made.
    endless: type -> properties that the cloud behind it answers wrongly. Where nobody changed an input and nothing else
    differs, it is no difference.
    unread: type -> properties that it tells otherwise when it is asked again. Where nothing else differs, nothing does.
    """

    def __init__(
        self,
        bridge: ResourceProviderStub,
        *,
        lacking: Collection[str] = (),
        endless: Mapping[str, Set[str]] = MappingProxyType({}),
        unread: Mapping[str, Set[str]] = MappingProxyType({}),
    ) -> None:
        self.bridge, self.lacking, self.endless, self.unread = bridge, lacking, endless, unread
        for name in HANDED_ON:
            setattr(self, name, self._handed_on(getattr(bridge, name)))
        for name in OF_A_RESOURCE:
            setattr(self, name, self._of_a_resource(name))

    def GetPluginInfo(self, request: Any, context: grpc.ServicerContext) -> plugin_pb2.PluginInfo:
        return plugin_pb2.PluginInfo(version=VERSION)

    def _handed_on(self, call: Callable[[Any], Any]) -> Callable[[Any, grpc.ServicerContext], Any]:
        def handed_on(request: Any, context: grpc.ServicerContext) -> Any:
            try:
                return call(request)
            except grpc.RpcError as error:
                raise refused(context, error) from None

        return handed_on

    def _of_a_resource(self, name: str) -> Callable[[Any, grpc.ServicerContext], Any]:
        def of_a_resource(request: Any, context: grpc.ServicerContext) -> Any:
            try:
                return self.call(name, request)
            except grpc.RpcError as error:
                raise refused(context, error) from None

        return of_a_resource

    def call(self, name: str, request: Any) -> Any:
        """One call about a resource. Raises grpc.RpcError."""
        token = token_of(request.urn)
        call = getattr(self.bridge, name)

        def asked(**changes: Any) -> Any:
            """The bridge's answer; changes: fields of the request that are other than the engine's."""
            there = translated(request, token)
            for field, value in changes.items():
                setattr(there, field, value)
            return answered(call(there), token)

        if token in self.lacking:
            return stand_in.answer(name, request, asked)
        found = asked()
        if name == "Read" and found.id and differing(found, request) <= self.unread.get(token, frozenset()):
            return provider_pb2.ReadResponse(id=found.id, properties=request.properties, inputs=request.inputs)
        unchanged = name == "Diff" and token in self.endless and request.old_inputs == request.news
        if unchanged and set(found.diffs) <= self.endless[token]:
            return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)
        return found


def differing(found: Any, before: Any) -> set[str]:
    """Properties that are other than the state's, besides the bridge's own account of them."""
    now, then = found.properties.fields, before.properties.fields
    return {name for name in {*now, *then} - {RAW} if now.get(name) != then.get(name)}


def token_of(urn: str) -> str:
    """The type that a URN ends in."""
    return urn.split("::", 3)[2].rpartition("$")[2]


def translated(request: Any, token: str) -> Any:
    """A request in the bridge's words."""
    there = type(request)()
    there.CopyFrom(request)
    there.urn = bridged_urn(request.urn)
    there.type = bridged(token)
    for field, value in there.ListFields():
        if isinstance(value, Struct):
            getattr(there, field.name).CopyFrom(to_bridge(token, value))
    return there


def answered(response: Any, token: str) -> Any:
    """An answer in the words of pulumi_aws."""
    for field, value in response.ListFields():
        if isinstance(value, Struct):
            getattr(response, field.name).CopyFrom(from_bridge(token, value))
    if isinstance(response, provider_pb2.CheckResponse):
        for failure in response.failures:
            failure.property = path_from_bridge(token, failure.property)
    if isinstance(response, provider_pb2.DiffResponse):
        for field in (response.replaces, response.diffs, response.stables):
            field[:] = [path_from_bridge(token, path) for path in field]
        for path in list(response.detailedDiff):
            ours = path_from_bridge(token, path)
            if ours != path:
                response.detailedDiff[ours].CopyFrom(response.detailedDiff.pop(path))
    return response


def refused(context: grpc.ServicerContext, error: grpc.RpcError) -> Exception:
    """The bridge's refusal as our own."""
    said: Any = error  # grpc's stubs leave out that an error of a call is a call too
    context.set_trailing_metadata(tuple(said.trailing_metadata()))
    context.abort(said.code(), said.details())
    return AssertionError("abort raises")
