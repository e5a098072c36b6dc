"""The campaign of faults, and the table of docs/faults.md: `python -m tests.engine.campaign [LAYOUT[/PART]...]`.

Every resource of every layout fails once and loses its answer once, while it is created and while it is deleted.
Commands are killed in the middle of creates, updates and deletes. After each fault the recovery steps of
docs/operations.md run, and the stand-in cloud counts what is left. If only some layouts or parts are named, the
figures of the others come from the last run: from out/faults.json, and rows that it lacks from the page.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from planner.stack.spec import LAYOUTS, WORKERS, ClusterSpec
from tests.engine.cloud.faults import Fault
from tests.engine.driver import need_engine
from tests.engine.specs import NEXT_AMI, small
from tests.engine.stand import KEPT_PREFIXES, Stand, faults_of
from tests.engine.steps import Run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "faults.md"
KEPT = PAGE.parents[1] / "out" / "faults.json"
ON = "--continue-on-error"  # so that one command meets many faults
DOWN = "--exclude-protected"
# where a command is killed: things with and without a unique name, early and late, and what bills most
KILLED = ("network-vpc", "network-nat-address", "network-nat", "fleet-template", "fleet-group", "guard-budget")
KILLED_OF = {
    "converged": ("pool-node-1",),
    "fsx-lustre": ("lustre-file-system", "lustre-link-dataset"),
    "separate-nvme": ("pool-address-0", "nvme-group"),
    "s3-stream": (),
    WORKERS: ("fleet-environment", "fleet-queue"),
}
# what a resize updates, the nodes themselves first: of a gang, and of workers
RESIZED = ("fleet-group", "fleet-template", "guard-alarm-fleet-count")
RESIZED_OF = {WORKERS: ("fleet-environment", "fleet-job")}
CARELESS = ("network-nat-address", "lustre-file-system")  # after these the command is only typed again
WAYS = ("after", "late", "before")


@dataclass(frozen=True, kw_only=True)
class Tally:
    """What a part of the campaign did and found. resources: that the layout has. operations: at the provider.

    doubled: things made twice. listed: those of them that teardown-check named. left: of all after the recovery.
    """

    layout: str
    resources: int = 0
    operations: int = 0
    faults: int = 0
    doubled: int = 0
    listed: int = 0
    left: int = 0

    def __add__(self, other: Tally) -> Tally:
        return replace(
            self,
            resources=max(self.resources, other.resources),
            operations=self.operations + other.operations,
            faults=self.faults + other.faults,
            doubled=self.doubled + other.doubled,
            listed=self.listed + other.listed,
            left=self.left + other.left,
        )


def walk(stand: Stand, names: Iterable[str], operation: str, way: str, run: Callable[[], Run]) -> int:
    """The command again and again until every one of the names has had its fault: how many fired."""
    left = list(names)
    total = len(left)
    for _ in range(len(left)):
        stand.faults.plan(*faults_of(left, operation, way))
        done = run()
        still = [fault.name for fault in stand.faults.left()]
        stand.faults.plan()
        if done.failed and operation == "create" and way == "lost":
            stand.take_in_refused(done)
        if not still or (len(still) == len(left) and not done.failed):
            left = still
            break
        left = still
    return total - len(left)


def failures(stand: Stand, names: Sequence[str] | None = None) -> Tally:
    """Every create, the updates of a resize, some reads and every delete are refused once; then the same again.

    names: only these instead of all.
    """
    fired = walk(stand, names or stand.names, "create", "fail", lambda: stand.engine.up(ON))
    back = stand.back()
    stand.engine.write(changed(stand))
    updated = resized(stand)
    fired += walk(stand, updated, "update", "fail", lambda: stand.engine.up(ON))
    stand.engine.up().well()
    fired += walk(stand, ("network-vpc", updated[0], "tier-bucket"), "read", "fail", stand.engine.refresh)
    stand.engine.refresh().well()
    fired += walk(stand, names or deletable(stand), "delete", "fail", lambda: stand.engine.destroy(DOWN, ON))
    return _tally(stand, fired, back.doubled, back.listed)


def lost(stand: Stand, names: Sequence[str] | None = None) -> Tally:
    """Every create, the updates of a resize and every delete are done, and no answer comes."""
    fired = walk(stand, names or stand.names, "create", "lost", lambda: stand.engine.up(ON))
    back = stand.back()
    stand.engine.write(changed(stand))
    fired += walk(stand, resized(stand), "update", "lost", lambda: stand.engine.up(ON))
    stand.engine.up().well()
    fired += walk(stand, names or deletable(stand), "delete", "lost", lambda: stand.engine.destroy(DOWN, ON))
    return _tally(stand, fired, back.doubled, back.listed)


def kills(stand: Stand, names: Sequence[str] | None = None) -> Tally:
    """SIGKILL in the middle of creates, of an update and of a delete, and the steps for a killed `up` after each."""
    wanted = [name for name in names or (*KILLED, *KILLED_OF[stand.spec.layout]) if name in stand.entries]
    careless = [Fault(operation="create", name=name, way="after") for name in CARELESS if name in wanted]
    fired = doubled = listed = 0
    for fault in careless:  # the lock is taken away and the command is typed again, and nothing else
        fired += len(stand.kill_at([fault], stand.engine.up))
        stand.unlock()
        back = stand.back()
        doubled, listed = doubled + back.doubled, listed + back.listed
        stand.engine.refresh("--clear-pending-creates", program=True).well()
        stand.engine.destroy(DOWN).well()
    left = [
        Fault(operation="create", name=name, way=WAYS[number % len(WAYS)])
        for number, name in enumerate(name for name in wanted if name not in CARELESS)
    ]
    while left:
        found = stand.kill_at(left, stand.engine.up)
        if not found:
            break
        pending, _ = stand.after_kill()
        fired += max(pending, len(found))  # with it ends whatever else was being made
        left = [fault for fault in left if fault not in found]
    back = stand.back()
    doubled, listed = doubled + back.doubled, listed + back.listed
    stand.engine.write(changed(stand))
    for operation, name, run in (
        ("update", resized(stand)[0], stand.engine.up),
        ("delete", "network-nat", lambda: stand.engine.destroy(DOWN)),
    ):
        fired += len(stand.kill_at([Fault(operation=operation, name=name, way="after")], run))
        stand.after_kill()
        run().well()
    return _tally(stand, fired, doubled, listed)


PARTS: dict[str, Callable[..., Tally]] = {"failures": failures, "lost": lost, "kills": kills}


def resized(stand: Stand) -> tuple[str, ...]:
    """What `changed` updates."""
    return RESIZED_OF.get(stand.spec.layout, RESIZED)


def changed(stand: Stand) -> ClusterSpec:
    """One node more, and a new image: updates in place."""
    return small(stand.spec.layout, nodes=stand.spec.fleet.nodes + 1, ami=NEXT_AMI)


def deletable(stand: Stand) -> list[str]:
    """All but what `destroy` leaves."""
    return [name for name in stand.names if not name.startswith(KEPT_PREFIXES)]


def part(layout: str, name: str, folder: Path, names: Sequence[str] | None = None) -> Tally:
    """One part over one layout, in a folder of its own. names: of the resources that it is about, instead of all."""
    return PARTS[name](Stand(folder / f"{layout}-{name}", small(layout)), names)


def _tally(stand: Stand, fired: int, doubled: int, listed: int) -> Tally:
    stand.engine.destroy(DOWN).well()
    return Tally(
        layout=stand.spec.layout,
        resources=len(stand.names),
        operations=stand.engine.operations,
        faults=fired,
        doubled=doubled,
        listed=listed,
        left=len(stand.left_of_destroy()) + len(stand.strays()),
    )


HEAD = """\
# Faults

What injected faults leave behind, on the real Pulumi engine against a stand-in for AWS (tests/engine). `make faults`
runs the whole campaign and writes this page; CI runs a part of it.

Each fault is one of three: AWS refuses a create, update, read or delete; AWS performs it but the answer is lost; or the
command is killed with SIGKILL while calls are in flight, and its provider with it or some moments later. After each
fault the recovery steps of [operations.md](operations.md#a-killed-up) run with the same commands.

- **operations**: creates, updates, deletes and reads that the engine requested from the provider.
- **doubled**: resources that AWS had created once and the engine requested again, where AWS enforces no unique name.
  This is what happens when someone runs `pulumi up` again without looking. `planner teardown-check` must find each of
  them, through boto3's own clients. The stand-in answers them as AWS documents: the tagging service does not list Auto
  Scaling groups, roles or users, and lists global services in us-east-1 only. Where AWS's pages leave it open (cost
  anomalies, budget actions, IAM), the stand-in lists nothing, so these have to be found by name. fsx-lustre runs in
  eu-west-1, the others in us-east-1.
- **left**: resources that still exist after recovery and `pulumi destroy`, besides the data bucket and its key.

"""
SINCE = "Not yet in this table"  # lines of the page that a person writes, until every layout has run again
COLUMNS = ("layout", "resources", "operations", "faults injected", "doubled", "found by teardown-check", "left")
FIELDS = ("layout", "resources", "operations", "faults", "doubled", "listed", "left")


def printed(text: str) -> dict[str, Tally]:
    """The rows of the page, by layout."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {
        row[0]: Tally(**dict(zip(FIELDS, (row[0], *(int(cell.replace(",", "")) for cell in row[1:])), strict=True)))
        for row in rows
        if row[0] in LAYOUTS
    }


def page(tallies: Sequence[Tally]) -> str:
    """docs/faults.md of these."""
    rows = [
        tuple(getattr(t, field) for field in FIELDS)
        for t in (*tallies, replace(sum(tallies[1:], tallies[0]), layout="**all**", resources=_resources(tallies)))
    ]
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" + "|---:" * (len(COLUMNS) - 1) + "|"]
    lines += ["| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else cell for cell in row) + " |" for row in rows]
    return HEAD + "\n".join(lines) + "\n"


def _resources(tallies: Sequence[Tally]) -> int:
    return sum(tally.resources for tally in tallies)


def main(words: list[str]) -> int:
    need_engine()
    every = [f"{layout}/{name}" for name in PARTS for layout in LAYOUTS]
    chosen = [one for one in every if not words or one in words or one.partition("/")[0] in words]
    found = {one: Tally(**row) for one, row in json.loads(KEPT.read_text()).items()} if words and KEPT.exists() else {}
    folder, failed = Path(tempfile.mkdtemp(prefix="planner-faults-")), 0
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as workers:
        jobs = {workers.submit(part, *one.split("/"), folder): one for one in chosen}
        for job in as_completed(jobs):
            error = job.exception()
            print(f"{jobs[job]}: {error or job.result()}", flush=True)
            if error is not None:
                failed += 1
            else:
                found[jobs[job]] = job.result()
    shutil.rmtree(folder, ignore_errors=True)
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps({one: asdict(tally) for one, tally in found.items()}, indent=2))
    before = PAGE.read_text(encoding="utf-8")
    rows = {
        layout: sum((found[f"{layout}/{name}"] for name in PARTS), Tally(layout=layout))
        for layout in LAYOUTS
        if all(f"{layout}/{name}" in found for name in PARTS)
    }
    older = {layout: row for layout, row in printed(before).items() if words and layout not in rows}
    rows |= older
    if missing := [layout for layout in LAYOUTS if layout not in rows]:
        print(f"the page needs every part of every layout; missing: {', '.join(missing)}", file=sys.stderr)
        return 1
    tallies = [rows[layout] for layout in LAYOUTS]
    text = page(tallies) + "".join(f"\n{line}" for line in before.splitlines() if older and line.startswith(SINCE))
    PAGE.write_text(f"{text.rstrip()}\n", encoding="utf-8", newline="\n")
    print(text)
    return 1 if failed or any(tally.left or tally.doubled != tally.listed for tally in tallies) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
