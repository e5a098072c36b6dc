"""`planner pool`: the same command that runs on the nodes; all words after it are its own."""

from __future__ import annotations

import click


def _verbs(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """For the shell: the verb, and nothing behind it."""
    from fleet_pool.operate.command import verbs_of

    first = not (context.params.get("words") or ())
    return [name for name in verbs_of("planner pool") if first and name.startswith(incomplete)]


@click.command(
    short_help="Operate a running storage pool: buckets, prefetch, status, drain, canary.",
    # every word is the pool's, --help too
    context_settings={"ignore_unknown_options": True, "help_option_names": []},
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, shell_complete=_verbs)
def command(words: tuple[str, ...]) -> int:
    """Operate a running storage pool (NVMe drives over S3): its buckets, data and nodes.

    `planner pool --help` lists its verbs. It connects to the proxies of --endpoint or AIS_ENDPOINT.
    """
    from fleet_pool.operate.command import main

    return main(words, "planner pool")
