"""Where each equation was checked beyond its worked example: published figures, a simulation, or nothing yet."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

from planner.evidence.case import shipped_cases
from planner.evidence.replay import PLAUSIBLE, REPRODUCED, backtest
from planner.models.catalogue import find

ROOT = Path(__file__).resolve().parent.parent
_NAME = re.compile(r"(?<![\w.:-])([A-Za-z][A-Za-z0-9-]*)\(")

# equation -> the test that simulates what it describes, without its formula
SIMULATED = {
    "availability": "tests/models/test_goodput.py",
    "spare-wait-hours": "tests/models/test_spares.py",
    "observed-rate-low": "tests/models/test_observed_rates.py",
    "observed-rate-high": "tests/models/test_observed_rates.py",
    "worker-job-hours": "tests/worker_pool/test_alone.py",
    "falling-survival": "tests/worker_pool/test_published.py",
    "bad-node-failed-fraction": "tests/worker_pool/test_published.py",
    "batch-wait-hours": "tests/worker_pool/test_simulation.py",
    "shared-outage-fraction": "tests/worker_pool/test_outages.py",
    "cache-hit-shuffled": "tests/models/test_laws.py",
    "cache-hit-between-marks": "tests/models/test_laws.py",
    "prefetched-read-rate": "tests/models/test_laws.py",
    "tiered-storage": "tests/models/test_laws.py",
    "availability-with-notice": "tests/estimate/test_fallback.py",
    "fallback-spot-fraction": "tests/estimate/test_fallback.py",
    "fallback-hours": "tests/estimate/test_fallback.py",
    "held-for-proof-hours": "tests/models/test_returning.py",
    "on-demand-spell-hours": "tests/models/test_returning.py",
    "times-on-demand": "tests/models/test_returning.py",
}


@cache
def published() -> dict[str, tuple[str, ...]]:
    """Equation by name -> ids of the published figures that it reproduces or that lie inside its range."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for result in backtest(shipped_cases()).results:
        if result.verdict not in (REPRODUCED, PLAUSIBLE) or result.case.published.refusal:
            continue
        for name in (result.equation, *_NAME.findall(result.case.inputs)):
            entry = find(name)
            if entry is not None and result.case.id not in found[entry.name]:
                found[entry.name].append(result.case.id)
    return {name: tuple(ids) for name, ids in found.items()}


def checked(name: str) -> str:
    """One sentence for the page of the model."""
    ids, test = published().get(name, ()), SIMULATED.get(name)
    parts = []
    if ids:
        shown = ", ".join(ids[:4]) + (f" and {len(ids) - 4} more" if len(ids) > 4 else "")
        parts.append(f"against [published figures](evidence.md): {shown}")
    if test:
        parts.append(f"by simulation in [{Path(test).name}](../{test})")
    return f"Checked {'; '.join(parts)}." if parts else "Checked by its worked example only."
