"""Values, paths and suggestions in error messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_LIMIT = 60
_DECIMAL_UNITS = ("B", "KB", "MB", "GB", "TB", "PB")


def shown(value: object) -> str:
    """A value for an error message: text in quotes, control and direction characters escaped, shortened."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    text = value if isinstance(value, str) else repr(value)
    cut = text[: _LIMIT - 3] + "..." if len(text) > _LIMIT else text
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)
    return f"'{safe}'" if isinstance(value, str) else safe


def path_text(path: Iterable[str | int]) -> str:
    """`run.throughput[0].gpus`: as `--set` takes it."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + shown(part)[1:-1]
    return text


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`did you mean nodes?`, or nothing when no known word is near."""
    near = nearest(word, known)
    return f"did you mean {near}?" if near else ""


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that is probably meant, or nothing."""
    # imported here because only a mistake needs it
    from difflib import get_close_matches

    by_lower: dict[str, str] = {name.lower().replace("-", "_"): name for name in known}
    near = get_close_matches(word[:_LIMIT].lower().replace("-", "_"), list(by_lower), 1, 0.6)
    return by_lower[near[0]] if near else ""


def listed(names: Iterable[str], limit: int = 24) -> str:
    """Names separated by commas; beyond the limit only their number."""
    every = list(names)
    more = f" and {len(every) - limit} more" if len(every) > limit else ""
    return ", ".join(every[:limit]) + more


def size_text(size_bytes: float) -> str:
    """`2.2PB`: a decimal size as a plan has it, to six digits."""
    power = next((power for power in (15, 12, 9, 6, 3) if size_bytes >= 10**power), 0)
    return f"{size_bytes / 10**power:.6g}{_DECIMAL_UNITS[power // 3]}"


def is_number_text(value: Any) -> bool:
    """Whether the text is a number, so that the quotes are the mistake."""
    if not isinstance(value, str) or len(value) > 400:
        return False
    try:
        float(value)
    except ValueError:
        return False
    return True
