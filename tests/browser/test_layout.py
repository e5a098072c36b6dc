"""Every page in a wide window, on a phone and on paper, light and dark: nothing runs over, nothing is cut or covered.

A phone that prints lays out for paper, so print has no narrow window of its own.
"""

from __future__ import annotations

import pytest

from tests.browser.conftest import PAPER, Scheme, Show
from tests.browser.pages import NAMES

# whether the bills are open matters to the width, and hardly to the colours
LOOKS: list[tuple[int, Scheme, str]] = [
    (1280, "light", "asOpened()"),
    (1280, "dark", "asOpened()"),
    (1280, "light", "openAll()"),
    (390, "light", "asOpened()"),
    (390, "dark", "asOpened()"),
    (390, "dark", "openAll()"),
    (PAPER, "print", "asOpened()"),
    (PAPER, "print", "openAll()"),
    (1280, "print", "asOpened()"),
    (390, "print", "asOpened()"),
]


@pytest.mark.parametrize(("width", "scheme", "state"), LOOKS)
@pytest.mark.parametrize("name", NAMES)
def test_layout(show: Show, name: str, width: int, scheme: Scheme, state: str) -> None:
    tab = show(name, width, scheme)
    tab.probe(state)
    # no paper is as narrow as a phone: there the style for paper keeps boxes that scroll
    on_paper = scheme == "print" and width >= PAPER
    found = tab.probe(f"layout({str(on_paper).lower()})")
    assert found.pop("lines") > 100
    assert found == {"widths": {"page": width, "room": width, "window": width}, "cut": [], "covered": []}
