"""Python interpreters of other versions that this machine has."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def other_python(version: str) -> str:
    """An interpreter of `version`, from the distribution or from pyenv; skips the test, naming it, if there is none."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for found in (shutil.which(f"python{version}"), *map(str, sorted(pyenv.glob(f"{version}.*/bin/python")))):
        if found and subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode == 0:
            return found
    pytest.skip(f"no Python {version} here")
