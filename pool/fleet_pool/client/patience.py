"""How long to retry, and how long to wait between tries. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fleet_pool.compat import frozen


@frozen
class Patience:
    """total_s: from the first try, three times the longest outage in trials (45 s with primary and target killed
    under the engine's default keepalive, 55 s for a mount over the pool).

    rest_s: how long a pool is skipped that did not answer `tries_before_rest` times in a row.
    """

    total_s: float = 180.0
    first_wait_s: float = 0.25
    longest_wait_s: float = 8.0
    tries_before_rest: int = 3
    rest_s: float = 5.0


def waits_s(patience: Patience, random: Callable[[], float]) -> Iterator[float]:
    """Seconds to wait after each failed round, endless: doubling up to the longest, with random jitter down to half, so
    that a thousand readers do not return at the same moment."""
    wait = patience.first_wait_s
    while True:
        yield wait * (0.5 + random() / 2)
        wait = min(wait * 2, patience.longest_wait_s)
