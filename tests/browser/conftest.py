"""One browser a worker, one tab a window; a test asks for a page at a width and in a scheme.

Without Chromium these tests are skipped and say what to install; NEED_BROWSER in the environment, which CI sets,
turns the skip into a failure. The browser ends with this folder: its event loop must not stand in others' way.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.pages import page_file
from tools import chromium

Scheme = Literal["light", "dark", "print"]
PROBE = (Path(__file__).parent / "probe.js").read_text(encoding="utf-8")
SMALL_PAGES = ("small",)
# what stands between the margins of an A4 sheet, in CSS pixels: (210 - 24) mm
PAPER = 703
WINDOWS: dict[int, dict[str, Any]] = {
    1280: {"viewport": {"width": 1280, "height": 800}},
    # a phone lays out by the viewport that the page asks for, and zooms out of what is too wide
    390: {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
    PAPER: {"viewport": {"width": PAPER, "height": 1000}},
}


@dataclass(kw_only=True)
class Tab:
    """A page that is open, with what it said on the console and what it asked the network for, since it was opened."""

    page: Page
    crashed: bool = False  # Chromium ended it, for want of memory or by a fault of its own
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def probe(self, call: str) -> Any:
        """The result of a function of probe.js, such as `layout(false)`."""
        return self.page.evaluate(f"() => ({PROBE}).{call}")


Show = Callable[..., Tab]


@pytest.hookimpl(tryfirst=True)  # xdist reads the marks in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of one page run on one worker, which opens it once in each window. Large pages take minutes: they are
    for `make test-real`. A test during which Chromium ends a tab, or itself, says nothing about the page, and runs
    again."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.flaky(reruns=2, only_rerun=["Target crashed", "browser has been closed"]))
        page = getattr(getattr(item, "callspec", None), "params", {}).get("name")
        if page and item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.xdist_group(f"page-{page}"))
            if page not in SMALL_PAGES:
                item.add_marker(pytest.mark.thorough)


NewContext = Callable[..., BrowserContext]


@pytest.fixture(scope="package")
def new_context() -> Iterator[NewContext]:
    """new_context(**window): a window of the one browser, which is started again if it has ended."""
    if chromium.found() is None:
        (pytest.fail if os.environ.get("NEED_BROWSER") else pytest.skip)(chromium.MISSING)
    with sync_playwright() as playwright:
        started: list[Browser] = []

        def context(**window: Any) -> BrowserContext:
            if not started or not started[-1].is_connected():
                started.append(chromium.launched(playwright))
            return started[-1].new_context(**window)

        yield context
        for browser in started:
            browser.close()


@pytest.fixture(scope="session")
def page_at(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """page_at(name): the file of that page."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "pages"
    folder.mkdir(exist_ok=True)
    return lambda name: page_file(name, folder)


def _runs(context: BrowserContext) -> bool:
    return context.browser is not None and context.browser.is_connected()


def opened(context: BrowserContext, path: Path, scripts: bool = True) -> Tab:
    """A fresh tab on that file, listened to from its first byte. scripts: whether those of the page run."""
    tab = Tab(page=context.new_page())
    tab.page.set_default_timeout(chromium.PATIENCE_MS)
    session = context.new_cdp_session(tab.page)
    session.send("Emulation.setScriptExecutionDisabled", {"value": not scripts})
    tab.page.on("crash", lambda _: setattr(tab, "crashed", True))
    tab.page.on("console", lambda m: tab.said.append(f"{m.type}: {m.text}") if m.type in ("error", "warning") else None)
    tab.page.on("pageerror", lambda error: tab.said.append(f"page error: {error}"))
    tab.page.on("request", lambda request: tab.asked.append(request.url))
    tab.page.goto(path.as_uri())
    # what the page's own scripts had to do at the start is past; the tests may ask again
    session.send("Emulation.setScriptExecutionDisabled", {"value": False})
    session.detach()
    return tab


@pytest.fixture(scope="package")
def show(new_context: NewContext, page_at: Callable[[str], Path]) -> Show:
    """show(name, width, scheme): the page in a window of that width, as it was when it was opened.

    A window keeps its tab until another page is asked for. It has one only: a tab behind another draws no frames.
    """
    contexts: dict[int, BrowserContext] = {}
    tabs: dict[int, tuple[str, Tab]] = {}

    def at(name: str, width: int, scheme: Scheme = "light") -> Tab:
        if width not in contexts or not _runs(contexts[width]):
            tabs.pop(width, None)
            contexts[width] = new_context(**WINDOWS[width], reduced_motion="reduce")
        if width not in tabs or tabs[width][0] != name or tabs[width][1].crashed:
            if width in tabs:
                tabs.pop(width)[1].page.close()
            tabs[width] = name, opened(contexts[width], page_at(name))
        tab = tabs[width][1]
        paper = scheme == "print"
        tab.page.emulate_media(media="print" if paper else "screen", color_scheme="light" if paper else scheme)
        tab.probe("asOpened()")
        return tab

    return at


@pytest.fixture
def fresh(new_context: NewContext, page_at: Callable[[str], Path]) -> Iterator[Callable[..., Tab]]:
    """fresh(name): the page in a wide window of its own, in which nothing has been focused or followed before."""
    contexts: list[BrowserContext] = []

    def at(name: str, scripts: bool = True) -> Tab:
        contexts.append(new_context(**WINDOWS[1280]))
        return opened(contexts[-1], page_at(name), scripts)

    yield at
    for context in filter(_runs, contexts):
        context.close()
