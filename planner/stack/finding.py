"""One thing that is wrong with a spec."""

from __future__ import annotations

from dataclasses import dataclass

Path = tuple[str | int, ...]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """path: where in the spec. message: what is wrong, and why. remedy: what to do about it."""

    path: Path
    message: str
    remedy: str = ""
