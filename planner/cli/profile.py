"""`planner profile`: measure small, plan large: a throughput table from logs of short runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planner.cli.options import Asked, common
from planner.cli.output import check_out, room_of, say, write_result
from planner.errors import UsageProblem

if TYPE_CHECKING:
    from planner.profile.logs import Log
    from planner.profile.measure import Measured
    from planner.report.wording.profile import Narrowed


@click.command()
@click.argument("logs", nargs=-1, metavar="GPUS=LOG...")
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="GPUS=COMMAND",
    help="Run COMMAND (planner-launch, torchrun) on GPUS and read what it prints; kept in profile-GPUS.log.",
)
@click.option("--batch", type=click.FloatRange(min=0, min_open=True), help="Samples of a step, for logs without them.")
@click.option("--for", "plan", metavar="PLAN", help="Say how much narrower this plan's range becomes.")
@click.option("--measured", metavar="FILE", help="Write the table to FILE; `--set @FILE` gives it to a plan.")
@common
def command(
    logs: tuple[str, ...],
    runs: tuple[str, ...],
    batch: float | None,
    plan: str | None,
    measured: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> None:
    """Turn logs of a few hundred training steps into a throughput table with its range.

    Each log is named with the GPUs that trained: 8=one-node.log 16=two-nodes.log. Two sizes show how it scales; several
    logs of one size show how far runs differ. --run makes a log by running a command. Logs of Megatron-LM, torchtitan
    and nanoGPT are known, and CSV and JSON lines with `seconds` and `samples`, or `samples_per_second`, also as
    torchrun prints them (`[default0]:`). Slow steps count; those of the warm-up do not.
    """
    from planner.plan.assumptions import default_assumptions
    from planner.profile.table import FACTOR, rows_of, values_of
    from planner.report.wording.profile import sentences

    if measured is not None:
        check_out(measured)
    named = [_named(text) for text in logs]
    named += [(gpus, _ran(gpus, command, quiet)) for gpus, command in map(_named, runs)]
    if not named:
        raise UsageProblem(
            "name a log with the GPUs that trained, as 8=train.log, or a command to run: --run 8=COMMAND"
        )
    read = [(gpus, *_measured(gpus, path, batch)) for gpus, path in named]
    units = {log.unit for _, log, _ in read}
    if len(units) > 1:
        raise UsageProblem("one log counts tokens and another one samples: measure all sizes with one trainer")
    usual = default_assumptions()[FACTOR]
    by_gpus: dict[int, list[Measured]] = {}
    for gpus, _, found in read:
        by_gpus.setdefault(gpus, []).append(found)
    rows = rows_of(by_gpus, (usual.high - usual.low) / 2)
    values = values_of(rows, f"planner profile of {', '.join(Path(path).name for _, path in named)}")
    narrowed = _narrowed(plan, values, quiet) if plan else None
    width = room_of(None, color).width
    write_result("\n".join(sentences(rows, read, narrowed, width)) + "\n", None)
    if measured is not None:
        from planner.plan.values_file import written

        write_result(written(values, "Measured by `planner profile`"), measured)
        say(f"Wrote {measured}. Next: planner compare {plan or 'PLAN'} --set @{measured}", quiet)


def _named(text: str) -> tuple[int, str]:
    gpus, found, path = text.partition("=")
    if not found or not path or not gpus.isdecimal() or not 1 <= int(gpus) <= 1_000_000:
        file = text.rpartition("=")[2] or "FILE"
        raise UsageProblem(f"{text}: write the GPUs that trained before the log, as 64={file}")
    return int(gpus), path


def _ran(gpus: int, command: str, quiet: bool) -> str:
    from planner.cli.progress import progress
    from planner.profile.ran import ran

    with progress(f"Running on {gpus:,} GPUs", quiet=quiet):
        path = str(ran(command, gpus, Path()))
    say(f"Wrote {path}", quiet)
    return path


def _measured(gpus: int, path: str, batch: float | None) -> tuple[Log, Measured]:
    from planner.profile.logs import read_log
    from planner.profile.measure import FEWEST, measured

    log = read_log(path, gpus=gpus, batch=batch)
    found = measured(log.steps)
    if found is None:
        raise UsageProblem(
            f"{path}: {len(log.steps)} steps are too few: at least {FEWEST} after the warm-up; a few hundred are enough"
        )
    return log, found


def _narrowed(plan: str, values: dict[str, Any], quiet: bool) -> Narrowed:
    """The plan's recommended choice before and after. Raises PlanProblems or UsageProblem."""
    from planner.cli.progress import counted, progress
    from planner.decide.compare import compare
    from planner.kinds.asking import PRICING
    from planner.plan.values_file import as_overrides
    from planner.report.wording.profile import Narrowed

    before = Asked(plan=plan, overrides=())
    after = replace(before, overrides=tuple(as_overrides(values)))
    with progress(PRICING, quiet=quiet) as shown:
        found = [compare(asked.request(derivations=False), counted(shown)) for asked in (before, after)]
    return Narrowed(before=found[0].best, after=found[1].best)
