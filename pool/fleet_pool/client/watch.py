"""What a job learns of the pool's nodes from its own reads and writes: which are late, and which to leave alone."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from fleet_pool.client.errors import StoreProblem, Unavailable
from fleet_pool.client.hedge import Lateness
from fleet_pool.client.pool import Via
from fleet_pool.client.shared import NodeMemory
from fleet_pool.client.store import Store
from fleet_pool.client.targets import Targets

_log = logging.getLogger("fleet_pool.client")


@runtime_checkable
class Routed(Store, Protocol):
    """A cache of several nodes, which says which of them a call goes to."""

    def read_via(
        self, via: Via, key: str, *, start: int = 0, length: int | None = None, fresh: bool = False
    ) -> bytes: ...

    def write_via(self, via: Via, key: str, data: bytes | Path) -> None: ...

    def pass_over(self) -> None: ...


class Watch:
    """Reads and writes are judged apart: a node without S3 serves what it has."""

    def __init__(self, pool: Routed, memory: NodeMemory | None, clock: Callable[[], float]) -> None:
        self.pool, self._clock = pool, clock
        self._memory = memory or NodeMemory(None)
        self._begin()

    def _begin(self) -> None:
        self.late, self._targets = Lateness(), Targets(self._memory, self._clock)

    def __getstate__(self) -> dict[str, Any]:
        """A data loader's worker learns for itself, and from the machine's memory."""
        return {"pool": self.pool, "_memory": self._memory, "_clock": self._clock}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    def via(self) -> Via:
        return Via(self._targets.resting)

    def answered(self, via: Via, length: int | None, seconds: float, hedged: bool) -> None:
        """The pool answered a read before S3 did."""
        self.late.took(length, seconds)
        if not hedged:
            self._targets.well(via.target)

    def outrun(self, via: Via, problem: StoreProblem | None, seconds: float) -> None:
        """S3 answered before the pool, which was asked first."""
        if problem is not None:
            self.failed(via, problem)
        elif via.target:
            self._slow(via.target, f"no answer in {seconds:.2f} s; S3 was quicker")
        else:
            self.pool.pass_over()

    def failed(self, via: Via, problem: StoreProblem | None) -> None:
        if _sick(via, problem):
            self._slow(via.target, str(problem))

    def write(self, key: str, data: bytes | Path) -> None:
        """Through the pool, unless the node's writes rest. Raises StoreProblem."""
        via = Via(lambda target: self._targets.resting(f"{target} writes"))
        try:
            self.pool.write_via(via, key, data)
        except Unavailable as problem:
            if _sick(via, problem):
                self._slow(f"{via.target} writes", str(problem))
            raise
        self._targets.well(f"{via.target} writes")

    def _slow(self, target: str, why: str) -> None:
        if self._targets.slow(target, why):
            _log.warning("node %s of the pool is left alone for a while, S3 serves its share: %s", target, why)


def _sick(via: Via, problem: StoreProblem | None) -> bool:
    """Whether a problem is the node's: no answer, or an error that a well one does not give. A full node (507) and a
    busy object (409, 429) are no sickness."""
    if not isinstance(problem, Unavailable) or not via.target or via.refused:
        return False
    return problem.status in (None, 408, 500, 502, 503, 504)
