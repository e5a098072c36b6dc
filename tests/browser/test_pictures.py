"""Pictures: of every example's page as artefacts in out/screenshots, and the one that the README shows."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tests.browser.conftest import PAPER, Scheme, Show
from tests.browser.pages import EXAMPLES, ROOT

SCHEMES: tuple[Scheme, ...] = ("light", "dark", "print")
LOOKS: list[tuple[int, Scheme]] = [*((width, scheme) for width in (1280, 390) for scheme in SCHEMES), (PAPER, "print")]


@pytest.mark.thorough  # for people to look at; test_layout measures the same pages
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_picture_of_the_whole_page_is_kept(show: Show, name: str, width: int, scheme: Scheme) -> None:
    page = show(name, width, scheme).page
    path = ROOT / "out" / "screenshots" / f"{name}-{width}-{scheme}.jpg"
    path.parent.mkdir(parents=True, exist_ok=True)
    # a JPEG of so tall a page takes a third of a PNG's time
    taken = page.screenshot(path=str(path), full_page=True, type="jpeg", quality=75)
    assert path.read_bytes() == taken
    # one colour from edge to edge, an empty page, packs into next to nothing
    assert len(taken) > 0.01 * width * page.evaluate("document.documentElement.scrollHeight")


def test_the_readme_shows_the_report() -> None:
    path = Path("docs") / "images" / "report.png"
    assert f"]({path.as_posix()})" in (ROOT / "README.md").read_text(encoding="utf-8")
    data = (ROOT / path).read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    assert width == 1280
    assert 600 <= height <= 1400
    assert 20_000 < len(data) < 300_000
