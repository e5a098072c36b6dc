"""How a command ends when nobody reads on, or somebody presses Ctrl-C: at once, in silence, with its own code."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.typed import PLANNER, SMALL

LONG = str(Path(__file__).parents[2] / "examples" / "stability-converged.yaml")


@pytest.mark.parametrize(
    "words",
    [
        ("compare", LONG, "-f", "json"),
        *(
            pytest.param(words, marks=pytest.mark.thorough)
            for words in (
                ("compare", LONG, "-f", "csv"),
                ("report", SMALL, "-o", "-"),
                ("explain", LONG, "best", "days", "--depth", "0"),
            )
        ),
        ("calc", "--list"),
    ],
    ids=lambda words: " ".join(word for word in words if word not in (LONG, SMALL)),
)
def test_a_reader_who_leaves_is_no_error(words: tuple[str, ...]) -> None:
    process = subprocess.Popen([PLANNER, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.read(1)
    process.stdout.close()
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 0


def worked_s(pid: int) -> float:
    """Processor time of a process, by which it is told how far it is on a busy machine."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_reader_who_never_came_is_no_error_either() -> None:
    for words in (
        ["calc", "--list"],
        ["compare", LONG, "--draws", "0"],
        ["offers", "p5.48xlarge"],
        ["prices", "verify"],
        ["validate", LONG],
    ):
        process = subprocess.Popen([PLANNER, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait(timeout=60) == 0


# what runs in a shell's background ignores Ctrl-C, and so does all that it starts: the command must not
HEARS = (
    "import os, signal, sys;"
    "signal.signal(signal.SIGINT, signal.default_int_handler);"
    "os.execv(sys.argv[1], sys.argv[1:])"
)


@pytest.mark.parametrize(
    ("verb", "file"),
    [
        ("compare", "x.html"),
        pytest.param("sensitivity", "x.json", marks=pytest.mark.thorough),
        pytest.param("report", "x.html", marks=pytest.mark.thorough),
    ],
)
def test_ctrl_c_ends_it_quietly(verb: str, file: str, tmp_path: Path) -> None:
    out = tmp_path / file
    words = [sys.executable, "-c", HEARS, PLANNER, verb, LONG, "--draws", "1000000", "-o", str(out)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while worked_s(process.pid) < 2:  # well inside the work: a million draws take many times that, a start a tenth
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said, complained = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, b"")
    assert complained.strip() == b""
    assert not out.exists()
