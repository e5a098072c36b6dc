"""Which program gave a figure: its version, and a hash of the source that figures come from."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

from planner import __version__

TOP = Path(__file__).resolve().parents[3]  # the checkout, or the folder that a wheel was unpacked into
# what decides a figure: how a plan is read, the equations, the layouts, the choice, the reading of a price book
MODEL = (
    "planner/plan/*",
    "planner/models/*",
    "planner/layouts/*",
    "planner/estimate/*",
    "planner/decide/*",
    "planner/worker_pool/*",
    "pricing/*",
)
SOURCE = (".py", ".csv")


@cache
def model_sha256() -> str:
    """Of every such file by its name, in order; the same in a checkout and in a wheel, whatever its line ends.

    A version alone would not do: between two releases it stays, and the model does not.
    """
    digest = sha256()
    paths = {path.relative_to(TOP).as_posix(): path for pattern in MODEL for path in TOP.glob(pattern)}
    for name, path in sorted(paths.items()):
        if path.suffix in SOURCE:
            source = path.read_bytes().replace(b"\r\n", b"\n")
            digest.update(f"{name}\n{len(source)}\n".encode() + source)
    return digest.hexdigest()


def made_by() -> dict[str, str]:
    """As every JSON document has it."""
    return {"version": __version__, "model_sha256": model_sha256()}
