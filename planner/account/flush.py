"""What S3 lacks of a file system that is about to go, asked of the stack's nodes."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from planner.account.commands import Fleet
from planner.errors import UsageProblem

FLUSH = "PYTHONPATH=/opt/planner/planner-launch.pyz python3 -m fleet_pool.node.flush"
LIMIT_S = 1200.0  # beyond what the program itself waits


def flush(nodes: Fleet, words: Sequence[str]) -> None:
    """On all nodes: nobody uses the file system, and what they wrote is on it; on one: S3 has all its files. words: of
    fleet_pool.node.flush. Raises UsageProblem with what would be lost; AwsProblem, CredentialsProblem."""
    ids = [one.id for one in nodes.members()]
    if not ids:
        raise UsageProblem(
            "no node is in service that could look whether S3 has every file of the file system: start one first, or "
            "--force if nothing is deployed or the files may go"
        )
    for some, more in ((ids, ()), (ids[:1], ("--look",))):
        said = nodes.run(some, f"{FLUSH} {shlex.join([*words, *more])}", LIMIT_S)
        wrong = {id: (each.err or each.out).strip().splitlines() for id, each in said.items() if not each.well}
        if wrong:
            lines = "\n".join(f"  - {id}: {text[-1] if text else 'no answer'}" for id, text in sorted(wrong.items()))
            raise UsageProblem(f"the file system would go with what only it has:\n{lines}\n--force if that may go")
