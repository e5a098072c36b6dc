"""A stack under the real engine over the stand-in cloud: what stands, what was made twice, and the way back.

The steps of recovery are those of docs/operations.md, taken by the same commands.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planner.account.stack_resources import stack_resources
from planner.stack.deployed_resources import StateResource, read_state
from planner.stack.remaining_resources import Prices, Remaining, remaining_resources
from planner.stack.spec import ClusterSpec
from tests.engine.cloud.api import Api
from tests.engine.cloud.faults import Fault, Faults
from tests.engine.cloud.store import Cloud, Thing
from tests.engine.driver import Engine, provider_folder
from tests.engine.processes import kill_session
from tests.engine.specs import GIVEN
from tests.engine.steps import Run
from tests.infra.specs import graph_of

KEPT_PREFIXES = ("tier-bucket", "tier-key")  # the data: no `destroy` takes it
THERE = re.compile(r"there already: (\S+)")
LINES = 2000  # characters of a message
HANGS_S = 120  # by then a call of a small stack hangs, on any machine


@dataclass(frozen=True, kw_only=True)
class Back:
    """What a recovery found. doubled: made twice. listed: those of them that teardown-check named. left: after it."""

    doubled: int
    listed: int
    left: int


class Stand:
    """One stack: engine, cloud and faults in a folder."""

    def __init__(self, folder: Path, spec: ClusterSpec) -> None:
        self.folder, self.spec = folder, spec
        home = folder / "cloud"
        zones = (spec.zone_id, *((spec.files.second_zone_id,) if spec.files else ()))
        self.cloud = Cloud.new(home / "cloud.json", region=spec.region, zones=zones, given=GIVEN)
        self.api = Api(self.cloud)
        self.faults = Faults(home / "faults.json")
        self.entries = {entry["name"]: entry for entry in graph_of(spec)["resources"]}
        self.engine = Engine(
            folder,
            spec,
            provider=provider_folder(folder / "provider", "tests.engine.cloud.provider"),
            env={"STAND_IN_CLOUD": str(home)},
        )

    @property
    def names(self) -> list[str]:
        """Logical names of everything that stands at AWS."""
        return [name for name, entry in self.entries.items() if entry["type"].startswith("aws:")]

    def known(self) -> tuple[StateResource, ...]:
        """The resources of the state, as `planner teardown-check --state` reads them."""
        return read_state(self.engine.state(), "the state")[1]

    def check(self, known: Sequence[StateResource] | None = None) -> tuple[Remaining, ...]:
        """`planner teardown-check --state FILE --from-tags`, which asks this cloud as it asks AWS."""
        known = self.known() if known is None else known
        tagged = stack_resources(self.spec.stack, self.spec.region, self.api.client)
        return remaining_resources(Prices(spec=self.spec, resources=self.entries), known, tagged)

    def strays(self, known: Sequence[StateResource] | None = None) -> list[Thing]:
        """What stands and is in no state: of the cloud itself, whether anything lists it or not."""
        known = self.known() if known is None else known
        ours = {(one.type, one.id) for one in known if not one.pending}
        return [one for one in self.cloud.standing() if not one.get("by") and (one["type"], one["id"]) not in ours]

    def left_of_destroy(self) -> list[str]:
        """What stands besides what is kept on purpose."""
        kept = {entry["type"] for name, entry in self.entries.items() if name.startswith(KEPT_PREFIXES)}
        data = f"planner-{self.spec.stack}-data"
        return [
            f"{one['type']} {one['id']}"
            for one in self.cloud.standing()
            if one["type"] not in kept or (one["type"].startswith("aws:s3/") and not one["id"].startswith(data))
        ]

    def take_in(self, found: Iterable[tuple[str, str]]) -> None:
        """`pulumi import` of (logical name, id), each below its component."""
        parents: dict[str, str] = {}
        resources = []
        for name, id in found:
            entry = self.entries[name]
            component = entry["component"]
            parents[component] = entry["parent"]
            resources.append({"type": entry["type"], "name": name, "id": id, "parent": component, "version": "7.51.1"})
        file = self.folder / "import.json"
        file.write_text(json.dumps({"nameTable": parents, "resources": resources}))
        words = ("--yes", "--skip-preview", "--protect=false", "--generate-code=false", "--stack", self.engine.name)
        self.engine.plain("import", "--file", str(file), *words).well()

    def back(self) -> Back:
        """Up again until it stands, by the steps for a lost answer: what AWS refuses as there already is taken in, what
        it made a second time is deleted."""
        for _ in range(len(self.names)):
            run = self.engine.up()
            if not run.failed:
                break
            assert self.take_in_refused(run), run.told
        doubled, listed = self.end_doubles()
        left = self.strays()
        assert not left, f"{left}\n{[(row.name, row.kind, row.found, row.ids) for row in self.check()]}"
        return Back(doubled=doubled, listed=listed, left=len(left))

    def take_in_refused(self, run: Run) -> int:
        """Imports what AWS says is there already: how many."""
        there = {name: THERE.search(error) for name, error in run.errors.items() if name in self.entries}
        found = [(name, match[1]) for name, match in there.items() if match]
        if found:
            self.take_in(found)
        return len(found)

    def end_doubles(self) -> tuple[int, int]:
        """Deletes what teardown-check lists as doubled, by AWS's own command: (made twice, listed of them)."""
        known = self.known()
        strays = self.strays(known)
        rows = [row for row in self.check(known) if row.found in ("doubled", "AWS only")]
        listed = {id for row in rows for id in row.ids}
        found = 0
        for thing in reversed(strays):
            if any(thing["id"].endswith(id) or thing["arn"].endswith(id) for id in listed):
                found += 1
                self.cloud.delete(thing["type"], thing["id"])
        return len(strays), found

    def kill_at(self, faults: Sequence[Fault], run: Callable[[], Run]) -> list[Fault]:
        """The command until the first of these calls hangs, and then its sudden end: the faults that fired.

        None where the command came to its end without any. What AWS says is there already is taken in on the way.
        """
        self.faults.plan(*faults)
        with self.engine.in_background(run) as ended:
            until = time.monotonic() + HANGS_S
            while not self.faults.hangs.exists():
                if ended:
                    break
                assert time.monotonic() < until, f"nothing hangs of {faults}"
                time.sleep(0.02)
            else:
                self._end(faults, until)
        if ended and not self.faults.hangs.exists():
            self.faults.plan()
            if not ended[0].failed:
                return []
            assert self.take_in_refused(ended[0]), ended[0].told[-LINES:]
            return self.kill_at(faults, run)
        fired = [fault for fault in faults if fault not in self.faults.left()]
        self.faults.plan()
        return fired

    def _end(self, faults: Sequence[Fault], until: float) -> None:
        late = any(fault.way == "late" for fault in faults if fault not in self.faults.left())
        self.engine.kill(provider=not late)
        if not late:
            return
        # the provider outlives its engine, and does what it was asked for
        self.faults.go.touch()
        while self.faults.go.exists():
            assert time.monotonic() < until, f"{faults}: never done"
            time.sleep(0.02)
        if self.engine.command.process is not None:
            kill_session(self.engine.command.process)

    def after_kill(self) -> tuple[int, int]:
        """Steps 1 to 3 for a killed `up`: unlock, take in what was being made, forget what was not.

        How many operations were pending, and how many of them AWS has.
        """
        self.unlock()
        pending = json.loads(self.engine.state())["deployment"].get("pending_operations") or []
        strays = self.strays()
        found = []
        for operation in pending:
            resource = operation["resource"]
            made = [one for one in strays if one["type"] == resource["type"] and _is(one, resource)]
            if operation["type"] == "creating" and made:
                found.append((resource["urn"].rpartition("::")[2], made[0]["id"]))
        # where half a state was put back, it may lack what was made last: that carries tags, or is refused later
        only = [row for row in self.check() if row.found == "AWS only" and row.name in self.entries]
        taken = {name for name, _ in found}
        found += [(row.name, _import_id(strays, row.ids[0])) for row in only if row.name not in taken]
        if found:
            self.take_in(found)
        if pending:
            # `--import-pending-creates` forgets what it is told to take in (Pulumi 3.258.0): it is imported before
            self.engine.refresh("--clear-pending-creates", program=True).well()
        return len(pending), len(found)

    def unlock(self) -> bool:
        """Step 1. In a folder as backend the description beside the state may be half written, and then the state is
        not read: it is taken away. Whether that was so."""
        run = self.engine.cancel()
        if not run.failed:
            return False
        assert "failed to load checkpoint" in run.told, run.told
        for beside in self.engine.backend.glob(f".pulumi/stacks/*/{self.engine.name}.json*.attrs"):
            beside.unlink()
        self.engine.cancel().well()
        return True


def _import_id(strays: Iterable[Thing], listed: str) -> str:
    """The id by which the provider knows what teardown-check lists: mostly the same, of some types the ARN."""
    return next(thing["id"] for thing in strays if thing["arn"].endswith(listed))


def _is(thing: Thing, resource: dict[str, Any]) -> bool:
    """Whether a thing is what a pending operation was making: the same inputs, so far as they were sent."""
    sent = resource.get("inputs") or {}
    return all(thing["inputs"].get(name) == value for name, value in sent.items() if not name.startswith("__"))


def faults_of(names: Iterable[str], operation: str, way: str) -> list[Fault]:
    return [Fault(operation=operation, name=name, way=way) for name in names]
