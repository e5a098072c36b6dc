"""Runs the program with recording mocks: every resource that `pulumi up` would create, without engine or account.

A mock answers every output of a resource with "${urn.property}", so that references to other resources are visible in
the inputs, also inside text such as policies and user data.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from pulumi import StringAsset
from pulumi.runtime import mocks, rpc
from pulumi.runtime.config import set_all_config

from infra.billing import COMPONENTS, carried
from infra.compose import compose
from infra.standing import NAME
from planner.stack.spec import ClusterSpec

PROJECT = "gpu-fleet-planner"
ACCOUNT = "000000000000"  # a placeholder for the id of the account
STACK_TYPE = "pulumi:pulumi:Stack"
SCHEMA_VERSION = "1"


class _Recording(mocks.MockMonitor):
    """Records every request, names resources as the engine does, and answers with references.

    Requests come from several threads; each is answered in its own.
    """

    def __init__(self, stack: str) -> None:
        super().__init__(_Answers())
        self.stack = stack
        self.requests: dict[str, Any] = {}
        self.twice: list[str] = []

    def make_urn(self, parent: str, type_: str, name: str) -> str:
        above = parent.split("::")[2] + "$" if parent and f"::{STACK_TYPE}::" not in parent else ""
        return f"urn:pulumi:{self.stack}::{PROJECT}::{above}{type_}::{name}"

    def RegisterResource(self, request: Any) -> Any:
        if request.type != STACK_TYPE:
            urn = self.make_urn(request.parent, request.type, request.name)
            if urn in self.requests:
                self.twice.append(urn)
            self.requests[urn] = request
            _ANSWERED.urn = urn
        with _own_loop():
            return super().RegisterResource(request)

    def Invoke(self, request: Any) -> Any:
        with _own_loop():
            return super().Invoke(request)


_ANSWERED = threading.local()


# outputs that are lists, with the key of their one entry
_LISTED = {"aws:rds/instance:Instance": {"masterUserSecrets": "secretArn"}}


class _Answers(mocks.Mocks):
    """Answers outputs with references, and the look-ups of the program."""

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        urn = _ANSWERED.urn
        listed = {name: [{key: f"${{{urn}.{name}}}"}] for name, key in _LISTED.get(args.typ, {}).items()}
        return f"${{{urn}.id}}", args.inputs | {name: f"${{{urn}.{name}}}" for name in _outputs(args.typ)} | listed

    def call(self, args: mocks.MockCallArgs) -> tuple[dict[str, Any], list[tuple[str, str]]]:
        if args.token == "aws:index/getCallerIdentity:getCallerIdentity":
            arn = f"arn:aws:iam::{ACCOUNT}:root"
            return {"accountId": ACCOUNT, "arn": arn, "id": ACCOUNT, "userId": ACCOUNT}, []
        if args.token in NAME:
            return {"outputs": {}}, []  # nothing is deployed yet
        raise LookupError(f"the preview cannot answer {args.token}")


@cache
def _outputs(token: str) -> tuple[str, ...]:
    """Wire names of the outputs of a type that are text or numbers, which a program can refer to."""
    if not token.startswith("aws:"):
        return ()
    import pulumi_aws

    module, kind = token.split(":")[1].split("/")[0], token.split(":")[2]
    found = []
    for _, member in inspect.getmembers(getattr(getattr(pulumi_aws, module), kind)):
        name = getattr(getattr(member, "fget", None), "_pulumi_name", None)
        if name and any(f"Output[{kind}" in str(member.fget.__annotations__.get("return")) for kind in _PLAIN):
            found.append(name)
    return tuple(found)


_PLAIN = ("_builtins.str", "_builtins.int", "str]", "int]", "Optional[_builtins.str", "Optional[_builtins.int")


def resource_graph(spec: ClusterSpec) -> dict[str, Any]:
    """The graph of a spec as JSON data: the same for the same spec. Raises UsageProblem, ValueError."""
    monitor = _Recording(spec.stack)
    # the runtime keeps its settings in context variables: a copy of the context keeps them out of the caller's
    contextvars.copy_context().run(_record, monitor, spec)
    if monitor.twice:
        raise ValueError(f"two resources have one URN, which the engine refuses: {monitor.twice[0]}")
    return {
        "schema_version": SCHEMA_VERSION,
        "stack": {
            "name": spec.stack,
            "plan_sha256": spec.plan_sha256,
            "scenario": spec.scenario,
            "placeholders": [*spec.placeholders, "account"],
            "unpriced": list(spec.unpriced),
        },
        "resources": _resources(spec, monitor.requests),
    }


def _record(monitor: _Recording, spec: ClusterSpec) -> None:
    set_all_config({"aws:region": spec.region})
    with _own_loop() as loop:
        mocks.set_mocks(monitor.mocks, project=PROJECT, stack=spec.stack, preview=False, monitor=monitor)
        mocks.test(lambda: _composed(spec))()
        loop.run_until_complete(loop.shutdown_default_executor())


def _composed(spec: ClusterSpec) -> None:
    compose(spec)


@contextmanager
def _own_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """An event loop of this thread that is closed afterwards: the runtime opens one in every thread."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        yield loop
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def _resources(spec: ClusterSpec, requests: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Entries by component and name, since the order of requests depends on threads."""
    ours = {request.name: urn for urn, request in requests.items() if request.type.startswith("aws:")}
    bills = carried(spec, sorted(ours))
    found = []
    for urn, request in requests.items():
        lines, usd = bills.get(request.name, ((), 0.0))
        found.append(
            {
                "type": request.type,
                "name": request.name,
                "urn": urn,
                "parent": request.parent if request.parent in requests else None,
                "inputs": _plain(rpc.deserialize_properties(request.object)),
                "depends_on": sorted(request.dependencies),
                "protect": bool(request.protect),
                "retain_on_delete": bool(request.retainOnDelete),
                "component": request.name.split("-")[0],
                "bill_lines": list(lines),
                "usd_per_hour": usd,
                "free": not lines,
            }
        )
    return sorted(found, key=_order)


def _order(entry: Mapping[str, Any]) -> tuple[int, bool, str]:
    """By component, each before its children."""
    return COMPONENTS.index(entry["component"]), entry["parent"] is not None, entry["name"]


def _plain(value: Any) -> Any:
    """Inputs as plain data: secrets unwrapped, omitted arguments left out, whole numbers as int."""
    if isinstance(value, Mapping):
        if rpc._special_sig_key in value:
            return _plain(value.get("value"))
        return {key: _plain(entry) for key, entry in sorted(value.items()) if entry is not None}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, StringAsset):
        return value.text  # in the place of a file that is not built yet
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
