"""The RPC door: Pulumi's provider protocol on one side, the cloud on the other.

Run by the engine as `pulumi-resource-aws`. STAND_IN_CLOUD: the folder of cloud, faults and shapes.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from google.protobuf.struct_pb2 import Value
from pulumi.provider.experimental import provider as rpc
from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.provider.experimental.server import main
from pulumi.runtime.rpc import UNKNOWN as NOT_YET

from tests.engine.assets import asset_of
from tests.engine.cloud.faults import Faults
from tests.engine.cloud.kinds import kind_of, replaces
from tests.engine.cloud.shapes import UNKNOWN, Shapes
from tests.engine.cloud.store import Cloud, Refused

VERSION = "7.51.1"  # of pulumi_aws: the engine warns of another
INPUTS = "__inputs"  # the inputs, kept in the state: a diff is told the old state alone
HEX = 7  # characters that the real provider adds to a name that the program leaves to it


_unmarshal = PropertyValue.unmarshal


def _with_assets(value: Value) -> PropertyValue:
    """A file as its hash: that is all that the engine keeps of one in the state, and the SDK reads no such."""
    file = asset_of(value)
    return PropertyValue(f"sha256:{file.fields['hash'].string_value}") if file else _unmarshal(value)


PropertyValue.unmarshal = staticmethod(_with_assets)


class StandIn(rpc.Provider):
    """Every type of the table, by the same few rules."""

    def __init__(self, folder: Path) -> None:
        self.cloud, self.faults = Cloud(folder / "cloud.json"), Faults(folder / "faults.json")
        self.shapes = Shapes(folder / "shapes.json")

    async def check(self, request: rpc.CheckRequest) -> rpc.CheckResponse:
        token, new, old = type_of(request), plain_map(request.new_inputs), plain_map(request.old_inputs)
        try:
            kind = kind_of(token)
            found = [rpc.CheckFailure(property=path, reason=why) for path, why in self.shapes.faults(token, new)]
        except LookupError as error:
            return rpc.CheckResponse(failures=[rpc.CheckFailure(property="", reason=str(error))])
        inputs = dict(request.new_inputs)
        if kind.named and new.get(kind.named) is None:
            suffix = secrets.token_hex(4)[:HEX]
            inputs[kind.named] = wrapped(old.get(kind.named) or f"{request.name}-{suffix}")
        return rpc.CheckResponse(inputs=inputs, failures=found or None)

    async def diff(self, request: rpc.DiffRequest) -> rpc.DiffResponse:
        old, new = inputs_of(request.old_state), plain_map(request.new_inputs)
        changed = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
        changed = [name for name in changed if name not in request.ignore_changes]
        again = replaces(type_of(request), old, new, changed)
        kinds = {name: _kind_of_change(old, new, name, name in again) for name in changed}
        named = kind_of(type_of(request)).named
        return rpc.DiffResponse(
            changes=bool(changed),
            replaces=again,
            diffs=changed,
            detailed_diff={name: rpc.PropertyDiff(kind=kind, input_diff=True) for name, kind in kinds.items()},
            # as the bridge does it: two of one name cannot stand at once
            delete_before_replace=bool(again and named and old.get(named) == new.get(named)),
        )

    async def create(self, request: rpc.CreateRequest) -> rpc.CreateResponse:
        inputs = plain_map(request.properties)
        if request.preview:
            return rpc.CreateResponse(properties=dict(request.properties))
        thing = await self._done("create", request.name, lambda: self.cloud.create(type_of(request), inputs))
        return rpc.CreateResponse(resource_id=thing["id"], properties=state_of(thing))

    async def update(self, request: rpc.UpdateRequest) -> rpc.UpdateResponse:
        inputs = plain_map(request.news)
        if request.preview:
            state = {**request.olds, **request.news, INPUTS: wrapped_map(inputs)}
            if type_of(request).endswith(":LaunchTemplate"):
                state |= {name: wrapped(UNKNOWN) for name in ("latestVersion", "defaultVersion")}
            return rpc.UpdateResponse(properties=state)
        updated = await self._done(
            "update", request.name, lambda: self.cloud.update(type_of(request), request.resource_id, inputs)
        )
        return rpc.UpdateResponse(properties=state_of(updated))

    async def delete(self, request: rpc.DeleteRequest) -> None:
        await self._done("delete", request.name, lambda: self.cloud.delete(type_of(request), request.resource_id))

    async def read(self, request: rpc.ReadRequest) -> rpc.ReadResponse:
        thing = await self._done("read", request.name, lambda: self.cloud.read(type_of(request), request.resource_id))
        if thing is None:
            return rpc.ReadResponse(resource_id="")
        return rpc.ReadResponse(
            resource_id=thing["id"], properties=state_of(thing), inputs=wrapped_map(thing["inputs"]).value
        )

    async def invoke(self, request: rpc.InvokeRequest) -> rpc.InvokeResponse:
        if request.tok != "aws:index/getCallerIdentity:getCallerIdentity":
            raise LookupError(f"the stand-in cloud does not know {request.tok}")
        with self.cloud.open() as state:
            account = state["world"]["account"]
        answer = {"accountId": account, "arn": f"arn:aws:iam::{account}:user/test", "id": account, "userId": "test"}
        return rpc.InvokeResponse(return_value={name: PropertyValue(text) for name, text in answer.items()})

    async def cancel(self) -> None:
        return None

    async def _done(self, operation: str, name: str, run: Any) -> Any:
        """The call, or what is to go wrong with it."""
        way = self.faults.fires(operation, name)
        if way == "fail":
            raise Refused("InternalError", f"{operation} of {name} failed, as it was told to")
        if way == "late":
            # who asked may be gone by then: the call is not cancelled with the connection
            return await asyncio.shield(asyncio.ensure_future(self._late(run)))
        if way == "before":
            await self._hang()
        found = run()
        if way == "after":
            await self._hang()
        if way == "lost":
            raise Refused("RequestTimeout", f"no answer to {operation} of {name}")
        return found

    async def _hang(self) -> None:
        self.faults.hangs.touch()
        await asyncio.Event().wait()

    async def _late(self, run: Any) -> Any:
        self.faults.hangs.touch()
        while not self.faults.go.exists():
            await asyncio.sleep(0.05)
        found = run()
        self.faults.go.unlink(missing_ok=True)
        return found


def type_of(request: Any) -> str:
    """The type alone: in a URN the parents' types stand before it."""
    return request.type.rpartition("$")[2]


def plain(value: PropertyValue) -> Any:
    """As JSON has it; what is not known yet is UNKNOWN. Secrets are plain: this cloud keeps none."""
    found = value.value
    if found == NOT_YET:
        return UNKNOWN
    if isinstance(found, Mapping):
        return {name: plain(one) for name, one in found.items() if one.value is not None}
    if isinstance(found, tuple):
        return [plain(one) for one in found]
    if isinstance(found, float) and found.is_integer():
        return int(found)
    return found


def plain_map(values: Mapping[str, PropertyValue]) -> dict[str, Any]:
    return {name: plain(one) for name, one in values.items() if one.value is not None}


def wrapped(value: Any) -> PropertyValue:
    if value is UNKNOWN:
        return PropertyValue(NOT_YET)  # the SDK reads and writes it as text, and has no way to write its own Computed
    if isinstance(value, Mapping):
        return wrapped_map(value)
    if isinstance(value, list):
        return PropertyValue([wrapped(one) for one in value])
    if isinstance(value, int) and not isinstance(value, bool):
        return PropertyValue(float(value))
    return PropertyValue(value)


def wrapped_map(values: Mapping[str, Any]) -> PropertyValue:
    return PropertyValue({name: wrapped(one) for name, one in values.items()})


def state_of(thing: Mapping[str, Any]) -> dict[str, PropertyValue]:
    found = {name: wrapped(one) for name, one in thing["outputs"].items() if one is not None}
    return {**found, INPUTS: wrapped_map(thing["inputs"])}


def inputs_of(state: Mapping[str, PropertyValue]) -> dict[str, Any]:
    kept = state.get(INPUTS)
    return plain(kept) if kept is not None else {}


def _kind_of_change(old: Mapping[str, Any], new: Mapping[str, Any], name: str, again: bool) -> rpc.PropertyDiffKind:
    word = "ADD" if name not in old else "DELETE" if name not in new else "UPDATE"
    return rpc.PropertyDiffKind[f"{word}_REPLACE" if again else word]


if __name__ == "__main__":
    main(sys.argv[1:], VERSION, StandIn(Path(os.environ["STAND_IN_CLOUD"])))
