"""`planner profile` on real runs of PyTorch: one worker and two say, within their interval, how fast four are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

from planner.cli.profile import command
from planner.models.workload import strong_scaling_throughput, throughput_spread
from planner.plan.assumptions import default_assumptions
from planner.profile.logs import read_log
from planner.profile.measure import measured
from tools.torch_cpu import PYTHON, installed

DDP = Path(__file__).with_name("ddp.py")
STEPS = 60

pytestmark = pytest.mark.real


@pytest.fixture
def python() -> str:
    """An interpreter that has PyTorch: .tools/torch, or the system's."""
    found = str(PYTHON) if installed() else "/usr/bin/python3"
    said = subprocess.run([found, "-c", "import torch.distributed as d; assert d.is_available()"], check=False)
    if said.returncode:
        pytest.skip("PyTorch is not here: `python -m tools.torch_cpu` or Debian's python3-torch")
    return found


def test_one_worker_and_two_predict_four(python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    runs = [word for workers in (1, 2) for word in ("--run", f"{workers}={python} {DDP} {workers} {STEPS}")]
    done = CliRunner().invoke(command, [*runs, "--measured", "measured.yaml"], standalone_mode=False)
    assert done.exception is None, done.output
    found = yaml.safe_load(Path("measured.yaml").read_text(encoding="utf-8"))
    rows = tuple((row["gpus"], row["samples_per_second"]) for row in found["run"]["throughput"])
    run = found["assumptions"]["workload.throughput_factor"]
    usual = default_assumptions()
    rate = float(strong_scaling_throughput(rows=rows, gpus=4))
    down, up = (
        np.hypot(throughput_spread(rows=rows, gpus=4, error_per_doubling_fraction=usual[key].value), run["high"] - 1)
        for key in ("workload.shortfall_per_doubling_fraction", "workload.error_per_doubling_fraction")
    )
    with Path("four.log").open("w") as kept:
        subprocess.run([python, str(DDP), "4", str(STEPS)], stdout=kept, check=True)
    four = measured(read_log("four.log", gpus=4, batch=None).steps)
    assert four is not None
    print(f"predicted {rate * (1 - down):.0f} to {rate * (1 + up):.0f}, by the fit {rate:.0f}", end="; ")
    print(f"measured {four.samples_per_second:.0f} samples/s")
    assert rate * (1 - down) <= four.samples_per_second <= rate * (1 + up)
    assert four.samples_per_second > rows[1][1], "four are faster than two"
