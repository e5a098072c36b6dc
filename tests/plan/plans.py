"""Plans as text for these tests: one that uses every section, the examples, and how to see what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.errors import ExitCode, PlanProblems, Problem
from planner.plan.load import LoadedPlan, load_text
from tests.examples import TRAINING

ROOT = Path(__file__).parents[2]
EXAMPLES = TRAINING

SMALL = """\
apiVersion: planner/v1
name: small
run:
  work: {gpu_hours: 4000}
data: {hot_dataset: 4TB}
fleet: {instance_types: [p4d.24xlarge], nodes: 4}
"""

FULL = """\
apiVersion: planner/v1
name: full
region: eu-west-1
start: 2026-10-05
prices: 2026-09-01
run:
  kind: training
  scaling: strong
  deadline: 40d
  relative_speed: {A100: 1, H100: 2.2}
  phases:
    - name: low
      samples: 2e8
      sample: 20KB
      throughput:
        - {gpus: 8, samples_per_second: 128.2}
        - {gpus: 64, samples_per_second: 912.2, measured: false}
        - {gpus: 16, samples_per_second: 254}
    - {name: high, flop: 1e22, mfu_by_gpu: {A100: 41.5%, H100: 38%}}
    - {name: last, gpu_hours: 1_200}
data:
  hot_dataset: 2.2PB
  kept_in_s3: 5PB
  sample: 1.5MiB
  shard: 100MB
  order: sequential
  warm_up: prefetch
  checkpoint: 113GB
  checkpoints_kept: all
  ingest: {source: other-region, from_region: us-west-2, rate: 2GB/s}
fleet:
  instance_types: [p4d.24xlarge, p5.48xlarge]
  nodes: 16..64
  spares: 2
purchase:
  options: [on-demand, sp-3y-compute-partial-upfront, spot]
  zone_id: euw1-az1
  private_discount: 12%
  reuse_value: 0.5
storage:
  layouts: [converged, fsx-lustre, separate-nvme]
  retention: 8w
  s3_gateway_endpoint: false
  converged: {control_instance_type: m6i.2xlarge, control_nodes: 3}
  fsx-lustre: {throughput_mbps_per_tib: [125, 1000], capacity: 2400TiB, metadata_iops: 12000, efa: true}
  separate-nvme: {instance_type: i3en.24xlarge, spares: 1, protection: 16+4}
reliability: {checkpoint_interval: 2h, checkpoint_blocking: 30s}
people:
  engineers: 2.5
  months_before: 1
  experiments: true
  preprocessing: {gpu_hours: 3784, instance_type: g5.xlarge}
constraints: {max_cost_usd: 5e6, max_days: 60, min_usable_tb: 2200, min_hot_fit: true}
assumptions:
  goodput.restart_minutes: 12
  lustre.fill_fraction: {value: 0.8, low: 0.7, high: 0.9, source: our own}
deploy: {stack: prod, zone_id: euw1-az1, ami: ami-0123456789abcdef0, notify: ops@example.com}
"""


def with_line(text: str, old: str, new: str) -> str:
    """The text with one piece replaced; the piece must be there once, so that no test changes nothing."""
    assert text.count(old) == 1, (old, text.count(old))
    return text.replace(old, new)


def load(text: str | bytes, *overrides: str) -> LoadedPlan:
    return load_text(text, where="p.yaml", overrides=overrides)


def problems(text: str | bytes, *overrides: str) -> tuple[Problem, ...]:
    """What is wrong with a plan; fails when nothing is."""
    with pytest.raises(PlanProblems) as caught:
        load(text, *overrides)
    assert caught.value.exit_code == ExitCode.USAGE
    return caught.value.problems


def only(text: str | bytes, *overrides: str) -> Problem:
    """The one thing that is wrong with a plan."""
    found = problems(text, *overrides)
    assert len(found) == 1, [str(problem) for problem in found]
    return found[0]


def place(problem: Problem) -> str:
    return f"{problem.where}:{problem.line}:{problem.column}"
