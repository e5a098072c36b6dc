"""What the engine did, as values: its events become steps, and a command with all its steps a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pulumi.automation.events import EngineEvent, OpType

OURS = "aws:"  # begins the type of everything that stands at AWS
FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step of the engine. operation: as the engine calls it, `failed` where the provider refused.

    name: the logical name. diff: paths of the inputs that differ. replaces: those that make it a replacement.
    planned: of a preview; it was not done.
    """

    operation: str
    urn: str
    type: str
    diff: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    planned: bool = False

    @property
    def name(self) -> str:
        return self.urn.rpartition("::")[2]


@dataclass(frozen=True, kw_only=True)
class Run:
    """What one command did. code: of its exit. steps: of what stands at AWS, in the order in which they began.

    errors: logical name -> what the provider said when it refused.
    """

    command: str
    code: int
    stdout: str
    stderr: str
    steps: tuple[Step, ...]
    said: tuple[str, ...] = ()
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        return self.code != 0

    @property
    def counts(self) -> dict[str, int]:
        """Operation -> number of steps; nothing that stayed the same, nothing that was only read again."""
        return dict(Counter(step.operation for step in self.steps if step.operation not in ("same", "refresh", "read")))

    def names(self, *operations: str) -> list[str]:
        """Logical names of the steps of these operations, in order."""
        return [step.name for step in self.steps if step.operation in operations]

    def step(self, name: str, *operations: str) -> Step:
        """The first step of a resource, of one of these operations where some are given."""
        found = [s for s in self.steps if s.name == name and (not operations or s.operation in operations)]
        assert found, f"no step {operations} of {name} in {self.told}"
        return found[0]

    @property
    def told(self) -> str:
        """All that it said, for a message."""
        return "\n".join([f"pulumi {self.command}: exit {self.code}", *self.said, self.stdout, self.stderr])

    def well(self) -> Run:
        """Itself, when it ended well."""
        assert not self.failed, self.told
        return self


def steps_of(heard: Sequence[EngineEvent]) -> Iterator[Step]:
    """Steps of what stands at AWS, from the engine's events, in the order of the events."""
    # of a refresh the beginning says nothing: what was found stands at its end
    ends = {
        event.res_outputs_event.metadata.urn: event.res_outputs_event.metadata.op
        for event in heard
        if event.res_outputs_event
    }
    for event in sorted(heard, key=lambda event: event.sequence):
        begun, over = event.resource_pre_event, event.res_op_failed_event
        about = begun or over
        if about is None or not about.metadata.type.startswith(OURS):
            continue
        what = about.metadata
        detailed = what.detailed_diff or {}
        yield Step(
            operation=FAILED if over else (ends.get(what.urn, what.op) if what.op is OpType.REFRESH else what.op).value,
            urn=what.urn,
            type=what.type,
            diff=tuple(sorted(detailed or what.diffs or ())),
            replaces=tuple(sorted(what.keys or ())),
            planned=bool(begun and begun.planning),
        )


def said_of(heard: Sequence[EngineEvent]) -> Iterator[str]:
    """What the engine and the program said, warnings and errors."""
    for event in sorted(heard, key=lambda event: event.sequence):
        told = event.diagnostic_event
        if told is not None and told.severity in ("error", "warning", "info#err"):
            yield f"{told.severity}: {told.message.strip()}"


def errors_of(heard: Sequence[EngineEvent]) -> dict[str, str]:
    """What went wrong with which resource, by its logical name."""
    told = [event.diagnostic_event for event in heard if event.diagnostic_event is not None]
    return {one.urn.rpartition("::")[2]: one.message.strip() for one in told if one.urn and one.severity == "error"}
