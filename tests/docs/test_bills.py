"""Every command of docs/bills.md runs, with a forecast in place of a bill."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/bills.md").read_text(encoding="utf-8")


def test_the_commands_run_one_after_the_other(tmp_path):
    for name in ("run.yaml", "next.yaml"):
        shutil.copy(ROOT / "examples/multimodal-p5.yaml", tmp_path / name)
    log = re.search(r"```csv\n(.*?)```", PAGE, flags=re.DOTALL)
    (tmp_path / "attempts.csv").write_text(log[1])
    times = "2026-11-03T00:00:00|2026-11-03T00:00:00|2026-11-10T00:00:00"
    jobs = f"JobID|Account|Submit|Start|End|State|NNodes\n1|vision|{times}|COMPLETED|32\n"
    (tmp_path / "sacct.txt").write_text(jobs)
    commands = [line[2:] for line in PAGE.splitlines() if line.startswith("$ planner")]
    assert len(commands) == 8
    for line in commands:
        words = [str(Path(sys.executable).with_name("planner")), *shlex.split(line)[1:], "--draws", "200", "-q"]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (line, done.stderr)
    assert "network.nat_gb_per_node" in (tmp_path / "measured.yaml").read_text()
    assert "failures" in (tmp_path / "measured.yaml").read_text()
