"""How busy this node's GPUs are, as one number for CloudWatch: what the alarm on idle nodes watches.

CPU load says nothing: a pool keeps CPUs busy on nodes that train nothing. All nodes of a group publish the same metric,
which AWS counts, and bills, once.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable

from fleet_pool.node.facts import BadFacts, Node, expected_of, node_of

NAMESPACE, METRIC, DIMENSION = "Planner", "GPUUtilization", "AutoScalingGroupName"
OF_SLURM = "Fleet"  # the dimension of nodes that are in no Auto Scaling group
EVERY_MIN = 15  # AWS's free million requests a month are those of 340 nodes
SAMPLES, PAUSE_S = 12, 5.0  # nvidia-smi tells of the last second or less
LIMIT_S = 45.0
ASKS = ("nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits")


def dimension_of(node: Node) -> str:
    """Of the metrics of a node's group."""
    return OF_SLURM if node.fleet else DIMENSION


def percent(text: str) -> float:
    """The mean over the GPUs that nvidia-smi lists, each a percentage of time with a kernel at work. Raises
    ValueError."""
    found = [float(line) for line in text.splitlines() if line.strip()]
    if not found:
        raise ValueError("nvidia-smi lists no GPU")
    return sum(found) / len(found)


def measured(run: Callable[..., str], sleep: Callable[[float], None] = time.sleep) -> float:
    """The mean over a minute. Raises ValueError, OSError, SubprocessError."""
    found = []
    for number in range(SAMPLES):
        if number:
            sleep(PAUSE_S)
        found.append(percent(run(*ASKS)))
    return sum(found) / len(found)


def main() -> int:
    """Publishes one value. Exit code: 0, 1 with the reason on standard error."""
    try:
        node, expected = node_of(os.environ), expected_of(os.environ.get("PLANNER_EXPECTED", ""))
        if not (expected.nvidia and node.counted):
            print("planner-gpu-use: this node has no NVIDIA GPUs: nothing to publish", flush=True)
            return 0
        value = measured(_run)
        words = ("--namespace", NAMESPACE, "--metric-name", METRIC, "--unit", "Percent", "--value", f"{value:.2f}")
        where = ("--dimensions", f"{dimension_of(node)}={node.counted}", "--region", node.region)
        _run("aws", "cloudwatch", "put-metric-data", *words, *where)
        print(f"planner-gpu-use: {value:.2f} %", flush=True)
    except (BadFacts, ValueError, OSError, subprocess.SubprocessError) as problem:
        said = (getattr(problem, "stderr", "") or "").strip()
        print(f"planner-gpu-use: {problem} {said}".rstrip(), file=sys.stderr)
        return 1
    return 0


def _run(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S, check=True).stdout


if __name__ == "__main__":
    sys.exit(main())
