"""The Chromium of this machine, driven from Python: for the browser tests, the benchmark of the page and the pictures.

Nothing downloads a browser. Debian's package is the one that is meant; what is on PATH under the other names works too.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = "no Chromium on PATH: on Debian, apt-get install chromium"
# no sandbox: a container's root has none to give. The rest keeps the browser from the network and from its own chores.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_MS = 300_000  # for whatever it is asked: against hanging only, a busy machine takes its time


def found() -> str | None:
    """Where the browser is, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


def launched(playwright: Playwright) -> Browser:
    """A headless browser. Raises FileNotFoundError, with what to install, where there is none."""
    path = found()
    if path is None:
        raise FileNotFoundError(MISSING)
    return playwright.chromium.launch(executable_path=path, args=list(FLAGS), timeout=PATIENCE_MS)
