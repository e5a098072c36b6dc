"""The planner as it is typed: `run` of the console script in a process of its own, with its output, folder and exit.

The process is forked from a server that has the verbs imported, because most of a short command's time goes to imports.
What concerns the start of Python itself (its encoding, its search path) starts the real command.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import subprocess
import sys
import tempfile
from functools import cache
from multiprocessing.context import ForkServerContext
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLANNER = str(Path(sys.executable).with_name("planner"))
SMALL = str(ROOT / "examples" / "small.yaml")
FEW = ("--set", "purchase.options=[on-demand, spot]", "--set", "storage.layouts=[s3-stream, converged]")
READ_AT_START = ("PYTHON", "LC_", "LANG")  # variables that Python reads before the planner runs


def planner(
    *words: object, cwd: Path | None = None, given: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """What it prints and how it ends. given: its standard input. environment: variables besides those of the tests."""
    arguments = [str(word) for word in words]
    if any(name.startswith(READ_AT_START) for name in environment):
        return subprocess.run(
            [PLANNER, *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            cwd=cwd,
            input=given,
            env={**os.environ, **environment},
        )
    with tempfile.TemporaryDirectory() as folder:
        streams = [Path(folder) / name for name in ("stdin", "stdout", "stderr")]
        streams[0].write_text(given or "", encoding="utf-8")
        child = _server().Process(
            target=_typed, args=(arguments, cwd or Path.cwd(), {**os.environ, **environment}, streams)
        )
        child.start()
        child.join()
        said = [path.read_text(encoding="utf-8") for path in streams[1:]]
        assert child.exitcode is not None
        return subprocess.CompletedProcess([PLANNER, *arguments], child.exitcode, *said)


@cache
def _server() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.typed_server"])
    return context


def _typed(arguments: list[str], cwd: Path, environment: dict[str, str], streams: list[Path]) -> None:
    """Runs in the child: no terminal, files for the three streams, nothing of the server's environment."""
    for number, path in enumerate(streams):
        opened = os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115  they live as long as the process
        for number, mode in ((0, "r"), (1, "w"), (2, "w"))
    )
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    importlib.import_module("planner.cli.main").run(arguments)
