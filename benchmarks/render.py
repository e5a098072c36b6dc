"""The page of sixty scenarios in a browser: from the start of its navigation to a layout, beside a blank page."""

from __future__ import annotations

import statistics
import subprocess
import tempfile
from pathlib import Path

from benchmarks.many_scenarios import SIXTY
from benchmarks.measure import PLANNER, ROOT
from tools import chromium

GOAL_SECONDS = 1.0
GOAL_BYTES = 1_000_000
BLANK = "<!doctype html><html lang=en><title>blank</title><p>blank</p></html>"
# to the end of the load event, in which the page's own scripts have run, and a layout of the whole page after it
LAID_OUT = """() => {
  const start = performance.now();
  document.documentElement.scrollHeight;
  const [load] = performance.getEntriesByType("navigation");
  return (load.loadEventEnd + performance.now() - start) / 1000;
}"""


def main(runs: int = 9) -> str:
    if chromium.found() is None:
        return f"not measured: {chromium.MISSING}"
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        pages = {"a blank page": Path(folder) / "blank.html", "sixty scenarios": Path(folder) / "sixty.html"}
        pages["a blank page"].write_text(BLANK, encoding="utf-8")
        command = [PLANNER, "report", "examples/stability-converged.yaml", *SIXTY, "-q", "-o"]
        subprocess.run([*command, str(pages["sixty scenarios"])], cwd=ROOT, check=True)
        browser = chromium.launched(playwright)
        tab = browser.new_page(viewport={"width": 1280, "height": 800})
        seen: dict[str, list[float]] = {name: [] for name in pages}
        for turn in range(runs + 1):
            for name, path in pages.items():
                tab.goto(path.as_uri(), wait_until="load")
                if turn:  # the first is a warm-up
                    seen[name].append(tab.evaluate(LAID_OUT))
        browser.close()
        size = pages["sixty scenarios"].stat().st_size
    base, ours = (statistics.median(seen[name]) for name in pages)
    told = "met" if ours <= GOAL_SECONDS else "MISSED"
    small = "met" if size < GOAL_BYTES else "MISSED"
    return "\n".join(
        (
            f"a blank page:    {base * 1e3:>6.0f} ms",
            f"sixty scenarios: {ours * 1e3:>6.0f} ms, ratio {ours / base:.1f}  (goal {GOAL_SECONDS * 1e3:.0f} {told})",
            f"its size:        {size / 1e3:>6.0f} kB  (goal {GOAL_BYTES / 1e3:.0f} {small})",
        )
    )


if __name__ == "__main__":
    print(f"== {__doc__}\n{main()}\n")
