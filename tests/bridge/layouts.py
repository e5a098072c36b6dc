"""One layout's life at a moto server: python -m tests.bridge.layouts LAYOUT FOLDER ADDRESS PROVIDER.

Up, up again, one node more, a refresh that sees what somebody else did, an `up` that puts it back and makes some things
anew, destroy; FOLDER/runs.json holds what the engine did. A process of its own, so that all layouts stand up at once:
S3's lifecycle rules take the real provider a minute, in which it does nothing but wait.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from planner.stack.spec import ClusterSpec
from tests.bridge import known
from tests.bridge.drift import drift
from tests.bridge.moto_server import CONFIG, REGION, credentials
from tests.bridge.proxy import BINARY
from tests.engine.driver import Engine, Run, Step, provider_folder
from tests.infra.specs import BUYING, fleet_of, spec_of

NODES, MORE_NODES = 2, 3
RUNS = "runs.json"
# of the images that moto has from the start: the provider asks for their root device
AMAZON_LINUX, NEXT_AMAZON_LINUX = "ami-760aaa0f", "ami-04681a1dbd79675a5"


def small(layout: str, nodes: int = NODES) -> ClusterSpec:
    """A small stack of a layout, named like it."""
    spec = spec_of(layout, stack=layout, fleet=fleet_of("p5.48xlarge", nodes), region=REGION)
    if spec.workers:
        spot = "workers/p5.48xlarge/spot"
        return replace(spec, scenario=spot, buying=BUYING["spot"], fleet=replace(spec.fleet, ami=""))
    # two control nodes: they come and go one after the other, twenty seconds each
    control = replace(spec.control, ami=AMAZON_LINUX, count=2) if spec.control.count else spec.control
    nvme = replace(spec.nvme, nodes=2, spares=1) if spec.nvme else None
    # as `planner stack` writes it: a node costs the same in a fleet of another size
    usd = {**spec.usd_per_hour, "fleet.compute": spec.usd_per_hour["fleet.compute"] / NODES * nodes}
    return replace(spec, control=control, nvme=nvme, usd_per_hour=usd)


def other(layout: str) -> ClusterSpec:
    """The same stack, changed in all that makes something of it anew: who is told, the control nodes' image, what jobs
    read in the bundle, and less of a file system, which cannot shrink."""
    spec = small(layout, MORE_NODES)
    spec = replace(
        spec,
        guard=replace(spec.guard, notify="other@example.org"),
        data=replace(spec.data, checkpoints_kept="5"),
    )
    if spec.control.count:
        spec = replace(spec, control=replace(spec.control, ami=NEXT_AMAZON_LINUX))
    if spec.lustre:
        spec = replace(spec, lustre=replace(spec.lustre, capacity_gib=2400))
    return spec


def live(layout: str, folder: Path, address: str, provider: Path) -> dict[str, Run]:
    """Name of the step -> what the engine did, until one fails."""
    env = {**credentials(address), BINARY: str(provider)}
    door = provider_folder(folder / "bin", "tests.bridge.proxy")
    engine = Engine(folder, small(layout), provider=door, env=env, config=CONFIG)
    runs: dict[str, Run] = {}

    def step(name: str, run: Callable[..., Run], *flags: str) -> bool:
        began = time.monotonic()
        runs[name] = run(*flags)
        told = [f"{layout} {name}: exit {runs[name].code}, {time.monotonic() - began:.1f} s"]
        if runs[name].failed:
            told += [said for said in runs[name].said if said.startswith("error")]
        print("\n".join(told), flush=True)
        return not runs[name].failed

    if step("up", engine.up) and step("again", engine.up):
        engine.write(small(layout, MORE_NODES))
        if step("resize", engine.up):
            if not small(layout).workers:
                drift(address, layout)
            step("refresh", engine.refresh)
            engine.unprotect()  # less of a file system is another one
            engine.write(other(layout))
            step("back", engine.up)
    known.let_go(address, layout)
    step("destroy", engine.destroy, "--exclude-protected")
    return runs


def written(runs: dict[str, Run]) -> str:
    return json.dumps({name: asdict(run) for name, run in runs.items()})


def read(folder: Path) -> dict[str, Run]:
    """The runs that a process wrote down."""

    def run(kept: dict[str, Any]) -> Run:
        steps = tuple(Step(**_frozen(step)) for step in kept["steps"])
        return Run(**{**_frozen(kept), "steps": steps})

    return {name: run(kept) for name, kept in json.loads((folder / RUNS).read_text()).items()}


def _frozen(kept: dict[str, Any]) -> dict[str, Any]:
    """JSON's lists as the tuples that they were."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in kept.items()}


def main(words: list[str]) -> int:
    layout, folder, address, provider = words
    runs = live(layout, Path(folder), address, Path(provider))
    (Path(folder) / RUNS).write_text(written(runs))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
