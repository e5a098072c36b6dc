"""When AWS takes this node away: the job is told, then the group. For GPU nodes that have no target to drain.

A node with a target has `planner pool notice` for it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import datetime, timezone

from fleet_pool.launch.here import BUNDLE_FOLDER, settings_of
from fleet_pool.node import lifecycle
from fleet_pool.node.facts import BadFacts, node_of
from fleet_pool.operate.imds import Metadata
from fleet_pool.operate.notice import SHORTEST_S, seconds_left, variables_of, wait
from fleet_pool.problems import Code

TOLD_SHARE = 0.5  # of the seconds left, for what tells the job


def main() -> int:
    """Exit code: 0, 2 for a machine that is no node of a stack, 4 if a step failed."""
    try:
        node = node_of(settings_of(os.environ))
    except BadFacts as error:
        print(f"planner-leaving: {error}", file=sys.stderr)
        return Code.USAGE
    notice = wait(Metadata.of(os.environ), _tell)
    left_s = seconds_left(notice, datetime.now(timezone.utc))
    _tell(f"notice: {notice.kind}, this instance will {notice.action} within {left_s:.0f} s")
    right = True
    script, more = f"{BUNDLE_FOLDER}/leave.sh", {**os.environ, **variables_of(notice)}
    limit_s = max(TOLD_SHARE * left_s, SHORTEST_S)
    try:
        subprocess.run(("/bin/sh", script), env=more, timeout=limit_s, check=True)
    except (OSError, subprocess.SubprocessError) as problem:
        right = False
        _tell(f"the job may not know: {problem}")
    try:
        lifecycle.complete(node, lifecycle.DRAIN, lifecycle.CONTINUE)
    except (OSError, subprocess.SubprocessError) as problem:
        right = False
        _tell(f"the Auto Scaling group was not told: {problem}")
    return Code.OK if right else Code.AWS


def _tell(text: str) -> None:
    print(f"planner-leaving: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
