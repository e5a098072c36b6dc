"""`planner-slurm`: on the login node, each minute, makes the cluster what the plan says.

It fetches the settings object that `pulumi up` wrote, and changes what differs: accounts, shares, limits, QOS, the
reservation that ends with a Capacity Block, the market in which a gang with a deadline starts next, and the job that
starts a canary. Nothing of it needs a restart, and a change of projects replaces no node.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path

from fleet_pool.launch.here import checkpoints_prefix
from fleet_pool.node import gpu_use, watch
from fleet_pool.problems import Code, PoolProblem, Unreachable
from fleet_pool.slurm import MARKETS_SEEN, NODES_OUT, SETTINGS, SETTINGS_FILE, accounting, blocks, canary, markets
from fleet_pool.slurm.settings import Cluster, read

LIMIT_S = 60.0
PUBLISH_MIN = watch.EVERY_MIN
SHOW_STATES = ("sinfo", "--noheader", "--Node", "--format=%N|%T")
# sinfo(1), node state codes: * does not answer, ~ is powered down, # is starting, % is ending
OUT = ("down", "drain", "fail", "*", "~", "#", "%")


def main(words: Sequence[str] | None = None) -> int:
    """Exit code: 0; 2 for a wrong settings file; 4 where Slurm or S3 does not answer, or refuses a change."""
    given = parser().parse_args(words)
    try:
        if given.fetch:
            fetch(given.settings)
        cluster = read(given.settings)
        code = apply(cluster, dry_run=given.dry_run)
        if given.fetch and not given.dry_run and datetime.now(timezone.utc).minute % PUBLISH_MIN == 0:
            publish(nodes_out(cluster, run(*SHOW_STATES)))
        return code
    except PoolProblem as error:
        print(f"planner-slurm: {error}", file=sys.stderr)
        return error.code


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="planner-slurm", description=__doc__, allow_abbrev=False)
    top.add_argument("--settings", default=SETTINGS_FILE, metavar="FILE", help=f"default: {SETTINGS_FILE}")
    top.add_argument("--fetch", action="store_true", help="fetch the file from the stack's bucket first")
    top.add_argument("--dry-run", action="store_true", help="print the commands, run none of them")
    return top


def fetch(path: str) -> None:
    """The settings object into the file. Raises Unreachable; the file that is there stays then."""
    bucket, region = os.environ.get("PLANNER_BUCKET", ""), os.environ.get("PLANNER_REGION", "")
    new = f"{path}.new"
    run("aws", "s3", "cp", "--only-show-errors", "--region", region, f"s3://{bucket}/{SETTINGS}", new)
    Path(new).replace(path)


def apply(
    cluster: Cluster, *, dry_run: bool = False, now: datetime | None = None, seen: str | Path = MARKETS_SEEN
) -> int:
    """Whatever can be done is done, though one command fails. now: in UTC. seen: file of what gangs have seen."""
    now = now or datetime.now(timezone.utc)
    shown = (run(*accounting.SHOW_QOS), run(*accounting.SHOW_ACCOUNTS))
    found = accounting.known(*shown)
    if accounting.left(cluster, found):
        found = accounting.known(*shown, run(*accounting.SHOW_JOBS), run(*accounting.SHOW_USERS))
    wanted = [*accounting.commands(cluster, found), *blocks.commands(cluster.blocks, _seen(cluster), now)]
    code = Code.OK
    for words in (*wanted, *_of_canary(cluster), *_of_markets(cluster, now, Path(seen), keep=not dry_run)):
        if isinstance(words, PoolProblem):
            print(f"planner-slurm: {words}", file=sys.stderr)
            code = Code.AWS
            continue
        print("+", *words, flush=True)
        if dry_run:
            continue
        try:
            run(*words)
        except Unreachable as error:
            print(f"planner-slurm: {error}", file=sys.stderr)
            code = Code.AWS
    return code


def _of_canary(cluster: Cluster) -> list[tuple[str, ...]]:
    if not cluster.canary:
        return []
    states = run(*canary.show(cluster.canary)).splitlines()
    found = canary.told(cluster.canary, states, max(cluster.usd_per_node_hour.values(), default=0.0))
    if found.says:
        print(found.says, flush=True)
    return [found.words] if found.words else []


def _of_markets(cluster: Cluster, now: datetime, path: Path, *, keep: bool) -> Iterator[Sequence[str] | PoolProblem]:
    """What to run for gangs that may be on spot or On-Demand; a gang of which something is not known is left as it
    is."""
    if cluster.markets is None:
        return
    states = dict(row.split("|", 1) for row in run(*SHOW_STATES).split())
    yield from markets.reservation(cluster, tuple(states), run(*blocks.SHOW_RESERVATIONS))
    before = _looked(path)
    after: dict[str, markets.Looked] = {}
    free = markets.idle(cluster.markets.spot, states)
    for line in run(*markets.SHOW_GANGS).splitlines():
        try:
            gang = markets.gang_of(line, cluster.markets)
            if gang is None:
                continue
            submitted, starts = markets.starts(run(*markets.SHOW_STARTS, f"--jobs={gang.job}"))
            saved = _commits(gang.run) if starts else []
        except PoolProblem as problem:
            yield problem
            continue
        at, task = now.timestamp(), gang.task
        looked = markets.look(before.get(gang.job), gang.on == "spot" or free >= gang.nodes, at)
        after[gang.job] = looked
        done = markets.progress(starts, saved, task.changeover, at)
        works = any(start.ends is None and at - start.begins >= task.changeover for start in starts)
        yield from markets.commands(gang, markets.decide(task, gang.on, looked, done, at - submitted, works=works))
    if keep:
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f"{path.name}.new")
        new.write_text(json.dumps({job: vars(one) for job, one in after.items()}), encoding="utf-8")
        new.replace(path)


def _looked(path: Path) -> Mapping[str, markets.Looked]:
    """Job -> what it has seen. A file that is gone or broken is one that has seen nothing: gangs wait anew."""
    try:
        return {job: markets.Looked(**one) for job, one in json.loads(path.read_text(encoding="utf-8")).items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _commits(folder: str) -> list[float]:
    """When the COMMITs of a run were written, in seconds of Unix time. Raises Unreachable."""
    data, region = os.environ.get("PLANNER_DATA", ""), os.environ.get("PLANNER_REGION", "")
    where = ("--bucket", data, "--prefix", f"{checkpoints_prefix()}{folder}/", "--region", region)
    only = ("--query", "Contents[?ends_with(Key, 'COMMIT')].LastModified", "--output", "json")
    listed = json.loads(run("aws", "s3api", "list-objects-v2", *where, *only) or "null")
    return [datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() for text in listed or ()]


def nodes_out(cluster: Cluster, states: str) -> int:
    """Nodes of the cluster that take no jobs; one that waits for its block is not out, nor one that is launched when a
    job needs it. states: of SHOW_STATES."""
    rows = dict(line.split("|", 1) for line in states.split())
    groups = [group for group in cluster.usd_per_node_hour if group not in cluster.as_jobs_need]
    found = [state for group in groups for state in _of_group(group, rows)]
    return sum(not state.startswith("maint") and any(mark in state for mark in OUT) for state in found)


def _of_group(group: str, rows: Mapping[str, str]) -> list[str]:
    return [rows[node] for node in blocks.nodes_of(group, tuple(rows))]


def publish(count: int) -> None:
    """For the alarm `fleet-count`. Raises Unreachable."""
    where = ("--dimensions", f"{watch.STACK}={os.environ.get('PLANNER_STACK', '')}")
    what = ("--metric-name", NODES_OUT, "--unit", "Count", "--value", str(count))
    region = ("--region", os.environ.get("PLANNER_REGION", ""))
    run("aws", "cloudwatch", "put-metric-data", "--namespace", gpu_use.NAMESPACE, *what, *where, *region)


def _seen(cluster: Cluster) -> blocks.Seen:
    if not cluster.blocks:
        return blocks.Seen(nodes={}, jobs={}, reservations={})
    every = run(*blocks.SHOW_NODES).split()
    nodes = {block.group: blocks.nodes_of(block.group, every) for block in cluster.blocks}
    return blocks.Seen(
        nodes=nodes,
        jobs={group: run(*blocks.SHOW_JOBS, f"--nodelist={','.join(on)}").split() for group, on in nodes.items() if on},
        reservations=blocks.reservations(run(*blocks.SHOW_RESERVATIONS)),
    )


def run(*words: str, means: str = "") -> str:
    """What it says. Raises Unreachable where it fails, with the end of what it said. means: what its failure means."""
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=LIMIT_S, check=True, env={**os.environ, "TZ": "UTC"}
        )
    except FileNotFoundError:
        raise Unreachable(f"no {words[0]} here: run it on the login node") from None
    except (OSError, subprocess.SubprocessError) as error:
        said = (getattr(error, "stderr", "") or getattr(error, "stdout", "") or str(error)).strip()
        raise Unreachable(f"{means}`{' '.join(words)}` failed: {said[-300:]}") from None
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
