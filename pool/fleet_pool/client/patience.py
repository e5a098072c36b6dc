"""How long to go on asking, and how long to wait between: pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fleet_pool.compat import frozen


@frozen
class Patience:
    """In all `total_s` from the first try. The longest window of errors in trials was 45 s (primary and target
    killed with the engine's own keepalive settings), of a mount over the pool 55 s: three times that.

    rest_s: how long nothing is asked of a pool that did not answer `tries_before_rest` times running.
    """

    total_s: float = 180.0
    first_wait_s: float = 0.25
    longest_wait_s: float = 8.0
    tries_before_rest: int = 3
    rest_s: float = 5.0


def waits_s(patience: Patience, random: Callable[[], float]) -> Iterator[float]:
    """Seconds to wait after each failed round, without end: doubling up to the longest, between half and the whole
    of it by chance, so that a thousand readers do not come back in the same instant."""
    wait = patience.first_wait_s
    while True:
        yield wait * (0.5 + random() / 2)
        wait = min(wait * 2, patience.longest_wait_s)
