"""Resolve the locked versions: requirements/*.txt with hashes, for every supported Python, from pyproject.toml.

    python tools/lock.py

Needs `uv` (pip install uv); the files carry versions and hashes only, never an index's address.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGETS = {
    # the build backend is locked beside the base: an editable install needs it on a fresh machine
    "base": ["pyproject.toml", "requirements/build.in"],
    # the tests run what `pulumi up` runs
    "dev": [
        "pyproject.toml",
        "requirements/build.in",
        "--extra",
        "dev",
        "--extra",
        "deploy",
        "--extra",
        "aws",
        "--extra",
        "pool",
        "--extra",
        "notebook",
        "--extra",
        "bills",
        "--extra",
        "mix",
        "--extra",
        "speed",
    ],
    "deploy": ["pyproject.toml", "--extra", "deploy", "--extra", "aws"],
}


def main() -> int:
    for name, arguments in TARGETS.items():
        out = ROOT / "requirements" / f"{name}.txt"
        command = [sys.executable, "-m", "uv", "pip", "compile", *arguments, "--universal", "--generate-hashes"]
        command += ["--python-version", "3.11", "--no-emit-index-url", "--no-emit-find-links", "--no-header"]
        command += ["--no-annotate", "--quiet", "--output-file", str(out)]
        done = subprocess.run(command, cwd=ROOT, check=False)
        if done.returncode:
            return done.returncode
        print(f"wrote requirements/{name}.txt")
    return 0


if __name__ == "__main__":
    sys.exit(main())
