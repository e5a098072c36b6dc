"""The pool's command line: `planner pool`, `fleet-pool`, or `python3 planner-pool.pyz` on a node."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from fleet_pool.api import ENDPOINT_VARIABLE
from fleet_pool.operate import bucket_commands, node_commands
from fleet_pool.operate.options import Run
from fleet_pool.problems import Code, PoolProblem
from fleet_pool.settings import BadSetting

ABOUT = (
    "Operate a running storage pool (NVMe cache over S3): its buckets, its data, its nodes. Give the pool's proxies "
    f"in --endpoint or {ENDPOINT_VARIABLE}. If the pool uses TLS, AIS_CRT, AIS_CRT_KEY and AIS_CLIENT_CA name the "
    "client certificate, its key and the authority."
)
CODES = (
    "Exit codes: 0 ok, 2 usage error, 3 no credentials for S3, 4 the pool or S3 does not answer or refuses, "
    "10 a demand exceeds the pool's capacity, 13 a problem in the pool, 130 interrupted."
)


def main(words: Sequence[str] | None = None, program: str = "") -> int:
    """Runs one verb; its exit code. Results go to standard output, everything else to standard error.

    program: how the command calls itself, the name it was started by if empty.
    """
    program = program or started_as(sys.argv[0])
    given = parser(program).parse_args(words)
    try:
        run: Run = given.run
        code = run(given)
        sys.stdout.flush()
        return code
    except PoolProblem as error:
        print(f"{program} {given.verb}: {error}", file=sys.stderr)
        return error.code
    except BadSetting as error:
        print(f"{program} {given.verb}: {error}", file=sys.stderr)
        return Code.USAGE
    except KeyboardInterrupt:
        return Code.INTERRUPTED
    except BrokenPipeError:
        # the reader closed the pipe; without this Python reports the error again when it exits
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Code.OK
    except Exception as error:
        if given.debug:
            raise
        print(
            f"{program} {given.verb}: unexpected {type(error).__name__}: {error}\n"
            "This is a bug. Run again with --debug and report the output.",
            file=sys.stderr,
        )
        return Code.UNEXPECTED


def started_as(path: str) -> str:
    """The command's name from `sys.argv[0]`: `fleet-pool`, `planner-pool` or `python -m fleet_pool`."""
    name = Path(path).stem
    return "python -m fleet_pool" if name == "__main__" else name


def verbs_of(program: str) -> dict[str, argparse.ArgumentParser]:
    """Each verb with its own parser, in the order of --help."""
    [verbs] = [one for one in parser(program)._actions if isinstance(one, argparse._SubParsersAction)]
    return dict(verbs.choices)


def parser(program: str) -> argparse.ArgumentParser:
    """The parser with every verb; `run` of what it parses is the verb's function."""
    top = argparse.ArgumentParser(prog=program, description=ABOUT, epilog=CODES, allow_abbrev=False)
    verbs = top.add_subparsers(dest="verb", metavar="VERB", required=True)
    node_commands.add(verbs)
    bucket_commands.add(verbs)
    return top
