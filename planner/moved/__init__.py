"""Old import paths, for one release: each leads to what took its place, with a warning at the line that imports it.

`modules` and `names` are the tables; docs/decisions/0009-rooms.md has the reasons.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

import planner
from planner.moved import modules, names

OURS = (__file__, planner.__file__, importlib.__file__, importlib.util.__file__)
GONE = {**modules.GONE, **names.GONE}


def new_name(name: str) -> str | None:
    """Where a module went; None where it did not move. A module below one that moved went with it."""
    parts = name.split(".")
    for end in range(len(parts), 1, -1):
        found = modules.MOVED.get(".".join(parts[:end]))
        if found is not None:
            return ".".join((found, *parts[end:]))
    return None


# modules that are where they were and lack names that they had
KEPT = {module for name in (*names.RENAMED, *names.GONE) if new_name(module := name.rpartition(".")[0]) is None}


def find_spec(fullname: str, path: Sequence[str] | None) -> ModuleSpec | None:
    """How to import an old path, with a warning; None for every other.

    Raises ModuleNotFoundError for one that is gone, with the reason.
    """
    if fullname in GONE:
        raise ModuleNotFoundError(f"{fullname} is gone: {GONE[fullname]}", name=fullname)
    found = new_name(fullname)
    if found is not None:
        new = importlib.util.find_spec(found)
        if new is None:  # below a module that moved, and never was
            return None
        _warn(f"{fullname} is now {found}; the old path goes with the next release")
        # _Alias does not inherit from importlib.abc.Loader, which takes 25 ms to import
        loader = _Alias(fullname, found)
        spec = ModuleSpec(fullname, loader, origin=new.origin)  # pyright: ignore[reportArgumentType]
        spec.submodule_search_locations = new.submodule_search_locations
        return spec
    spec = PathFinder.find_spec(fullname, path) if fullname in KEPT else None
    if spec is not None and spec.origin is not None:
        spec.loader = _Kept(fullname, spec.origin)
    return spec


class _Alias:
    """A loader that gives the module of another name, so that there is one of each."""

    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.new)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the import system has just written the old name over it
        _answer_old_names(module, self.old)

    def get_code(self, name: str) -> CodeType | None:
        """For `python -m`."""
        spec = importlib.util.find_spec(self.new)
        loader = spec and spec.loader
        return loader.get_code(self.new) if isinstance(loader, SourceFileLoader) else None


class _Kept(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        _answer_old_names(module, module.__name__)


def _answer_old_names(module: ModuleType, old: str) -> None:
    if any(name.rpartition(".")[0] == old for name in (*modules.MOVED, *names.RENAMED, *GONE)):
        module.__getattr__ = _getter(old)  # type: ignore[method-assign]


def _getter(old: str) -> Callable[[str], object]:
    """What Python asks for a name that the module does not have."""

    def get(name: str) -> object:
        asked = f"{old}.{name}"
        if asked in modules.MOVED:  # `from planner.pool import drain` asks the package first
            return importlib.import_module(asked)
        if asked in GONE:
            # also a warning: `from module import name` does not show this error's text
            _warn(f"{asked} is gone: {GONE[asked]}")
            raise AttributeError(f"{asked} is gone: {GONE[asked]}")
        found = names.RENAMED.get(asked)
        if found is None:
            raise AttributeError(f"module {old!r} has no attribute {name!r}")
        _warn(f"{asked} is now {found}; the old name goes with the next release")
        home, _, new = found.rpartition(".")
        return getattr(importlib.import_module(home), new)

    return get


def _warn(text: str) -> None:
    """A FutureWarning at the first line outside the import system."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _imports(frame.f_code.co_filename):
        frame = frame.f_back
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    module = frame.f_globals.get("__name__", "")
    warnings.warn_explicit(text, FutureWarning, frame.f_code.co_filename, frame.f_lineno, module, registry)


def _imports(file: str) -> bool:
    return file.startswith("<frozen importlib") or file in OURS
