"""Frozen, keyword-only records that also load where Python is 3.9 and dataclasses know no keyword-only fields."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

    @dataclass_transform(kw_only_default=True, frozen_default=True)
    def record(cls: type) -> type: ...

else:

    def record(cls):
        """A frozen dataclass, its fields given by name."""
        keywords = {"kw_only": True} if sys.version_info >= (3, 10) else {}
        return dataclass(frozen=True, **keywords)(cls)
