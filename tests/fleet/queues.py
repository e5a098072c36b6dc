"""Lists of jobs for tests of the queue."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.fleet.model import Jobs


def jobs(*rows: tuple[float, ...]) -> Jobs:
    """Rows of (submit, nodes, hours[, limit in hours[, owner]])."""
    whole = [(*row, *(row[2], 0.0)[len(row) - 3 :]) for row in rows]
    submit, nodes, hours, limit, owner = (np.array(column, dtype=float) for column in zip(*whole, strict=True))
    return Jobs(
        submit=submit, nodes=nodes.astype(np.int64), hours=hours, limit=limit / hours, owner=owner.astype(np.int64)
    )


def poisson(
    seed: int, count: int, rate: float, mean: float, sizes: Sequence[int] = (1,), owners: int = 1, limit: float = 1.0
) -> Jobs:
    """Random jobs with exponential times."""
    rng = np.random.default_rng(seed)
    return Jobs(
        submit=np.cumsum(rng.exponential(1 / rate, count)),
        nodes=rng.choice(np.array(sizes), count),
        hours=rng.exponential(mean, count) + 1e-9,
        limit=np.full(count, limit),
        owner=rng.integers(0, owners, count),
    )
