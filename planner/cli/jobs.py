"""`planner jobs`: the same command that runs on a login node; all words after it are its own."""

from __future__ import annotations

import click


@click.command(
    short_help="Show a Slurm cluster's jobs: what runs, what waits and why, in dollars by project.",
    # every word is the other command's, --help too
    context_settings={"ignore_unknown_options": True, "help_option_names": []},
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def command(words: tuple[str, ...]) -> int:
    """What runs on a Slurm cluster, what waits and why, and what each project has spent at the plan's rates.

    Its options are --format, --cost, --since and --settings; `planner jobs --help` explains them. It runs on a node of
    the cluster; a login node has it as `planner-jobs` too, with the rates of its stack.
    """
    from fleet_pool.slurm.jobs import main

    return main(words, "planner jobs")
