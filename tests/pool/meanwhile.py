"""Threads beside a test, until its context ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def meanwhile(*acts: Callable[[threading.Event], None]) -> Iterator[None]:
    """Each act in a thread of its own; it returns soon after its event is set."""
    over = threading.Event()
    threads = [threading.Thread(target=act, args=(over,)) for act in acts]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()
