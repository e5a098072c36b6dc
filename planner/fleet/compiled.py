"""Functions over lists of numbers, compiled by Numba where it is installed. The text and the results are the same.

The first use on a machine compiles for ten seconds; later ones read what Numba keeps beside the package, or in the
user's cache folder."""

from __future__ import annotations

import bisect
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

Plain = Callable[..., Any]


def compiled(modules: Sequence[ModuleType], state: type, build: Plain, run: Plain) -> Plain | None:
    """`run(build(*given))` with the functions of these modules; None without Numba. state: the class that `build`
    makes, whose attributes are its slots."""
    try:
        import numba
        from numba import extending
        from numba.experimental import structref
    except ImportError:
        return None

    class ByReference(numba.types.StructRef):
        def preprocess_fields(self, fields: Sequence[tuple[str, Any]]) -> tuple[tuple[str, Any], ...]:
            return tuple((name, numba.types.unliteral(of)) for name, of in fields)

    structref.register(ByReference)
    structref.define_constructor(state, ByReference, list(vars(state)["__slots__"]))
    extending.overload(bisect.bisect_left)(lambda a, x: _left)
    extending.overload(bisect.bisect_right)(lambda a, x: _right)
    extending.overload(bisect.insort)(lambda a, x: _insort)
    for module in modules:
        for one in vars(module).values():
            if isinstance(one, FunctionType) and one.__module__ == module.__name__:
                extending.register_jitable(one)
    text = b"".join(Path(module.__file__ or "").read_bytes() for module in modules)
    try:
        return numba.njit(cache=True)(_entry(build, run, hashlib.sha256(text).hexdigest()))
    except RuntimeError:  # no folder that Numba could keep it in: to compile each time takes longer than it saves
        return None


def _entry(build: Plain, run: Plain, version: str) -> Plain:
    """version: of the text. Numba keeps one result for each value of what a function closes over."""

    def entry(*given):
        assert version
        return run(build(*given))

    return entry


# The C functions of the same names are unknown to Numba.


def _left(a, x):
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if a[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


def _right(a, x):
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if x < a[middle]:
            high = middle
        else:
            low = middle + 1
    return low


def _insort(a, x):
    a.insert(bisect.bisect_right(a, x), x)
