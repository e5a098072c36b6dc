"""What a node tells its Auto Scaling group: that it is ready, that it cannot be, that it has left."""

from __future__ import annotations

import subprocess
import sys

from fleet_pool.node.facts import Node

LAUNCH, DRAIN = "launch", "drain"  # names of the hooks
CONTINUE, ABANDON = "CONTINUE", "ABANDON"
LAUNCH_S = 3600  # the group ends a node that says nothing for so long
# a spot notice, or a fast boot, may come before the group waits; source: AWS's message as users of hooks report it
NOT_AWAITED = "No active Lifecycle Action found"


def complete(node: Node, hook: str, result: str) -> bool:
    """Completes the hook that the group waits for, up to the hook's timeout. False: the group does not wait for this
    node, not yet or no longer. Raises CalledProcessError."""
    if not node.group:
        print("this node is in no Auto Scaling group: nothing to complete", flush=True)
        return True
    action = ("--lifecycle-hook-name", hook, "--lifecycle-action-result", result)
    named = ("--auto-scaling-group-name", node.group, "--instance-id", node.instance, "--region", node.region)
    command = ("aws", "autoscaling", "complete-lifecycle-action", *action, *named)
    print("+", *command, flush=True)
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode and NOT_AWAITED in done.stderr:
        print(f"{node.group} is not waiting for this node: nothing to complete", flush=True)
        return False
    sys.stderr.write(done.stderr)
    done.check_returncode()
    return True
