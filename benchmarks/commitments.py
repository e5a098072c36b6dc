"""C1-C4: commitments beside published levels, one linear program, simpler rules, and the optimum with foresight."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator

import numpy as np

from benchmarks.commitment_market import market
from benchmarks.measure import ENVIRONMENT, PYTHON, ROOT
from benchmarks.spot import verdict
from planner.mix.baselines import baselines, level
from planner.mix.bound import bound
from planner.mix.model import Array, Kind, Market, Offer, Usage
from planner.mix.monthly import MONTH_HOURS, YEAR_HOURS, laddered
from planner.mix.order import Biller
from planner.mix.search import improved
from tests.mix.demand import FILE, by_type, total, window

GOAL_GAP, GOAL_BILL, GOAL_SECONDS, GOAL_MIB, GOAL_RATIO = 1e-6, 1e-5, 5.0, 500, 45
GOAL_ROLLING = 0.015
COMMITTED = 0.63  # of On-Demand, the reference's one-year term


def solved(*how: str) -> tuple[list[float], float, float, float]:
    """What one process prints, its wall seconds, processor seconds and peak MiB."""
    command = [PYTHON, "-m", "benchmarks.commitment_market", *how]
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    figures = [float(word) for word in process.stdout.read().splitlines()[-1].split()]
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    used = usage.ru_utime + usage.ru_stime
    return figures, time.perf_counter() - begin, used, usage.ru_maxrss / 1024


def published() -> list[str]:
    """C1: one level, on the public demand."""
    hours, both = window("2024-01-07", "2024-01-20"), window("2023-12-17", "2023-12-30")
    found = [(level(h, 1 / 2.1), h) for h in (hours, both)]
    costs = [x * h.size + 2.1 * np.maximum(h - x, 0).sum() for x, h in found]
    told = [f"{x:.6f} -> {cost:,.3f}" for (x, _), cost in zip(found, costs, strict=True)]
    good = told == ["77.453730 -> 29,326.433", "72.419877 -> 27,754.649"]
    return [f"C1 published levels, exactly: {', '.join(told)}  (to the digit {verdict(good)})"]


def mix() -> Iterator[str]:
    """C2: the decomposition beside one program; both in processes of their own, interpreter and imports included."""
    (lower, cost), wall, ours, peak = solved("ours")
    gap = 1 - lower / cost
    yield (
        f"C2 year of 20 types, 6 offers: proven gap {gap:.1e}, {ours:.1f} s of processor ({wall:.1f} s by the clock)"
    )
    yield (
        f"C2 {peak:.0f} MiB  (goal {GOAL_GAP:.0e}, {GOAL_SECONDS:.0f} s, {GOAL_MIB} MiB "
        f"{verdict(gap <= GOAL_GAP and ours <= GOAL_SECONDS and peak <= GOAL_MIB)})"
    )
    (_, bill), _, with_bill, bill_peak = solved("bill")
    (same_lower, same_bill), *_ = solved("bill", "same")
    over, same = bill / lower - 1, same_bill / same_lower - 1
    yield f"C2 bound and whole bill in AWS's order: {with_bill:.1f} s, {bill_peak:.0f} MiB"
    yield (
        f"C2 bill in AWS's order, savings differ within a family: {over:.1e} over the bound"
        f"  (goal {GOAL_BILL:.0e} {verdict(over <= GOAL_BILL)})"
    )
    yield f"C2 the same, one saving a family and plan: {same:.1e}  (goal {GOAL_BILL:.0e} {verdict(same <= GOAL_BILL)})"
    (optimum,), whole_wall, whole, whole_peak = solved()
    ratio, apart = whole / ours, lower / optimum - 1
    yield (
        f"C2 one program by HiGHS: {whole:.0f} s of processor ({whole_wall:.0f} s), {whole_peak:.0f} MiB, {ratio:.0f} "
        f"x ours; the bound is {apart:+.1e} from its optimum  (goal {GOAL_RATIO} x, {GOAL_GAP:.0e} "
        f"{verdict(ratio >= GOAL_RATIO and abs(apart) <= GOAL_GAP)})"
    )


def rules() -> list[str]:
    """C3: the bill of simpler rules over the bound, and of the mix that is found."""
    made = market()
    biller, proven = Biller(made), bound(made)
    lines = [f"C3 {name:<24}{biller.total(of) / proven.lower:.4f}" for name, of in baselines(made).items()]
    return [*lines, f"C3 {'this mix':<24}{improved(made, proven.amounts, biller.total)[1] / proven.lower:.4f}"]


def with_foresight(hours: Array) -> float:
    """USD of the best one-year commitments that begin with a month, at an On-Demand price of 1."""
    offers = tuple(
        Offer(
            name=f"{begin}", kind=Kind.RESERVED, rates={"x": 1.0}, price=COMMITTED, first=begin, last=begin + YEAR_HOURS
        )
        for begin in range(0, hours.size, MONTH_HOURS)
    )
    usage = Usage(instance_type="x", price=1.0, hours=hours)
    return bound(Market(usage=(usage,), offers=offers), gap=1e-5).lower


def rolling() -> list[str]:
    """C4: advice that knows the past alone, on three years of real demand."""
    hours = total()
    least, own = with_foresight(hours), laddered(hours, COMMITTED).cost
    ratio, limit = own / least - 1, 2 - COMMITTED
    types = by_type()
    apart = sum(laddered(one, COMMITTED).cost for one in types.values())
    least_apart = sum(with_foresight(one) for one in types.values())
    apart_ratio = apart / least_apart - 1
    return [
        f"C4 one plan for all types: optimum {least / hours.sum():.3f} of On-Demand, advice {own / hours.sum():.4f}, "
        f"{ratio:+.2%}  (goal {GOAL_ROLLING:.1%}, at most {limit:.2f} x {verdict(ratio <= GOAL_ROLLING)})",
        f"C4 twelve types reserved apart: optimum {least_apart / hours.sum():.3f}, advice {apart / hours.sum():.4f}, "
        f"{apart_ratio:+.2%}, one type replaced another  (goal {GOAL_ROLLING:.1%} "
        f"{verdict(apart_ratio <= GOAL_ROLLING)})",
    ]


def main() -> None:
    """Prints each part when it is measured; the one program of C2 comes last and takes minutes."""
    if FILE.exists():
        parts = (published, rules, rolling, mix)
    else:
        print(f"C1, C4: not measured, the public demand is not in {FILE.parent.relative_to(ROOT.parent)}")
        parts = (rules, mix)
    for part in parts:
        for line in part():
            print(line, flush=True)


if __name__ == "__main__":
    print(f"== {__doc__}")
    main()
    print()
