"""What the server that `tests.typed` forks from has imported: every verb, and what the verbs import when called."""

from __future__ import annotations

import gc
import importlib

import infra.graph  # noqa: F401  preview and lint
import planner.decide.compare
import planner.decide.explain
import planner.report.html.page  # noqa: F401  report
from planner.cli.main import VERBS

for module, _ in VERBS.values():
    importlib.import_module(module)
gc.freeze()  # a child shares what it does not write to, and the collector writes to what it looks through
