"""Account ids never reach a file, a message or a terminal."""

from __future__ import annotations

import re

_ACCOUNT_ID = re.compile(r"(?<![0-9A-Za-z])(?<!\d\.)\d{12}(?![0-9A-Za-z])")  # not the decimals of a price
MASK = "************"


def masked(text: str) -> str:
    """The text with every account id (12 digits that stand alone) replaced by stars."""
    return _ACCOUNT_ID.sub(MASK, text)
