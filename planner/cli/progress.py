"""What is being done, on standard error, when it takes longer than a second and a person is watching."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from planner.kinds.asking import Watch

if TYPE_CHECKING:
    from planner.kinds.asking import Each

AFTER_SECONDS, EVERY_SECONDS = 1.0, 0.2


class Progress:
    """`done` of `total` steps; without a total only the seconds are shown."""

    def __init__(self, what: str, total: int = 0) -> None:
        self.what, self.total, self.done = what, total, 0
        self._started = time.monotonic()

    def step(self, count: int = 1) -> None:
        """So many more steps are done."""
        self.done += count

    def text(self) -> str:
        """`Pricing the plan: 36 of 128, 2 s`."""
        steps = f" {self.done:,} of {self.total:,}," if self.total else ""
        return f"{self.what}:{steps} {time.monotonic() - self._started:.0f} s"


def counted(shown: Progress) -> Each:
    """What applies a function to many things in several processes and counts them in a line of progress."""

    def each(function: Callable[[Any], Any], things: Sequence[Any]) -> Iterator[Any]:
        from planner.api.parallel import in_processes

        shown.total = len(things)
        for done in in_processes(function, things, others=1):
            shown.step()
            yield done

    return each


class Watched(Watch):
    """What a kind of plan does, as such lines of progress."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet

    @contextmanager
    def each(self, what: str) -> Iterator[Each]:
        with progress(what, quiet=self._quiet) as shown:
            yield counted(shown)

    @contextmanager
    def steps(self, what: str, total: int) -> Iterator[Callable[[], None]]:
        with progress(what, total=total, quiet=self._quiet) as shown:
            yield shown.step


@contextmanager
def progress(
    what: str,
    *,
    total: int = 0,
    quiet: bool = False,
    stream: TextIO | None = None,
    after_seconds: float = AFTER_SECONDS,
) -> Iterator[Progress]:
    """A line that starts after a second, is rewritten in place, and is gone at the end. Only on a terminal, and never
    in CI, where a log would keep every version of it."""
    shown, written = Progress(what, total), stream or sys.stderr
    if quiet or os.environ.get("CI") or not written.isatty():
        yield shown
        return
    ended = threading.Event()
    writer = threading.Thread(target=_write, args=(shown, written, ended, after_seconds), daemon=True)
    writer.start()
    try:
        yield shown
    finally:
        ended.set()
        writer.join()


def _write(shown: Progress, stream: TextIO, ended: threading.Event, after_seconds: float) -> None:
    wait, wrote = after_seconds, False
    while not ended.wait(wait):
        stream.write(f"\r\x1b[K{shown.text()}")
        stream.flush()
        wait, wrote = EVERY_SECONDS, True
    if wrote:
        stream.write("\r\x1b[K")
        stream.flush()
