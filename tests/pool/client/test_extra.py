"""The libraries of the extra are asked for where they are used, and their absence is said with what to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
WITHOUT = """
import sys
sys.modules[{library!r}] = None
from fleet_pool.client.address import open_store
from fleet_pool.client.errors import StoreProblem
open_store("folder")
try:
    open_store("s3://bucket", pool=["http://127.0.0.1:1"])
except StoreProblem as problem:
    print(problem)
"""
LOADED = """
import sys
import fleet_pool.client.address, fleet_pool.client.checkpoint, fleet_pool.client.shards
print(sorted({"aistore", "boto3", "botocore", "requests", "numpy", "pydantic", "click"} & set(sys.modules)))
"""


def _said(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("library", ["aistore", "boto3"])
def test_a_missing_library_is_reported_with_the_install_command(library):
    said = _said(WITHOUT.format(library=library))
    assert said.endswith(f"{library}, which is not installed: pip install 'fleet-pool[client]'")


def test_a_job_on_a_folder_imports_no_library():
    assert _said(LOADED) == "[]"
