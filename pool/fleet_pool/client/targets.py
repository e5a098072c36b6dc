"""Which nodes of the pool are slow or silent for this machine, and are therefore left alone for a while."""

from __future__ import annotations

from collections.abc import Callable

from fleet_pool.client.locks import ProcessLock
from fleet_pool.client.shared import NodeMemory, Rest
from fleet_pool.compat import frozen

SLACK_S = 1.0  # clocks that are read one after the other, and small steps of a clock


@frozen
class Breaker:
    """strikes: bad answers, less a quarter of each good one, until a node rests. rest_s: the first rest; each further
    one within `forget_s` is twice as long, up to the longest. After a rest one bad answer is enough for the process
    that began it, two for others, until good ones have made up for it."""

    strikes: float = 3.0
    rest_s: float = 5.0
    longest_rest_s: float = 60.0
    forget_s: float = 300.0


class Targets:
    """memory: shared by the processes of this machine, so that the ranks learn of a sick node from each other."""

    def __init__(self, memory: NodeMemory, now: Callable[[], float], breaker: Breaker | None = None) -> None:
        self._memory, self._breaker, self._now = memory, breaker or Breaker(), now
        self._strikes: dict[str, float] = {}
        self._begun: dict[str, float] = {}  # the end of the last rest that this process began
        self._tried: dict[str, float] = {}  # the end of the rest after which a node was judged
        self._lock = ProcessLock()

    def resting(self, target: str) -> bool:
        """Whether to leave this node alone."""
        return _rests(self._memory.rests().get(target), self._now())

    def well(self, target: str) -> None:
        """It answered in time."""
        last, now = self._memory.rests().get(target), self._now()
        if (last is None and target not in self._strikes) or _rests(last, now):
            return
        with self._lock:
            self._strikes[target] = max(0.0, self._held(target, last, now) - 0.25)

    def slow(self, target: str, why: str) -> bool:
        """It answered late, badly or not at all. True if it now begins to rest."""
        last = self._memory.rests().get(target)
        now = self._now()  # after the look: another may have written a rest meanwhile, which would seem void
        again = last is not None and now - last.until_s < self._breaker.forget_s
        with self._lock:
            strikes = self._strikes[target] = self._held(target, last, now) + 1
            if strikes < self._breaker.strikes or _rests(last, now):
                return False
            self._strikes[target] = 0.0
        rest_s = min(last.rest_s * 2, self._breaker.longest_rest_s) if last and again else self._breaker.rest_s
        self._begun[target] = now + rest_s
        self._memory.keep(target, Rest(until_s=now + rest_s, rest_s=rest_s, why=why[:300]))
        return True

    def _held(self, target: str, last: Rest | None, now: float) -> float:
        """Its strikes. Right after a rest one less than it takes, or two less if another process began the rest: of
        64 processes some always meet a late answer."""
        if last and now - last.until_s < self._breaker.forget_s and self._tried.get(target) != last.until_s:
            if not _rests(last, now):
                self._tried[target] = last.until_s
            mine = self._begun.get(target) == last.until_s
            self._strikes[target] = self._breaker.strikes - (1 if mine else 2)
        return self._strikes.get(target, 0.0)


def _rests(rest: Rest | None, now: float) -> bool:
    """A rest that ends much later than its own length from now is void: the clock was set back."""
    return rest is not None and now < rest.until_s <= now + rest.rest_s + SLACK_S
