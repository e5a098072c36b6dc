"""`make rehearsal` as a newcomer runs it: it ends well, leaves nothing, and docs/rehearsal.md shows what it prints."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.pool.machine import run
from tools.gotools import ROOT

PAGE = (ROOT / "docs" / "rehearsal.md").read_text()
FIVE_MINUTES_S = 300
HANGS_S = 1200  # on a machine that is busy with much else


def shown() -> str:
    """The run on the page."""
    [text] = re.findall(r"```console\n\$ make rehearsal\n(.*?)```", PAGE, flags=re.DOTALL)
    return text


def shape(text: str) -> list[str]:
    """Lines without what differs from run to run: numbers, and the blanks before them."""
    return [re.sub(r"\s*\d[\d,.]*", " #", line).strip() for line in text.strip().splitlines()]


def test_it_succeeds_and_leaves_nothing(pool_machine: None) -> None:
    command = [sys.executable, "-m", "tests.pool.rehearsal"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        out, errors = process.communicate(timeout=HANGS_S)
    assert process.returncode == 0, errors
    assert not errors
    assert re.search(r"lost\s+0 of [\d,]+ acknowledged objects, 0 with wrong bytes", out)
    assert f"p{process.pid}" not in run("ip", "netns", "list")
    assert f"planner-pool-{process.pid}-" not in run("losetup", "--list", "--output", "BACK-FILE")
    assert shape(shown()) == shape(out), "docs/rehearsal.md shows another run than this program's"


def test_the_run_that_the_page_shows_took_less_than_five_minutes() -> None:
    ends_s = [float(found) for found in re.findall(r"^ *([\d.]+) s  done ", shown(), flags=re.MULTILINE)]
    assert len(ends_s) == 1
    assert ends_s[0] < FIVE_MINUTES_S
