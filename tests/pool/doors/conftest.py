"""PyTorch in a folder of its own, with the checkout's own package on its path."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools.torch_cpu import FOLDER, PYTHON, installed

HERE = Path(__file__).parent
POOL = HERE.parents[2] / "pool"


@pytest.fixture(scope="session")
def torch() -> dict[str, str]:
    """The environment of a process that imports torch."""
    if not installed():
        pytest.skip("PyTorch is not here: `make torch-real` installs it into .tools/torch (2.4 GB) and runs this")
    kept = {name: os.environ[name] for name in os.environ if not name.startswith(("AWS_", "AIS_", "PLANNER_"))}
    return {
        **kept,
        "PYTHONPATH": str(POOL),
        "OMP_NUM_THREADS": "1",
        "PYTHONWARNINGS": "ignore",
        "GLOO_SOCKET_IFNAME": "lo",
    }


@pytest.fixture
def loader(torch: dict[str, str]) -> Callable[..., dict[str, Any]]:
    """Runs loader_job.py."""

    def run(folder: Path, workers: int, batches: int, state: Any = None) -> dict[str, Any]:
        words = [str(PYTHON), str(HERE / "loader_job.py"), str(folder), str(workers), str(batches)]
        done = subprocess.run(words, env=torch, input=json.dumps(state), capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture
def torchrun(torch: dict[str, str]) -> Callable[..., subprocess.Popen[str]]:
    """Starts dcp_job.py on so many processes, in a process group of their own."""

    def start(processes: int, *words: str, **environment: str) -> subprocess.Popen[str]:
        command = [str(FOLDER / "bin" / "torchrun"), "--standalone", "--nproc-per-node", str(processes)]
        return subprocess.Popen(
            [*command, str(HERE / "dcp_job.py"), *words],
            env={**torch, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    return start
