"""The small example's pool on one machine, from its first start to its last: python -m tests.pool.rehearsal.

The plan gives the stack, the stack gives the files of its nodes, the nodes' real daemon runs with them over real XFS
and a real S3 server. A job trains on it; then its node and the job itself are killed.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fleet_pool import settings

from planner.decide.compare import Request, compare
from planner.plan.load import load_plan
from planner.stack.choose import spec_of
from planner.stack.spec import ClusterSpec
from pricing.book import default_book
from tests.pool.audit import Load, Promise, Verdict, judge
from tests.pool.cluster import BUCKET, Cluster, Shape, standing
from tests.pool.daemon import PLAIN
from tests.pool.machine import left_behind, missing, stoppable
from tests.pool.s3 import REGION
from tools.gotools import ROOT

PLAN = "examples/small.yaml"
SCENARIO = "converged/p4d.24xlarge/on-demand"
DRIVES, DRIVE_GIB = 2, 1.0  # in place of a node's eight of 1,000 GB
KILLED_AT, SAVED_EVERY = 150, 40  # steps of training
PATIENCE_S = 240


class Failed(Exception):
    """The rehearsal did not go as it must: what happened instead."""


class Page:
    """What a person reads: seconds since the start, what was done, what came of it."""

    def __init__(self) -> None:
        self._begun = time.monotonic()

    def say(self, what: str, *found: str) -> None:
        print(f"{time.monotonic() - self._begun:>6.1f} s  {what:<10}{found[0]}", flush=True)
        for line in found[1:]:
            print(f"{'':<20}{line}", flush=True)


class Jobs:
    """Training programs of examples/training, over one store."""

    def __init__(self, where: list[str], environment: dict[str, str]) -> None:
        self.where, self.environment = where, {**PLAIN, **environment, "PYTHONPATH": str(ROOT / "pool")}

    def start(self, program: str, *words: str) -> subprocess.Popen[str]:
        command = [sys.executable, str(ROOT / "examples" / "training" / program), *self.where, *words]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=self.environment, stdout=pipe, stderr=pipe, text=True, cwd=ROOT)

    def run(self, program: str, *words: str) -> list[str]:
        """Lines of its output. Raises Failed."""
        process = self.start(program, *words)
        out, errors = process.communicate(timeout=PATIENCE_S)
        if process.returncode:
            raise Failed(f"{program} ended with {process.returncode}: {errors.strip()}")
        return out.splitlines()


def spec_of_example() -> ClusterSpec:
    """What `planner stack` would write for the converged layout of the example."""
    loaded, book = load_plan(ROOT / PLAN), default_book()
    comparison = compare(Request(plan=loaded.plan, plan_sha256=loaded.sha256, book=book, draws=0))
    chosen = next(scenario for scenario in comparison.scenarios if scenario.id == SCENARIO)
    return spec_of(loaded, comparison, chosen, book)


def rehearse(page: Page) -> None:
    """Raises Failed, after everything was taken down."""
    spec = spec_of_example()
    assert spec.pool is not None  # the layout is converged
    shape = Shape(
        nodes=spec.fleet.nodes,
        drives=DRIVES,
        drive_gib=DRIVE_GIB,
        proxies=spec.control.count,
        mutual_tls=spec.pool.tls,
        low_watermark_percent=spec.pool.low_watermark_percent,
    )
    page.say(
        "plan",
        f"{PLAN}, {SCENARIO}: {spec.fleet.nodes} nodes with {spec.fleet.drives} drives, {spec.control.count} control",
        f"here: {shape.nodes} + {shape.proxies} network namespaces, {DRIVES} XFS drives of {DRIVE_GIB:g} GiB per node",
    )
    with standing(shape, registered=False) as cluster, tempfile.TemporaryDirectory() as folder:
        page.say(
            "pool",
            f"complete {cluster.formed_s:.0f} s after its first daemon: AIStore "
            f"{settings.AISTORE_VERSION}, {'mutual TLS' if shape.mutual_tls else 'no TLS'}",
            "configured by the files that the stack's nodes write; versitygw serves as S3",
        )
        _train_and_break(page, cluster, Path(folder))
        folders = cluster.folder
    rest = left_behind(folders)
    page.say("removed", "namespaces, mounts, loop devices, processes: none left" if not rest else "; ".join(rest))
    if rest:
        raise Failed("not everything could be removed")


def _train_and_break(page: Page, cluster: Cluster, folder: Path) -> None:
    jobs, alone = _jobs(cluster), Jobs(["--store", str(folder)], {})
    told = _pool_command(cluster, "register", BUCKET, "--kind", "dataset")
    page.say("bucket", f"planner pool register {BUCKET} --kind dataset", *told)
    jobs.run("dataset.py")
    alone.run("dataset.py")
    shards = _promises(folder)
    _must_be_kept(judge(cluster, shards))
    page.say("dataset", f"{len(shards)} shards written through the pool; all are in S3 with the same SHA-256")
    unbroken = json.loads(alone.run("train.py")[-1])
    with _under_load(cluster) as load:
        at = _killed_at(jobs, cluster, page)
        lines = jobs.run("train.py", "--save-every", str(SAVED_EVERY))
        begun = next(int(line.split()[-1]) for line in lines if line.startswith("begin at step "))
        found = json.loads(lines[-1])
    page.say(
        "restored",
        f"from the checkpoint of step {begun}: {at - begun} steps repeated, {found['steps']} in total",
        f"loss {found['loss']:.6f}; an undisturbed run: {unbroken['loss']:.6f}; "
        f"weights {'equal to the last bit' if found['weights'] == unbroken['weights'] else 'DIFFER'}",
        f"calls of the job: {_words(found['answered'])}",
    )
    if found["weights"] != unbroken["weights"] or not 0 < begun <= at:
        raise Failed("the killed run did not end with the same weights as the undisturbed one")
    verdict = judge(cluster, [*shards, *load.promises])
    page.say(
        "lost",
        f"{len(verdict.lost)} of {verdict.acknowledged:,} acknowledged objects, {len(verdict.wrong)} with wrong bytes",
        "read from S3 directly and through the pool, with one node missing",
    )
    _must_be_kept(verdict)


def _killed_at(jobs: Jobs, cluster: Cluster, page: Page) -> int:
    """Start training, and kill it and a node in the middle; the last step that it told."""
    process = jobs.start("train.py", "--save-every", str(SAVED_EVERY), "--pace-s", "0.02")
    assert process.stdout is not None
    step = 0
    for line in process.stdout:
        if line.startswith("step "):
            step = int(line.split()[1])
        if step >= KILLED_AT:
            process.kill()  # what it told before that is read to its end
    process.communicate()
    cluster.nodes[0].kill()
    if step < KILLED_AT:
        raise Failed(f"training ended at step {step} with {process.returncode}")
    page.say("training", f"step {step} of examples/training/train.py, a checkpoint every {SAVED_EVERY} steps")
    page.say("kill", f"SIGKILL of a node's daemon and of the job; {len(cluster.nodes) - 1} nodes are left")
    return step


@contextmanager
def _under_load(cluster: Cluster) -> Iterator[Load]:
    """Somebody else writes all the while: what they were promised is judged too."""
    load = Load(cluster, writers=1, readers=1)
    load.prepare(shards=10)
    with load.running():
        yield load


def _jobs(cluster: Cluster) -> Jobs:
    where = ["--store", f"s3://{BUCKET}", "--region", REGION, "--s3-endpoint-url", cluster.s3.endpoint]
    for url in _endpoints(cluster):
        where += ["--pool", url]
    return Jobs(where, _environment(cluster))


def _endpoints(cluster: Cluster) -> list[str]:
    scheme = "https" if cluster.tls else "http"
    return [f"{scheme}://{address}:{settings.PROXY_PORT}" for address in cluster.addresses]


def _environment(cluster: Cluster) -> dict[str, str]:
    tls = cluster.tls
    shown = {"AIS_CRT": tls.certificate, "AIS_CRT_KEY": tls.key, "AIS_CLIENT_CA": tls.authority} if tls else {}
    if tls:
        shown["AIS_AUTHN_TOKEN_FILE"] = str(cluster.folder / "tls" / "admin.token")
    return {**cluster.s3.environment, **shown, "AIS_ENDPOINT": ",".join(_endpoints(cluster))}


def _pool_command(cluster: Cluster, *words: str) -> list[str]:
    """The command of a control node. Raises Failed."""
    there = {**PLAIN, **_environment(cluster), "PYTHONPATH": str(ROOT / "pool")}
    command = [sys.executable, "-m", "fleet_pool", *words]
    done = subprocess.run(command, env=there, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        raise Failed(f"planner pool {words[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout.strip().splitlines()


def _promises(folder: Path) -> list[Promise]:
    """The same dataset made beside the pool, so that what the pool must hold is known without asking it."""
    found = []
    for path in sorted((folder / "dataset").glob("*.tar")):
        data = path.read_bytes()
        key, sha256 = f"dataset/{path.name}", hashlib.sha256(data).hexdigest()
        found.append(Promise(key=key, size=len(data), sha256=sha256, at_s=time.monotonic()))
    return found


def _must_be_kept(verdict: Verdict) -> None:
    if verdict.lost or verdict.wrong:
        raise Failed(f"lost: {verdict.lost or 'none'}; wrong: {verdict.wrong or 'none'}")


def _words(counts: dict[str, int] | None) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in (counts or {}).items())


def main() -> int:
    lacking = missing()
    if lacking:
        print("the rehearsal needs a real pool, for which this machine lacks: " + "; ".join(lacking), file=sys.stderr)
        return 2
    os.chdir(ROOT)
    page = Page()
    try:
        rehearse(page)
    except Failed as failure:
        print(f"the rehearsal failed: {failure}", file=sys.stderr)
        return 1
    page.say("done", "S3 has every acknowledged object, and the run resumed from its checkpoint")
    return 0


if __name__ == "__main__":
    stoppable(main)
