"""What the tests of the check ask for: eight p5, and a day."""

from __future__ import annotations

from datetime import UTC, datetime

from infra.deployer import policies
from infra.operate import FILE
from planner.check.wanted import Wanted
from planner.stack.spec import ClusterSpec
from tests.stack.specs import spec

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)


def wanted(of: ClusterSpec | None = None, **changes: object) -> Wanted:
    files = policies()
    given = {
        "spec": of or spec(),
        "now": NOW,
        "interfaces": 8 * 33,
        "endpoints": ("ssm", "ssmmessages"),
        "addresses": 8,
        "book_usd": {"p5.48xlarge": 55.04, "m7i.xlarge": 0.2016},
        "policies": {name: files[name] for name in files if name.startswith("deployer")},
        "operating": {FILE: files[FILE]},
        **changes,
    }
    return Wanted(**given)  # type: ignore[arg-type]
