"""Break the pool again and again under load, and count what was lost: python -m tests.pool.campaign.

A row a fault: how long clients saw errors, how many writes were acknowledged, how many of those are lost, wrong or
undone, and by what they were read to know.
"""

from __future__ import annotations

import argparse
import dataclasses
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path

from tests.pool.audit import DOOR, Load, Verdict, judge, window_s
from tests.pool.cluster import CLIENT_TIMEOUT_S, Cluster, Shape, standing
from tests.pool.daemon import wait_until
from tests.pool.faults import FAULTS, Fault
from tests.pool.machine import missing, stoppable
from tests.pool.record import PAGE, Campaign, Row, here, publish, today, write
from tools.gotools import ROOT

QUIET_S = 4.0  # without an error: the pool has come back
COMING_BACK_S = 120.0
SAID = 3  # errors of each kind that are kept in words

# how often each is injected
OFTEN = {
    "target_killed": 3,
    "target_replaced": 1,
    "machine_gone": 1,
    "target_frozen": 1,
    "target_restarted": 1,
    "drive_fails": 2,
    "drive_read_only": 1,
    "drive_full": 1,
    "primary_killed": 1,
    "primary_and_target_killed": 2,
    "two_proxies_killed": 1,
    "all_proxies_killed": 1,
    "all_targets_replaced": 1,
    "all_targets_restarted": 1,
    "s3_killed": 1,
    "s3_killed_long": 1,
    "s3_link_cut": 1,
    "s3_restarted": 1,
    "s3_slow": 1,
    "s3_frozen": 1,
    "s3_503": 1,
    "s3_expired_token": 1,
    "s3_wrong_secret": 1,
    "some_killed": 1,
    "some_killed_while_others_join": 1,
    "some_drained": 1,
    "target_drained": 2,
    "link_cut": 1,
    "link_cut_long": 1,
    "primary_link_cut": 1,
    "elected_link_cut": 1,
    "primary_paused": 1,
    "link_slow": 1,
    "drives_slow": 1,
    "packets_lost": 1,
    "node_unheard": 1,
    "node_without_s3": 1,
    "power_lost": 2,
    "bit_rot": 2,
    "keys_rewritten": 2,
    "zombie_writes": 2,
    "admin_stop": 1,
}


def inject(cluster: Cluster, load: Load, fault: Fault, rng: random.Random, slack: float = 1.0) -> Row:
    """One fault under load, from a whole pool to a whole pool; every write acknowledged meanwhile is judged.

    slack: how many times as long errors may last, and an answer may take, on a machine that is busy with other things.
    """
    fault = dataclasses.replace(fault, limit_s=fault.limit_s * slack)
    if fault.reads_go_on:
        warm(cluster, load)
    first, witness = len(load.promises), fault.witness(cluster, rng) if fault.witness else None
    with load.running(CLIENT_TIMEOUT_S * slack), witness.running() if witness else nullcontext():
        time.sleep(1)
        broken_at = time.monotonic()
        with fault.breaking(cluster, rng, *([witness] if witness else [])):
            time.sleep(max(0.0, fault.holds_s - (time.monotonic() - broken_at)))
            back = _comes_back(load)
            mended_at = time.monotonic()
        rules = [] if back else [f"requests still failed {COMING_BACK_S:.0f} s later"]
        try:
            cluster.wait_whole(COMING_BACK_S)
        except TimeoutError as error:
            rules.append(str(error).partition("\n")[0])
        if not _comes_back(load):
            rules.append(f"requests still failed {COMING_BACK_S:.0f} s after the repair")
    if rules:
        cluster.mend()
    verdict = judge(cluster, load.promises[first:])
    if witness:
        verdict += witness.verdict()
        load.witnesses.append(witness)
    doors = (DOOR, *([witness.door] if witness else ()))
    return _row(load, fault, broken_at, mended_at, verdict, rules, doors)


def warm(cluster: Cluster, load: Load) -> None:
    """Every shard of the readers into the drives."""
    client = cluster.client(timeout_s=30)
    for key in load.shards:
        client.get(key)


def _comes_back(load: Load) -> bool:
    try:
        wait_until(lambda: load.quiet_for(QUIET_S), "requests answered again", COMING_BACK_S)
    except TimeoutError:
        return False
    return True


def _row(
    load: Load,
    fault: Fault,
    broken_at: float,
    mended_at: float,
    verdict: Verdict,
    rules: list[str],
    doors: tuple[str, ...],
) -> Row:
    attempts = load.since(broken_at - 1)
    failed = Counter(attempt.kind for attempt in attempts if attempt.error is not None)
    before = [attempt for attempt in attempts if attempt.start_s < mended_at]
    error_s, errors = window_s(before), sum(attempt.error is not None for attempt in before)
    more = (
        (error_s > fault.limit_s, f"errors for {error_s:.1f} s, allowed are {fault.limit_s:g} s"),
        (fault.reads_go_on and failed["read"] > 0, f"{failed['read']} cached reads failed"),
        (fault.no_errors and errors > 0, f"{errors} requests failed, none may"),
        (bool(load.wrong_reads), f"wrong bytes read: {load.wrong_reads}"),
    )
    return Row(
        fault=fault.name,
        group=fault.group,
        error_s=round(error_s, 1),
        return_error_s=round(window_s(a for a in attempts if a.start_s >= mended_at), 1),
        limit_s=fault.limit_s,
        read_errors=failed["read"],
        write_errors=failed["write"],
        requests=len(attempts),
        acknowledged=verdict.acknowledged,
        lost=verdict.lost,
        wrong=verdict.wrong,
        undone=verdict.undone,
        doors=doors,
        notes=verdict.notes,
        broken_rules=(*rules, *(said for broken, said in more if broken)),
        said=tuple(
            f"+{a.start_s - broken_at:.1f} s, {a.end_s - a.start_s:.1f} s, {a.kind}: {a.error}"
            for kind in ("read", "write")
            for a in [a for a in attempts if a.kind == kind and a.error is not None][:SAID]
        ),
    )


def order(often: dict[str, int], seed: int) -> list[str]:
    """Names of faults as often as asked, by the seed: every one once, then the rest."""
    rng, once = random.Random(seed), list(often)
    again = [name for name, count in often.items() for _ in range(count - 1)]
    rng.shuffle(once)
    rng.shuffle(again)
    return once + again


def run(
    names: Iterable[str], shape: Shape, seed: int, told: Callable[[Row], None], until_s: float = float("inf")
) -> Verdict:
    """All faults on one pool, one after another, each told as a row; at the end every write that was ever
    acknowledged is judged again."""
    rng = random.Random(seed)
    with standing(shape) as cluster:
        load = Load(cluster)
        load.prepare()
        for name in names:
            if time.monotonic() > until_s:
                break
            told(inject(cluster, load, FAULTS[name], rng))
        return sum((witness.verdict() for witness in load.witnesses), judge(cluster, load.promises))


def campaign(names: Iterable[str], *, command: str, nodes: int, seed: int, out: Path, until_s: float) -> Campaign:
    """Run, told line by line and written after every fault, so that a run that is stopped leaves what it found."""
    shape, begun, rows = Shape(nodes=nodes), time.monotonic(), []

    def kept(last: Verdict | None) -> Campaign:
        found = Campaign(
            command=command,
            date=today(),
            machine=here(),
            nodes=nodes,
            drives=shape.drives,
            minutes=round((time.monotonic() - begun) / 60, 1),
            rows=tuple(rows),
            judged_again=last.acknowledged if last else 0,
            lost=len(last.lost) if last else 0,
            wrong=len(last.wrong) if last else 0,
            undone=len(last.undone) if last else 0,
        )
        write(found, out)
        return found

    def told(row: Row) -> None:
        rows.append(row)
        print(f"{len(rows):>3}  {line(row)}", flush=True)
        kept(None)

    return kept(run(names, shape, seed, told, until_s))


def line(row: Row) -> str:
    """A row for a person who watches."""
    rules = f"  {'; '.join(row.broken_rules)}" if row.broken_rules else ""
    return (
        f"{row.fault:<72}{row.error_s:>7.1f} s{row.return_error_s:>7.1f} s{row.acknowledged:>7,} acknowledged"
        f"{len(row.lost):>3} lost{len(row.wrong):>3} wrong{len(row.undone):>3} undone{rules}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.pool.campaign", description=__doc__)
    parser.add_argument("--nodes", type=int, default=6)
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--only", help="names of faults, comma between; each once")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no further fault after these")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "pool-faults")
    parser.add_argument("--publish", action="store_true", help="write the results into docs/pool-faults.md too")
    asked = parser.parse_args()
    lacking = missing()
    if lacking:
        print("this machine cannot stand a pool up; it lacks: " + "; ".join(lacking), file=sys.stderr)
        return 2
    names = asked.only.split(",") if asked.only else order(OFTEN, asked.seed)
    unknown = sorted(set(names) - set(FAULTS))
    if unknown:
        print(f"no such fault: {', '.join(unknown)}; there are {', '.join(FAULTS)}", file=sys.stderr)
        return 2
    found = campaign(
        names,
        command=" ".join(["python -m tests.pool.campaign", *sys.argv[1:]]),
        nodes=asked.nodes,
        seed=asked.seed,
        out=asked.out,
        until_s=time.monotonic() + asked.minutes * 60,
    )
    kept = f"{found.lost} lost, {found.wrong} wrong, {found.undone} undone"
    told = f"{len(found.rows)} faults, {found.judged_again:,} writes acknowledged, {kept}"
    if asked.publish:
        publish(found, PAGE)
    print(f"{told}: {PAGE if asked.publish else asked.out.with_suffix('.md')}")
    return 0 if found.good else 1


if __name__ == "__main__":
    stoppable(main)
