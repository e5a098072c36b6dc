"""docs/health.md has every limit and every Xid of the program, and names every verb."""

from __future__ import annotations

import re
from pathlib import Path

from fleet_pool.health import command
from fleet_pool.health.decide import MOST_OUT, REPLACED_MOST, SMALL
from fleet_pool.health.limits import DCGM_SEVERITY, LIMITS, XIDS, Action

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "health.md").read_text(encoding="utf-8")


def limits() -> str:
    return "".join(
        f"| `{row.check}` | {row.when.replace(' ', ', ')} | {row.limit} | {row.action.name.lower()} | {row.source} |\n"
        for row in LIMITS.values()
    )


def xids() -> str:
    does = {Action.REPLACE: "replace", Action.RESTART: "restart", Action.OK: "nothing"}
    found = []
    for action, word in does.items():
        codes = [f"{code} {xid.meaning}" for code, xid in sorted(XIDS.items()) if xid.action is action]
        found.append(f"| {word} | {'; '.join(codes)} |\n")
    return "".join(found)


def test_the_tables_are_those_of_the_program():
    assert limits() in PAGE, f"docs/health.md needs these rows:\n{limits()}"
    assert xids() in PAGE, f"docs/health.md needs these rows:\n{xids()}"


def test_the_page_names_every_verb_and_no_other():
    named = set(re.findall(r"^planner-health ([a-z-]+)", PAGE, flags=re.M))
    named |= set(re.findall(r"^\$ (?:sudo )?planner-health ([a-z-]+)", PAGE, flags=re.M))
    assert {verb for verb in command.VERBS if f"`{verb}`" in PAGE} == set(command.VERBS)
    assert named <= set(command.VERBS)


def test_the_numbers_of_the_brake_are_the_programs():
    assert (MOST_OUT, SMALL, REPLACED_MOST) == (0.2, 9, 2)
    words = " ".join(PAGE.split())
    for said in ("20 % of a group", "fewer than nine", "two replacements of one place within an hour"):
        assert said in words
    assert DCGM_SEVERITY == {1: Action.REPORT, 2: Action.REPLACE, 5: Action.REPORT, 6: Action.RESTART}
