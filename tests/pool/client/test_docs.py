"""docs/pool-clients.md: its Python runs, its numbers are the code's, and the verbs that it names exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from fleet_pool.client.patience import Patience
from fleet_pool.client.pool import READ_TIMEOUT_S

from tests.pool.client.test_mount import REVERSE_PROXY

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "pool-clients.md").read_text(encoding="utf-8")


def test_its_python_runs_from_the_first_block_to_the_last(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(blocks) == 3
    program, replaced = re.subn(r'open_store\("s3://train", .*\)', f"open_store({str(tmp_path)!r})", "".join(blocks))
    assert replaced == 1
    kept: dict[str, object] = {}
    exec(compile(program, "pool-clients.md", "exec"), kept)
    assert kept["head"] == b"bytes"
    assert kept["names"] == ["shards/000001.tar"]
    assert kept["labels"] == [b"1", b"0"]
    exec(compile(program, "pool-clients.md", "exec"), again := {})  # a restart of the same program goes on
    assert again["begin"] == 100


def test_its_numbers_match_the_code():
    patience = Patience()
    assert f"`Patience.total_s` ({patience.total_s:.0f} s" in PAGE
    assert patience.tries_before_rest == 3
    assert f"three times in a row, no control node of it, is skipped for {patience.rest_s:.0f} s" in re.sub(
        r"\s+", " ", PAGE
    )
    assert f"the read goes to S3 after {READ_TIMEOUT_S:.0f} s" in PAGE
    assert f"`S3-Reverse-Proxy`, {REVERSE_PROXY}" in PAGE


def test_its_commands_exist():
    named = set(re.findall(r"planner pool ([a-z-]+)", PAGE))
    told = subprocess.run(
        [sys.executable, "-m", "fleet_pool", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert named == {"register", "prefetch", "status"}
    assert named <= set(re.findall(r"^    ([a-z-]+) ", told.stdout, flags=re.MULTILINE))


def test_its_links_and_programs_exist():
    for link in re.findall(r"\]\(\.\./([^)]+)\)", PAGE) + re.findall(r"python (examples/\S+)", PAGE):
        assert (ROOT / link).is_file(), link
