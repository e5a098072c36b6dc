"""What a reader who cannot see or cannot point gets: axe-core's rules, names of pictures, links and the Tab key."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import Show, Tab
from tests.browser.pages import EXAMPLES, NAMES

RULES = {"resultTypes": ["violations"]}  # WCAG and good practice, of any impact
# colours follow the scheme, and what is shown follows the width
LOOKS = [
    *((name, 1280, "light") for name in NAMES),
    *(pytest.param(name, 390, "dark", marks=pytest.mark.thorough) for name in NAMES),
]


def judged(tab: Tab) -> list[str]:
    """axe-core's findings: rule, and the first places with what to do."""
    found = Axe().run(tab.page, options=RULES).response
    return [
        f"{rule['id']}: {node['html'][:200]}: {node.get('failureSummary', '')}"
        for rule in found["violations"]
        for node in rule["nodes"][:3]
    ]


@pytest.mark.parametrize(("name", "width", "scheme"), LOOKS)
def test_axe_finds_nothing(show: Show, name: str, width: int, scheme: str) -> None:
    tab = show(name, width, scheme)
    tab.page.evaluate("document.querySelectorAll('details.appendix').forEach(part => part.open = true)")
    assert judged(tab) == []


@pytest.mark.thorough
def test_axe_would_find_grey_on_grey(show: Show) -> None:
    tab = show("infeasible", 1280)
    tab.page.evaluate("document.querySelector('h1').style.color = 'var(--rule)'")
    found = judged(tab)
    tab.page.evaluate("document.querySelector('h1').style.color = ''")
    assert [line.split(":")[0] for line in found] == ["color-contrast"]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", NAMES)
def test_every_picture_has_a_name_and_a_description(show: Show, name: str, width: int) -> None:
    """As the browser tells a screen reader, which is more than that the attributes are there."""
    tab = show(name, width)
    tab.probe("openAll()")
    pictures = [picture for picture in tab.page.locator("svg[role=img]").all() if picture.is_visible()]
    told = list(spoken(tab, "svg[role=img]"))
    assert len(told) == len(pictures)
    assert pictures or name not in EXAMPLES
    for picture, (role, text) in zip(pictures, told, strict=True):
        assert role == "image"
        for part in ("title", "desc"):
            written = picture.locator(f"xpath=*[local-name()='{part}']").text_content()
            assert written
            assert written in text
    assert tab.page.locator("svg:not([role=img]):not([aria-hidden=true])").count() == 0


def spoken(tab: Tab, selector: str) -> Iterator[tuple[str, str]]:
    """(role, name and description) of what the selector finds and the page shows, as assistive technology has it."""
    session = tab.page.context.new_cdp_session(tab.page)
    root = session.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
    for node in session.send("DOM.querySelectorAll", {"nodeId": root, "selector": selector})["nodeIds"]:
        part = {"nodeId": node, "fetchRelatives": False}
        (found,) = session.send("Accessibility.getPartialAXTree", part)["nodes"]
        if found["ignored"]:
            continue
        name, description = (found.get(key, {}).get("value", "") for key in ("name", "description"))
        yield found["role"]["value"], f"{name} {description}"
    session.detach()


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.thorough), 390])
@pytest.mark.parametrize("name", NAMES)
def test_every_link_brings_its_target_into_view(show: Show, name: str, width: int) -> None:
    found = show(name, width).probe("follow()")
    assert found["faults"] == []
    assert found["followed"] > 2


@pytest.mark.thorough
def test_a_click_opens_the_bill_it_leads_to(show: Show) -> None:
    tab = show("stability-converged", 1280)
    tab.page.locator("#every > summary").click()
    links = tab.page.locator("#compare tbody a").all()
    closed = [link for link in links if not tab.page.locator(str(link.get_attribute("href"))).is_visible()]
    bill = tab.page.locator(str(closed[-1].get_attribute("href")))
    closed[-1].click()
    bill.wait_for(state="visible")
    assert bill.bounding_box()["y"] < 800


@pytest.mark.parametrize("name", NAMES)
def test_the_tab_key_reaches_everything_in_order_and_is_seen(fresh: Callable[..., Tab], name: str) -> None:
    tab = fresh(name)
    count = tab.probe("stops()")
    stops = []
    for _ in range(count + 20):
        tab.page.keyboard.press("Tab")
        at = tab.probe("focus()")
        if at is None:
            break
        assert at["marked"], f"no mark of the focus on {at['name']}"
        assert at["inside"], f"the focus is out of sight on {at['name']}"
        stops.append(at["stop"])
    # a box that scrolls and has nothing to focus gets a stop of the browser's own, without a number
    assert [stop for stop in stops if stop is not None] == list(range(count))
    assert count > 3
