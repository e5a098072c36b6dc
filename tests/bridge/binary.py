"""Where the Terraform AWS provider's binary lies. No registry of packages serves it: the machine is searched.

A folder as `terraform providers mirror` and Terraform's own caches lay it out:
registry.terraform.io/hashicorp/aws/VERSION/linux_amd64/terraform-provider-aws_*.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

GIVEN = "TF_PLUGIN_MIRROR"
INSIDE = "registry.terraform.io/hashicorp/aws"
BINARY = "*/linux_amd64/terraform-provider-aws_*"
DEEPEST = 5  # folders below the ones that are searched
PLACES = (Path("/opt"), Path("/usr"), Path.home())
# folders of which each holds thousands, and never a mirror
SKIPPED = frozenset(
    {"node_modules", "site-packages", "__pycache__", ".git", "doc", "man", "locale", "icons", "include"}
)
MISSING = (
    "no Terraform AWS provider on this machine: what its real code says is not tested. "
    f"`terraform providers mirror DIR` fetches it; give DIR as {GIVEN}, or keep it under /opt, /usr or the home folder"
)


def found(places: Sequence[Path] = PLACES) -> Path | None:
    """The newest version's binary: in the folder that TF_PLUGIN_MIRROR names and nowhere else, or in `places`."""
    given = os.environ.get(GIVEN)
    mirrors = [Path(given) / INSIDE] if given else [mirror for place in places for mirror in _mirrors(place)]
    binaries = [path for mirror in mirrors for path in mirror.glob(BINARY) if os.access(path, os.X_OK)]
    return max(binaries, key=version, default=None)


def version(binary: Path) -> tuple[int, ...]:
    """Version of a binary, by the folder it lies in."""
    return tuple(map(int, re.findall(r"\d+", binary.parents[1].name)))


def _mirrors(place: Path) -> Iterator[Path]:
    top = len(place.parts)
    for folder, below, _ in os.walk(place):
        here = Path(folder)
        if (here / INSIDE).is_dir():
            yield here / INSIDE
        deep = len(here.parts) - top >= DEEPEST
        below[:] = [] if deep else [name for name in below if name not in SKIPPED and name != "registry.terraform.io"]
