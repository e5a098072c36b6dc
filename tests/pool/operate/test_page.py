"""docs/pool-command.md: every command on it is one, its codes are all codes, its links lead somewhere."""

from __future__ import annotations

import re
import shlex

import pytest
from fleet_pool.operate.alerts import ALERTS
from fleet_pool.operate.command import parser
from fleet_pool.problems import Code

from tests.pool.operate.test_command import ROOT, VERBS

PAGE = (ROOT / "docs" / "pool-command.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ planner pool (.+)$", PAGE, flags=re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_exists(command):
    assert parser("planner pool").parse_args(shlex.split(command)).run


def test_every_verb_exists():
    named = set(re.findall(r"planner pool ([a-z-]+)", PAGE)) - {"VERB"}
    assert named <= set(VERBS)
    assert len(named) >= 8


def test_every_exit_code_is_there_but_those_that_all_programs_have():
    told = {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, flags=re.MULTILINE)}
    assert told == {int(code) for code in Code} - {Code.UNEXPECTED, Code.INTERRUPTED}


def test_every_alert_exists():
    table = PAGE.split("| it says | do |")[1].split("\n\n")[0]
    named = set(re.findall(r"(?<=[ ,|])((?:[a-z]+-)+[a-z]+)(?=[ ,|])", table.replace("`", "")))
    assert {name for name in named if name in {alert.name for alert in ALERTS}} >= {
        "out-of-space",
        "disk-full",
        "disk-fault",
        "certificate-expires-soon",
        "low-cpu",
        "busy-cpu",
    }


def test_links_lead_somewhere():
    links = re.findall(r"\]\(([^)]+)\)", PAGE)
    assert links
    for link in links:
        name, _, anchor = link.partition("#")
        target = ROOT / "docs" / name
        assert target.exists(), link
        if anchor:
            assert f"## {anchor.replace('-', ' ')}" in target.read_text(encoding="utf-8").lower(), link
