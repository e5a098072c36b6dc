"""What to type where a library of an optional extra is missing: in a checkout, and where a wheel is installed."""

from __future__ import annotations

from pathlib import Path

_CHECKOUT = Path(__file__).resolve().parents[1]
# one hash-locked command installs both in a checkout
NAME = "gpu-fleet-planner"
_DEPLOY = ("deploy", "aws")


def how_to_install(extra: str) -> str:
    """The command that installs an extra of pyproject.toml: `deploy`, `aws`, `bills`, `notebook`."""
    if extra in _DEPLOY and (_CHECKOUT / "requirements" / "deploy.txt").is_file():
        return "run `make deploy`"
    what = f"-e '.[{extra}]'` in the checkout" if (_CHECKOUT / "pyproject.toml").is_file() else f"'{NAME}[{extra}]'`"
    return f"run `python -m pip install {what}"
