"""What an update asks for: Regions and instance types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

# GPUs, Trainium, and types with NVMe for storage nodes
DEFAULT_TYPES = ("p[0-9]*", "g[0-9]*", "trn*", "i[0-9]*", "im4gn*", "is4gen*", "d[23]*", "h1*")
DEFAULT_REGIONS = ("us-east-1", "us-east-2", "us-west-2", "eu-west-1", "ap-northeast-1")


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """regions: in order. types: patterns such as `p5*`. known: types that are wanted besides, by name."""

    regions: tuple[str, ...]
    types: tuple[str, ...]
    known: tuple[str, ...] = ()

    def has_type(self, name: str) -> bool:
        """Whether an instance type is asked for."""
        return name in self.known or any(fnmatchcase(name, pattern) for pattern in self.types)


def wanted(regions: Sequence[str], types: Sequence[str], known: Sequence[str]) -> Wanted:
    """What was asked for, else the defaults. known: types whose hardware the book has; only without `types`."""
    return Wanted(
        regions=tuple(dict.fromkeys(regions or DEFAULT_REGIONS)),
        types=tuple(types or DEFAULT_TYPES),
        known=() if types else tuple(sorted(known)),
    )
