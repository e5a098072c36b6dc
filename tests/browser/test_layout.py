"""Every page in a wide window, on a phone and on paper, light and dark: nothing runs over, nothing is cut or covered.

A phone that prints lays out for paper, so print has no narrow window of its own.
"""

from __future__ import annotations

import pytest

from tests.browser.conftest import PAPER, Scheme, Show
from tests.browser.pages import EXAMPLES, NAMES

PAPER_HIGH = 950  # of the lower letter sheet: (279.4 - 28) mm
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


@pytest.mark.parametrize("name", EXAMPLES)
def test_paper_begins_with_the_page_to_sign_and_it_is_one_page(show: Show, name: str) -> None:
    cover = show(name, PAPER, "print").page.locator("#cover")
    assert cover.locator(".lines").is_visible()
    box = cover.bounding_box()
    assert box["y"] + box["height"] < PAPER_HIGH


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_folded_on_a_screen_is_printed(show: Show, name: str) -> None:
    folded = (
        "#change h3 >> nth=0",
        "#bills h3 >> nth=0",
        "#assumptions table",
        "#equations dl",
        "#sources ol",
        "#glossary dl",
    )
    for width, scheme, seen in ((1280, "light", False), (PAPER, "print", True)):
        page = show(name, width, scheme).page
        assert [page.locator(part).is_visible() for part in folded] == [seen] * len(folded)


def test_a_phone_shows_the_answer_without_its_appendix(show: Show) -> None:
    page = show("small", 390).page
    assert page.evaluate("document.documentElement.scrollHeight") < 7_000
