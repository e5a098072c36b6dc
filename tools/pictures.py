"""Take the pictures of the documentation anew: python -m tools.pictures (or make pictures). Needs Chromium.

What is shown is what the command writes today. The bytes differ from browser to browser, so no test compares them; the
figures that are shown are kept in the file, and a test compares those.
"""

from __future__ import annotations

import re
import struct
import subprocess
import sys
import tempfile
import zlib
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


def shown(html: str) -> str:
    """The first card of a report as text: what is recommended, its cost and its time."""
    card = re.search(r'<article class="card best.*?<div class="figures"[^>]*>.*?</div>', html, re.DOTALL)
    assert card, "the page has no card of a recommendation"
    return " ".join(re.sub(r"<[^>]+>", " ", card[0]).split())


def kept(png: bytes) -> str:
    """The text that a picture keeps; "" without any."""
    found = re.search(rb"(.{4})iTXtDescription\0{5}", png, re.DOTALL)
    if not found:
        return ""
    start = found.end()
    return png[start : start + struct.unpack(">I", found[1])[0] - len("Description") - 5].decode()


def keeping(png: bytes, text: str) -> bytes:
    """A picture with a text, in a chunk iTXt before its end (PNG specification, 11.3.3.4)."""
    body = b"iTXtDescription" + bytes(5) + text.encode()
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    return png[:-12] + chunk + png[-12:]


def main() -> int:
    if chromium.found() is None:
        print(chromium.MISSING, file=sys.stderr)
        return 2
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = chromium.launched(playwright)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        written = report(Path(folder))
        page.goto(written.as_uri())
        PICTURE.write_bytes(keeping(page.screenshot(), shown(written.read_text(encoding="utf-8"))))
        browser.close()
    print(f"wrote {PICTURE.relative_to(ROOT)}, {PICTURE.stat().st_size / 1000:,.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
