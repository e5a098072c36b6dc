"""The part of docs/cli.md about `planner pool`: each of its verbs with arguments and options, from its own parser."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from fleet_pool.operate.command import verbs_of

from tools.markdown import anchor, cell, prose

PROGRAM = "planner pool"


def verbs() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """(words of the call, its parser), in --help's order."""
    for name, found in verbs_of(PROGRAM).items():
        yield f"{PROGRAM} {name}", found


def text() -> str:
    """A table of the verbs, then each with what it takes."""
    parts = ["| verb | |\n|---|---|"]
    parts += [f"| [`{words}`](#{anchor(words)}) | {cell(found.description or '')} |" for words, found in verbs()]
    parts.append("")
    for words, found in verbs():
        parts.append(f"### {words}\n\n{prose(found.description or '')}\n")
        for kind, chosen in (("argument", _arguments(found)), ("option", _options(found))):
            rows = [f"| `{name}` | {cell(about)} |" for name, about in chosen]
            if rows:
                parts.append("\n".join([f"| {kind} | meaning |", "|---|---|", *rows]) + "\n")
    return "\n".join(parts)


def _arguments(found: argparse.ArgumentParser) -> list[tuple[str, str]]:
    named = [action for action in found._actions if not action.option_strings]
    return [(f"{action.metavar}{'...' if action.nargs == '+' else ''}", action.help or "") for action in named]


def _options(found: argparse.ArgumentParser) -> list[tuple[str, str]]:
    rows = []
    for action in found._actions:
        if action.option_strings:
            value = action.metavar or ("{" + ",".join(action.choices) + "}" if action.choices else "")
            needed = " (needed)" if action.required else ""
            rows.append((f"{', '.join(action.option_strings)} {value}".strip(), f"{action.help or ''}{needed}"))
    return rows
