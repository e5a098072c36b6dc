"""docs/pool-doors.md: its Python runs."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "pool-doors.md").read_text(encoding="utf-8")


def test_its_python_runs(tmp_path):
    program = "".join(re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL))
    program, replaced = re.subn(r"options = \{.*\}", f"options = {{'folder': {str(tmp_path)!r}}}", program)
    assert replaced == 1
    exec(compile(program, "pool-doors.md", "exec"), kept := {})
    assert kept["magic"] == b"PAR1"
    assert kept["frame"]["loss"].tolist() == [0.5, 0.25]
