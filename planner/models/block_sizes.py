"""How many instances and days one EC2 Capacity Block has. No model is loaded with it, so that stack files can read
it."""

from __future__ import annotations

BLOCK_SIZES = (64, 32, 16, 8, 4, 2, 1)  # EC2 User Guide: instances of one Capacity Block
BLOCK_MAX_DAYS = 182
# EC2 User Guide, Capacity Blocks: days up to 14, then whole weeks; also of an extension
SOLD_DAYS = (*range(1, 15), *range(21, BLOCK_MAX_DAYS + 1, 7))
EXTENDED_FROM_DAYS = 56  # EC2 User Guide, Extend Capacity Blocks: before the end of a block that is scheduled or active
# the longest first part that can be extended on the day on which it starts, and every day of a week more
TOGETHER_DAYS = (*range(1, EXTENDED_FROM_DAYS + 7), *range(EXTENDED_FROM_DAYS + 7, BLOCK_MAX_DAYS + 1, 7))


def block_sizes(nodes: int) -> tuple[int, ...]:
    """Blocks of 64, 32, 16, 8, 4, 2 and 1 instances that add up to `nodes`, largest first."""
    sizes: list[int] = []
    left = nodes
    for size in BLOCK_SIZES:
        count, left = divmod(left, size)
        sizes += [size] * count
    return tuple(sizes)


def block_parts(days: int) -> tuple[int, ...]:
    """What to buy for so many days of TOGETHER_DAYS: one block, or whole weeks and, on the same day, the days more."""
    return (days - days % 7, days % 7) if days > 14 and days % 7 else (days,)
