"""A page is one file: it asks for nothing else, says nothing on the console, and does not need scripts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import NewContext, Show, Tab, opened
from tests.browser.pages import NAMES

MEGABYTE = 1_000_000


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", NAMES)
def test_no_request_and_no_complaint(show: Show, page_at: Callable[[str], Path], name: str, width: int) -> None:
    for scheme in ("dark", "print", "light"):
        tab = show(name, width, scheme)
        tab.probe("openAll()")
    assert tab.asked == [page_at(name).as_uri()]
    assert tab.said == []


@pytest.mark.parametrize("name", NAMES)
def test_a_page_stays_under_a_megabyte(page_at: Callable[[str], Path], name: str) -> None:
    assert page_at(name).stat().st_size < MEGABYTE


@pytest.mark.parametrize("name", ["multimodal-p5", "stability-converged"])
def test_a_page_of_one_fleet_can_be_sent_by_mail(page_at: Callable[[str], Path], name: str) -> None:
    assert page_at(name).stat().st_size <= 2**18


def test_a_request_and_a_complaint_would_be_seen(new_context: NewContext, tmp_path: Path) -> None:
    path = tmp_path / "loud.html"
    path.write_text("<img src=gone.png><script>console.warn('so'); nowhere()</script>", encoding="utf-8")
    context = new_context()
    tab = opened(context, path)
    assert [Path(url).name for url in tab.asked] == ["loud.html", "gone.png"]
    assert any("so" in line for line in tab.said)
    assert any("nowhere" in line for line in tab.said)
    context.close()


def test_a_script_would_not_run(new_context: NewContext, tmp_path: Path) -> None:
    path = tmp_path / "scripted.html"
    path.write_text("<p>here</p><script>document.write('<p>written</p>')</script>", encoding="utf-8")
    context = new_context()
    assert seen(opened(context, path, scripts=True)) == ["here", "written"]
    assert seen(opened(context, path, scripts=False)) == ["here"]
    context.close()


@pytest.mark.parametrize("name", NAMES)
def test_without_scripts_everything_is_there(show: Show, fresh: Callable[..., Tab], name: str) -> None:
    with_scripts = iter(seen(show(name, 1280)))
    without = seen(fresh(name, scripts=False))
    # a script may add lines, such as those of a filter; it may not be needed for any, nor put them elsewhere
    assert [line for line in without if line not in with_scripts] == []
    assert "THE ANSWER" in [line.upper() for line in without]
    assert len(without) > 50


def seen(tab: Tab) -> list[str]:
    """The lines that a reader sees."""
    return [line.strip() for line in tab.page.locator("body").inner_text().splitlines() if line.strip()]
