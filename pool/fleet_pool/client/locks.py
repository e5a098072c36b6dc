"""A lock that is free in a forked process, even if a thread of its parent held it."""

from __future__ import annotations

import os
import threading
from typing import Any


class ProcessLock:
    """One lock for each process: a thread that held it while a data loader forked does not exist in the worker."""

    def __init__(self) -> None:
        self._of: dict[int, threading.Lock] = {}

    def __enter__(self) -> None:
        self._mine().acquire()

    def __exit__(self, *_: Any) -> None:
        self._mine().release()

    def _mine(self) -> threading.Lock:
        process = os.getpid()
        return self._of.get(process) or self._of.setdefault(process, threading.Lock())
