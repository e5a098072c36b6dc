"""What to type where a library of an optional extra is missing: in a checkout, and where a wheel is installed."""

from __future__ import annotations

from pathlib import Path

_CHECKOUT = Path(__file__).resolve().parents[1]
NAME = "gpu-fleet-planner"
_DEPLOY = ("deploy", "aws")  # one hash-locked command installs both in a checkout


def how_to_install(extra: str) -> str:
    """The command that installs an extra of pyproject.toml: `deploy`, `aws`, `bills`, `notebook`, `speed`."""
    if extra in _DEPLOY and (_CHECKOUT / "requirements" / "deploy.txt").is_file():
        return "run `make deploy`"
    if (_CHECKOUT / "pyproject.toml").is_file():
        return f"run `python -m pip install -e '.[{extra}]'` in the checkout"
    return f"run `python -m pip install '{NAME}[{extra}]'`"
