"""A lock that a forked process finds free, whoever held it in its parent."""

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
        return self._of.setdefault(os.getpid(), threading.Lock())
