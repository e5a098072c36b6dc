"""PyTorch in a folder of its own, for the test that runs torchrun: .tools/torch, git-ignored.

    python -m tools.torch_cpu            install it: about a minute, 2.4 GB to download, 4.2 GB on disk
    python -m tools.torch_cpu --where    whether it is installed, nothing else

Versions and hashes are those of requirements/torch.txt. PyPI has no Linux build without CUDA, so the CUDA libraries
come along; nothing here needs a GPU.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from tools.gotools import BUILT, CannotBuild, alone

LOCKED = Path(__file__).resolve().parents[1] / "requirements" / "torch.txt"
FOLDER = BUILT / "torch"
PYTHON = FOLDER / "bin" / "python"
STAMP = FOLDER / "key"
LIMIT_S = 900
NEEDED_GB = 8


def key() -> str:
    """What an installation depends on, as one hash."""
    return hashlib.sha256(LOCKED.read_bytes() + sys.version.encode()).hexdigest()


def installed() -> bool:
    return STAMP.is_file() and STAMP.read_text() == key()


def install() -> None:
    """Installs it unless it is there. Raises CannotBuild."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise CannotBuild(f"requirements/torch.txt is for linux/x86_64, not {sys.platform}/{platform.machine()}")
    BUILT.mkdir(exist_ok=True)
    if not installed() and shutil.disk_usage(BUILT).free < NEEDED_GB * 1e9:
        raise CannotBuild(f"PyTorch needs {NEEDED_GB} GB in {BUILT}")
    with alone(BUILT):
        if installed():
            return
        shutil.rmtree(FOLDER, ignore_errors=True)
        uv = (sys.executable, "-m", "uv")
        _run(*uv, "venv", "--quiet", "--python", sys.executable, str(FOLDER))
        options = ("--quiet", "--no-deps", "--no-cache", "--require-hashes", "--python", str(PYTHON))
        _run(*uv, "pip", "install", *options, "--requirements", str(LOCKED))
        # compiled once here instead of by six processes in the test
        _run(str(PYTHON), "-c", "import torch.distributed.run, torch.nn.parallel, boto3")
        STAMP.write_text(key())


def _run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    if done.returncode:
        raise CannotBuild(f"{' '.join(words[:4])}: {done.stderr.strip()[-300:]}")


def main() -> int:
    if "--where" in sys.argv[1:]:
        print(f"torch: {FOLDER if installed() else 'not built'}")
        return 0
    try:
        install()
    except (CannotBuild, subprocess.TimeoutExpired) as error:
        print(f"torch: {error}", file=sys.stderr)
        return 1
    print(f"torch: {FOLDER}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
