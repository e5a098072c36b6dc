"""What a misspelled word was probably meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping


def suggestion(word: str, known: Iterable[str] | Mapping[str, str], *, cutoff: float = 0.6) -> str:
    """`; did you mean 'x'?` for the closest known word, "" if none is close. Of a mapping the value is suggested."""
    near = difflib.get_close_matches(word[:100], list(known), n=1, cutoff=cutoff)
    if not near:
        return ""
    return f"; did you mean {(known[near[0]] if isinstance(known, Mapping) else near[0])!r}?"
