"""What makes a thing anew: the table of tests/engine held against the plans of the real provider, leaf by leaf of every
input that a stack has. A plan needs no AWS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2 as messages

from infra.deployer_actions import ACTIONS
from tests.bridge.alone import Alone, plain, struct, urn_of
from tests.bridge.names import bridge_token
from tests.bridge.stand_in import UNKNOWN
from tests.bridge.test_known import plain as without_references
from tests.bridge.test_schema import graphs, properties
from tests.engine.cloud.kinds import replaces

# what a plan refuses to be asked: type -> property, and the rule that stands before it
REFUSED = {
    ("aws:fsx/lustreFileSystem:LustreFileSystem", "deploymentType"): "only be set when deployment type is PERSISTENT_2",
    ("aws:batch/jobQueue:JobQueue", "jobStateTimeLimitActions"): "Invalid String Enum Value",
}
# a leaf whose other value is no word that AWS knows: the provider does not take it for an update, whatever it is
NO_SUCH_WORD = {("aws:batch/computeEnvironment:ComputeEnvironment", "computeResources")}
ID = "made-up"
# what AWS would have said, by its type in the schema
SAID = {"string": ID, "integer": 0, "number": 0, "boolean": False, "array": [], "object": {}}
UNSAID = {"fifoThroughputScope"}  # of another kind of topic


@cache
def every() -> dict[str, dict[str, Any]]:
    """Type -> inputs of the one of its kind that says most, with references made plain."""
    found: dict[str, dict[str, Any]] = {}
    for graph in graphs():
        for entry in graph["resources"]:
            kind = entry["type"]
            if kind.startswith("aws:") and len(entry["inputs"]) > len(found.get(kind, ())):
                found[kind] = without_references(entry["inputs"])
    return found


def others(value: Any) -> Iterator[Any]:
    """The same with one leaf changed, each in turn; of a list, those of its first. Numbers grow, and shrink."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from ({**value, key: other} for other in others(entry))
    elif isinstance(value, list):
        yield from ([other, *value[1:]] for other in others(value[0]))
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1)
    else:
        yield f"{value}x"


def said(schema: Mapping[str, Any], known: Mapping[str, Any], planned: Any) -> Any:
    """The state of a plan with something in place of what only AWS can say."""
    if isinstance(planned, list):
        return [said(schema, known, entry) for entry in planned]
    if not isinstance(planned, dict):
        return planned
    found = {}
    for name, value in planned.items():
        if name in UNSAID:
            continue
        of = known.get(name, {})
        empty = SAID[of.get("type", "object" if "$ref" in of else "string")]
        found[name] = empty if value == UNKNOWN else said(schema, properties(schema, of), value)
    return found


# what the provider reads without looking when it takes the state for one of an earlier version
UPGRADED: dict[str, dict[str, Any]] = {"aws:cloudwatch/eventRule:EventRule": {"isEnabled": True}}


@pytest.mark.parametrize("token", sorted(ACTIONS))
def test_what_the_stand_in_makes_anew_the_provider_does_too(offline: Alone, schema: dict[str, Any], token: str):
    inputs = every()[token]
    urn, (news, refused) = urn_of(token), offline.check(token, inputs)
    assert not refused, refused
    planned, before = plain(offline.create(token, inputs, preview=True).state), plain(news)
    known = said(schema, schema["resources"][bridge_token(token)]["properties"], planned)
    state = struct(known | UPGRADED.get(token, {}))

    def anew(inputs_: Mapping[str, Any]) -> set[str]:
        """Properties for which the provider makes it anew."""
        asked = messages.DiffRequest(id=ID, urn=urn, type=token, olds=state, news=struct(inputs_), old_inputs=news)
        return set(offline.forward.call("Diff", asked).replaces)

    assert anew(before) == set()
    for name in inputs:
        for other in others(before[name]):
            after = {**before, name: other}
            try:
                theirs = name in anew(after)
            except grpc.RpcError as error:
                if REFUSED[token, name] not in str(error.details()):  # type: ignore[attr-defined]
                    raise
                continue
            if theirs and (token, name) in NO_SUCH_WORD:
                continue
            assert theirs == (name in replaces(token, before, after, [name])), f"{name}: {other}"
