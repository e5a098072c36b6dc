"""What past demand says, in words: what is in it, how far it can be trusted, what to do next."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planner.demand.shown import CENSORED, HoursShown, JobsShown
from planner.report.wording import figures

YEAR_DAYS, SHORT_DAYS = 365, 28
MOST_NAMED = 6  # accounts
_SLICE = re.compile(r"\d+g\.\d+gb")  # a MIG profile: NVIDIA names it by its compute slices and memory
LONG_WAIT_H = 1.0  # at the 95th percentile: more than what a scheduler takes for a pass


def title(shown: JobsShown | HoursShown) -> str:
    if isinstance(shown, HoursShown):
        last = f"{shown.hours:,} hours from {shown.begin:%Y-%m-%d %H:%M} UTC"
        return f"Demand by the hour: {len(shown.types)} instance type{'s' if len(shown.types) != 1 else ''}, {last}"
    return (
        f"Jobs of a Slurm cluster: {sum(shown.states.values()):,}, "
        f"from {shown.begin:%Y-%m-%d %H:%M} to {shown.end:%Y-%m-%d %H:%M} UTC ({shown.days:,.1f} days)"
    )


def facts(shown: JobsShown | HoursShown) -> list[tuple[str, str]]:
    """Names and values, for a list of two columns."""
    if isinstance(shown, HoursShown):
        return [
            (
                one.name,
                f"{one.instance_hours:,.0f} instance-hours; peak {one.peak:,.0f}, "
                f"used {one.utilisation:.0%} on average; at the peak in {one.at_peak:.1%} of the hours",
            )
            for one in shown.types
        ]
    waits = "no job started"
    if shown.waits_h is not None:
        waits = "mean {:,.1f} h, median {:,.1f} h, 95th percentile {:,.1f} h".format(*shown.waits_h)
    done = shown.completed_node_hours / shown.node_hours if shown.node_hours else 0.0
    peak, wanted, unit = shown.peak_nodes, shown.peak_wanted, "nodes"
    if shown.peak_gpus is not None and shown.peak_wanted_gpus is not None:
        peak, wanted, unit = shown.peak_gpus, shown.peak_wanted_gpus, "GPUs"
    return [
        *_whose(shown),
        ("State", ", ".join(f"{count:,} {state}" for state, count in shown.states.items())),
        ("Node-hours", f"{shown.node_hours:,.1f}, of which {done:.0%} in completed jobs"),
        ("Largest job", figures.many(shown.largest_nodes, "node")),
        ("Wait for nodes", waits),
        ("Peak", f"{peak:,} {unit} at once, used {shown.utilisation:.0%} on average"),
        ("Peak with queue", f"{wanted:,} {unit}, running and waiting"),
        ("Limited", f"{shown.limited:.1%} of the time"),
        *([("For a plan", f"{figures.many(shown.weeks, 'whole week')} from {shown.first_day}")] if shown.weeks else []),
    ]


def _whose(shown: JobsShown) -> list[tuple[str, str]]:
    """Accounts and hardware, by what they used."""
    total = shown.gpu_hours or shown.node_hours
    said = [] if shown.gpu_hours is None else [("GPU-hours", f"{shown.gpu_hours:,.0f}")]
    if total and shown.projects:
        unit = "node-hours" if shown.gpu_hours is None else "GPU-hours"
        parts = [f"{one.name} {(one.gpu_hours or one.node_hours) / total:.0%}" for one in shown.projects[:MOST_NAMED]]
        rest = len(shown.projects) - len(parts)
        said.append((f"Accounts by {unit}", ", ".join(parts) + (f", and {rest:,} more" if rest else "")))
    if shown.ran_on and total:
        parts = [f"{name} {hours / total:.0%}" for name, hours in [*shown.ran_on.items()][:MOST_NAMED]]
        said.append(("Ran on", ", ".join(parts)))
    return said


def trust(shown: JobsShown | HoursShown) -> list[str]:
    """What the file cannot show, the weightiest first."""
    said = limits(shown)
    if shown.days < SHORT_DAYS:
        said.append(f"Less than {SHORT_DAYS} days: one busy week decides the averages.")
    elif shown.days < YEAR_DAYS:
        said.append("Less than a year: seasons, deadlines and growth are not in it.")
    if isinstance(shown, JobsShown) and shown.empty_weeks:
        said.insert(0, empty_weeks(shown.empty_weeks, shown.weeks))
    if isinstance(shown, HoursShown):
        if shown.assumed_utc:
            said.append("The hours name no time zone and are taken as UTC.")
        if len(shown.regions) > 1:
            said.append(f"Regions are added up: {', '.join(shown.regions)}. `planner mix --region` takes one of them.")
        return said
    return [*said, *_of_rows(shown)]


def _of_rows(shown: JobsShown) -> Iterator[str]:
    """What is said of how the file's rows are taken."""
    many = figures.many
    if shown.early:
        yield (
            f"{many(shown.early, 'job is', 'jobs are')} from before {shown.first_day}: of those days sacct lists only "
            "what still ran. Use and limits are of the time since."
        )
    if shown.running:
        yield f"{many(shown.running, 'job')} had not ended; they count up to the file's last time."
    if shown.repeated:
        times = many(shown.repeated, "time lies", "times lie")
        yield f"{times} in the hour that the end of daylight saving repeats; each is taken as the first of the two."
    if shown.gpu_hours is None:
        yield "The file names no GPUs (AllocTRES with gres/gpu): a plan takes each job to use whole nodes."
    if shown.no_gpu:
        yield f"{many(shown.no_gpu, 'job')} ran without a GPU (gres/gpu in AllocTRES); a plan takes the others."
    if sliced := [name for name in shown.ran_on if _SLICE.search(name)]:
        yield f"Parts of GPUs ({', '.join(sliced)}) are counted as whole ones."
    if shown.twice:
        yield f"{many(shown.twice, 'row is', 'rows are')} in the file twice and counted once."
    if shown.resized:
        parts = many(shown.resized, "row is part", "rows are parts")
        yield f"{parts} of jobs that changed their size; each counts as a job."
    if shown.steps:
        yield f"{many(shown.steps, 'row is a job step', 'rows are job steps')}, left out; sacct -X does not print them."


def empty_weeks(empty: int, weeks: int) -> str:
    """What weeks without jobs do to a plan."""
    return (
        f"No job in {empty:,} of the {figures.many(weeks, 'whole week')}: a plan draws these too, as weeks without "
        "work. If the file lacks them, or a date is wrong, say with demand.from and demand.to which days count."
    )


def limits(shown: JobsShown | HoursShown) -> list[str]:
    if isinstance(shown, HoursShown):
        flat = [one for one in shown.types if one.may_be_censored]
        said = [
            f"{one.name} was within 1 % of its peak in {one.at_peak:.1%} of the hours: either it was all the capacity "
            "there was and jobs waited, or the demand does not vary."
            for one in flat
        ]
        return [*said, "Hours show what ran, not what waited: the need may have been higher."]
    if shown.censored:
        return [
            f"Censored: in {shown.limited:.1%} of the time (limit {CENSORED:.0%}), running and waiting jobs needed "
            f"more than the {_peak(shown)} that ever ran at once. The need was higher than what ran; "
            "users who gave up are in no file."
        ]
    if not shown.peak_nodes:
        return ["No job ran, so nothing shows what the fleet could do."]
    said = [
        f"No limit shows: jobs needed more than the {_peak(shown)} of the peak in {shown.limited:.1%} of "
        f"the time (limit {CENSORED:.0%})."
    ]
    if shown.waits_h is not None and shown.waits_h[2] >= LONG_WAIT_H:
        said.append(
            "Yet jobs waited below that peak: the fleet was smaller at times, or priorities, limits of projects or "
            "other partitions held them. If it was smaller, the need was higher than what ran."
        )
    return said


def next_steps(shown: JobsShown | HoursShown, file: str) -> list[str]:
    if isinstance(shown, HoursShown):
        steps = [f"`planner mix {file}` finds the commitments for these hours."]
        if any(one.may_be_censored for one in shown.types):
            steps.append("Show the queue's jobs of the same time with `planner demand show` to see how much waited.")
        return steps
    if not shown.weeks:
        return ["Run sacct over at least a week: then a plan of `kind: fleet` takes the file as its demand."]
    zone = f", zone: {shown.zone}" if shown.zone else ""
    steps = [f"In a plan of `kind: fleet`, write demand: {{file: {file}{zone}}}; `planner compare` sizes the fleet."]
    if shown.censored:
        steps.append("It replays the jobs as submitted, so the queue shows again what the old fleet held back.")
    return steps


def _peak(shown: JobsShown) -> str:
    return f"{shown.peak_nodes:,} nodes" if shown.peak_gpus is None else f"{shown.peak_gpus:,} GPUs"
