"""Text with `code` and [links](#id) as HTML; everything else in it is escaped."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from planner.report.wording.figures import visible


def inline(text: str) -> Markup:
    """Our own sentences: `code` becomes <code>, [words](#id) a link inside the page."""
    shown = re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text)))
    return Markup(re.sub(r"\[([^\]]+)\]\((#[\w-]+)\)", r'<a href="\2">\1</a>', shown))


def breakable(key: str) -> Markup:
    """A key that a narrow column may break after its dots and underscores, and nowhere else."""
    return Markup(re.sub(r"([._])(?=\w)", r"\1<wbr>", str(escape(key))))


def shown(texts: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """Texts from elsewhere, in which nothing acts."""
    return tuple(visible(text) for text in texts)


def script_data(text: str) -> Markup:
    """JSON inside a script element, which no name in it can end."""
    return Markup(text.replace("<", "\\u003c"))
