"""What the last `pulumi up` deployed, from the stack's own outputs: asked before anything is changed."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pulumi

from planner.errors import UsageProblem
from planner.stack.spec import ClusterSpec
from planner.stack.switching import BEGAN_TAG, needs_word, refusal, standing

STANDS, CANARY = "standing", "canary"
TRIES, PAUSE_S = 20, 0.25
# of the engine itself (pulumi/pkg resource/deploy/builtins.go); a reference to the stack would answer too late, as an
# output, when resources are registered already
READ, READ_RESOURCES = "pulumi:pulumi:readStackOutputs", "pulumi:pulumi:readStackResourceOutputs"
NAME = {READ: "name", READ_RESOURCES: "stackName"}


def check_switch(spec: ClusterSpec) -> dict[str, object]:
    """The outputs of the last update. Raises UsageProblem where another layout or purchase is deployed and the stack
    file has no word for it, and where a canary would take the place of a whole fleet."""
    outputs = _read(READ)
    if STANDS not in outputs:  # a new stack, or one whose first update was killed before it had any
        outputs = {**outputs, **_of_network(_read(READ_RESOURCES))}
    stands = outputs.get(STANDS)
    if isinstance(stands, str) and needs_word(stands, spec):
        raise UsageProblem(refusal(stands, spec))
    if stands and spec.canary and not outputs.get(CANARY):
        raise UsageProblem(
            "the whole fleet is deployed, and a canary is one node: this would end the others. `planner stack PLAN "
            f"--stack {spec.stack}` without --canary writes the file for all of them"
        )
    return outputs


def begin(spec: ClusterSpec, outputs: Mapping[str, object]) -> None:
    """Said before the first resource: an update that fails may export nothing, and the next one has to know what it
    made. After an error the engine lays what was said over the old outputs (pulumi/pkg resource/deploy/
    step_executor.go), so that nothing is left out here. A switch that fails half-way is still of what stood before."""
    if pulumi.runtime.is_dry_run():
        return
    first = STANDS not in outputs
    known = {STANDS: standing(spec), **outputs, CANARY: spec.canary and (first or bool(outputs.get(CANARY)))}
    root = pulumi.runtime.get_root_resource()
    assert isinstance(root, pulumi.ComponentResource)  # the stack, in which every program runs
    root.register_outputs(known)


def export_standing(spec: ClusterSpec) -> None:
    """What the next `pulumi up` reads."""
    pulumi.export(STANDS, standing(spec))
    pulumi.export(CANARY, spec.canary)


def _of_network(resources: Mapping[str, object]) -> dict[str, object]:
    """What the tag of the VPC says, without which nothing else is made; nothing without one. resources: of the state,
    by URN."""
    for resource in resources.values():
        outputs = resource.get("outputs") if isinstance(resource, Mapping) else None
        tags = outputs.get("tags") if isinstance(outputs, Mapping) else None
        if isinstance(tags, Mapping) and BEGAN_TAG in tags:
            stands, _, canary = str(tags[BEGAN_TAG]).partition(" ")
            pulumi.log.warn(f"an earlier update of {stands} was cut off: `planner teardown-check` lists what it made")
            return {STANDS: stands, CANARY: bool(canary)}
    return {}


def _read(what: str) -> dict[str, object]:
    """Of the last update. A folder as backend is written in place while the program begins, so that a read may meet
    half of it: it is read again. Raises UsageProblem."""
    name = "/".join((pulumi.get_organization() or "organization", pulumi.get_project(), pulumi.get_stack()))
    left = TRIES
    while True:
        left -= 1
        try:
            found = pulumi.runtime.invoke(what, {NAME[what]: name}).value
            return dict((found or {}).get("outputs") or {})
        except Exception as problem:  # the SDK raises nothing narrower
            if not left:
                raise UsageProblem(f"cannot read what is deployed, so nothing is changed: {problem}") from None
            time.sleep(PAUSE_S)
