"""Fewer findings: of chosen rules, without ignored ones, and without those that were known before."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Sequence

from planner.lint.rule import Finding

Key = tuple[str, str, str]  # rule, resource, property: the message may change its words or figures


class UnknownRule(Exception):
    """A rule id that does not exist, with the nearest ones."""


class NotABaseline(Exception):
    """A file that is not what `-f json` writes, and why."""


def rule_ids(words: Iterable[str], known: Sequence[str]) -> frozenset[str]:
    """The ids in words such as `SSH-KEY,NAME-RANDOM`. Raises UnknownRule."""
    found = {part.strip().upper() for word in words for part in word.split(",") if part.strip()}
    for wrong in sorted(found - set(known)):
        near = difflib.get_close_matches(wrong, known, n=3)
        raise UnknownRule(f"there is no rule {wrong}" + (f"; did you mean {', '.join(near)}?" if near else ""))
    return frozenset(found)


def of_rules(findings: Sequence[Finding], select: frozenset[str], ignore: frozenset[str]) -> list[Finding]:
    """Of the selected rules, or of all where none is selected, without the ignored ones."""
    return [one for one in findings if (not select or one.id in select) and one.id not in ignore]


def baseline_of(text: str) -> frozenset[Key]:
    """What a saved result of `-f json` knows. Raises NotABaseline."""
    try:
        entries = json.loads(text)["findings"]
        return frozenset((str(e["id"]), str(e["resource"]), str(e["property"])) for e in entries)
    except (ValueError, RecursionError) as error:
        raise NotABaseline(f"not JSON: {error}") from None
    except (KeyError, TypeError):
        raise NotABaseline(
            "not a result of `planner lint -f json`, whose findings have id, resource and property"
        ) from None


def new_since(findings: Sequence[Finding], known: frozenset[Key]) -> list[Finding]:
    return [one for one in findings if (one.id, one.resource, one.property) not in known]
