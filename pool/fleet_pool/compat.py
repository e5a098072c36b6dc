"""Frozen, keyword-only dataclasses on Python 3.9, whose `dataclass` has no `kw_only`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

    @dataclass_transform(kw_only_default=True, frozen_default=True)
    def frozen(cls: type) -> type: ...

else:

    def frozen(cls):
        """A frozen dataclass whose fields are given by name (on 3.9 not enforced)."""
        keywords = {"kw_only": True} if sys.version_info >= (3, 10) else {}
        return dataclass(frozen=True, **keywords)(cls)
