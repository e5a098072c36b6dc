"""Read a plan file's bytes and decode them, or say why they are not text."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from planner.errors import PlanProblems, Problem

MAX_BYTES = 1_000_000  # a plan has a few kilobytes; a larger file is not a plan
PLANS = ("", ".yaml", ".yml", ".json")  # endings of what may be a plan
# Characters that YAML forbids, and three line separators that YAML counts as lines and most editors do not.
_CONTROL = "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
_CONTROL_OF_ASCII = "[^\t\n\r\x20-\x7e]"  # most plans are ASCII, and compiling the other takes 3 ms
_LINE_END = r"\r\n|\r|\n"
_PRINTED = rb'\s*\{\s*"schema_version"'  # how all JSON output of the planner begins
_WIDE = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


def refuse(where: str, message: str, remedy: str = "", place: tuple[int, int] | None = None) -> PlanProblems:
    """PlanProblems with one problem. place: line and column from 1, None for the file as a whole."""
    line, column = place or (None, None)
    return PlanProblems((Problem(where=where, line=line, column=column, message=message, remedy=remedy),))


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file, or of standard input for `-`. Raises PlanProblems, never OSError."""
    return decode(read_bytes(path), label_of(path))


def read_bytes(path: str | os.PathLike[str], limit: int = MAX_BYTES) -> bytes:
    """A file's first bytes, at most one more than the limit. Raises PlanProblems."""
    label = label_of(path)
    try:
        if label == "<stdin>":
            return sys.stdin.buffer.read(limit + 1)
        # read no more than the limit: the path may be an endless device
        with open(path, "rb") as file:
            return file.read(limit + 1)
    except FileNotFoundError:
        raise refuse(label, "no such file", _nearby(path)) from None
    except IsADirectoryError:
        raise refuse(label, "this is a folder", "give the path of the plan file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the path cannot be opened"
        raise refuse(label, f"cannot be read: {reason}") from None


def label_of(path: str | os.PathLike[str]) -> str:
    """The file's name for messages: as given, with control characters escaped."""
    text = os.fspath(path)
    if text == "-":
        return "<stdin>"
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "replace").decode() for c in text)


def _nearby(path: str | os.PathLike[str]) -> str:
    # imported here because only a mistake needs it
    from difflib import get_close_matches

    wanted = Path(path)
    try:
        names = sorted(p.name for p in wanted.parent.iterdir() if p.suffix in (*PLANS, wanted.suffix))[:500]
    except (OSError, ValueError):
        names = []
    near = get_close_matches(wanted.name, names, 1)
    if near:
        return f"did you mean {wanted.with_name(near[0])}?"
    if wanted.suffix not in PLANS:
        return ""
    return "`planner init plan.yaml` writes a plan to start from"


def decode(raw: bytes, where: str) -> str:
    """UTF-8 text without a byte-order mark. Raises PlanProblems for anything that is not text."""
    if re.match(_PRINTED, raw):
        remedy = "give the plan file it was made from; `planner diff A B` compares two saved comparisons"
        raise refuse(where, "this is JSON output of planner, not a plan", remedy)
    if len(raw) > MAX_BYTES:
        raise refuse(where, "larger than 1 MB (1,000,000 bytes), so not a plan file", "check the file name")
    wide = _WIDE.get(raw[:2])
    if wide:
        raise refuse(where, f"the file is encoded in {wide}", "save it as UTF-8")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if b"\x00" in raw:
            raise refuse(where, "a binary file, not a plan", "check the file name") from None
        before = raw[: error.start].decode("utf-8", "replace")
        message = f"byte 0x{raw[error.start]:02x} is not UTF-8"
        raise refuse(where, message, "save the file as UTF-8", _end_of(before)) from None
    return clean(text, where)


def clean(text: str, where: str) -> str:
    """The same text. Raises PlanProblems if it is too long or contains characters that YAML forbids."""
    if len(text) > MAX_BYTES:
        raise refuse(where, "larger than 1 MB (1,000,000 bytes), so not a plan file", "check the file name")
    if "\x00" in text:
        raise refuse(where, "a binary file, not a plan (it contains a NUL byte)", "check the file name")
    found = re.search(_CONTROL_OF_ASCII if text.isascii() else _CONTROL, text)
    if found:
        place = _end_of(text[: found.start()])
        raise refuse(where, f"control character U+{ord(found[0]):04X}", "remove it", place)
    return text


def _end_of(before: str) -> tuple[int, int]:
    lines = re.split(_LINE_END, before)
    return len(lines), len(lines[-1]) + 1
