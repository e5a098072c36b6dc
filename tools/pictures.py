"""Take the pictures of the documentation anew: python -m tools.pictures (or make pictures). Needs Chromium.

What is shown is what the command writes today. The bytes differ from browser to browser, so no test compares them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tools import chromium

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "images" / "report.png"
WIDTH, HEIGHT = 1280, 1000  # the answer, what it rests on and the head of the picture


def report(folder: Path) -> Path:
    """The page of the README's example."""
    page = folder / "report.html"
    planner = Path(sys.executable).with_name("planner")
    command = [str(planner), "report", "examples/multimodal-p5.yaml", "-q", "-o", str(page)]
    subprocess.run(command, cwd=ROOT, check=True)
    return page


def main() -> int:
    if chromium.found() is None:
        print(chromium.MISSING, file=sys.stderr)
        return 2
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = chromium.launched(playwright)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(report(Path(folder)).as_uri())
        page.screenshot(path=str(PICTURE))
        browser.close()
    print(f"wrote {PICTURE.relative_to(ROOT)}, {PICTURE.stat().st_size / 1000:,.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
