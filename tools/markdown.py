"""What the generated pages share: text that Markdown leaves alone, and anchors as GitHub makes them."""

from __future__ import annotations

import re


def prose(text: str) -> str:
    """Plain text in which Markdown sees no markup; what stands between backticks stays as it is."""
    parts = re.split(r"(`[^`\n]*`)", text)
    return "".join(part if i % 2 else re.sub(r"([\\*<\[$~])", r"\\\1", part) for i, part in enumerate(parts))


def cell(text: str) -> str:
    """The same for one cell of a table."""
    return prose(" ".join(text.split())).replace("|", r"\|")


def anchor(heading: str) -> str:
    """The fragment by which GitHub links to a heading: `S2 pool-usable` is #s2-pool-usable."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
