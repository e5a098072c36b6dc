"""The last step of every format: text that can be written as UTF-8, and documents as such text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def utf8(text: str) -> str:
    """Half of a surrogate pair cannot be written as UTF-8; it stands as its number, which is what JSON has for it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def json_text(document: Mapping[str, Any]) -> str:
    """A document as JSON. Raises ValueError for a number that JSON does not have."""
    return utf8(json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
