"""How many instances one EC2 Capacity Block has. No model is loaded with it, so that stack files can read it."""

from __future__ import annotations

BLOCK_SIZES = (64, 32, 16, 8, 4, 2, 1)  # EC2 User Guide: instances of one Capacity Block


def block_sizes(nodes: int) -> tuple[int, ...]:
    """Blocks of 64, 32, 16, 8, 4, 2 and 1 instances that add up to `nodes`, largest first."""
    sizes: list[int] = []
    left = nodes
    for size in BLOCK_SIZES:
        count, left = divmod(left, size)
        sizes += [size] * count
    return tuple(sizes)
