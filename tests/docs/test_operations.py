"""docs/operations.md is true: its commands that need no account run, and its dollars are today's."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from fleet_pool.node.ready import Machine, checks

from infra.nics import TYPES, addresses_per_node, nics
from planner.cli import main
from planner.stack.component import usd_per_hour_by_component
from planner.stack.file import read
from planner.stack.spec import NIC_PROFILES
from pricing.book import default_book
from tests.infra.specs import graph_of
from tests.pool.node.nodes import CASES
from tools.docs import ROOT
from tools.markdown import anchor

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
COMMANDS = [
    line.strip().removeprefix("$ ")
    for block in re.findall(r"```console\n(.*?)```", PAGE, flags=re.DOTALL)
    for line in block.splitlines()
    if line.strip().startswith("$ ")
]
# these ask an account
ASKING = re.compile(r"planner reserve |planner spot watch |planner node swap |--from-tags")
OURS = [command for command in COMMANDS if command.startswith("planner ") and not ASKING.search(command)]
FIRST = PAGE.split("## Deploy for the first time")[1].split("\n## ")[0]


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> tuple[Path, dict[str, int]]:
    """A copy of the project in which every command that needs no account ran in the page's order; its exit codes."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copy(ROOT / "Pulumi.yaml", folder)
    shutil.copytree(ROOT / "examples", folder / "examples")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        codes = {}
        for number, command in enumerate(OURS):
            codes[command] = _code(shlex.split(command)[1:])
            for file in folder.glob("Pulumi.*.yaml"):
                shutil.copy(file, folder / f"{number}-{file.name}")
    return folder, codes


def _code(words: list[str]) -> int:
    with pytest.raises(SystemExit) as done:
        main.run(words)
    return int(done.value.code or 0)


@pytest.mark.parametrize("command", OURS)
def test_every_command_without_an_account_runs(ran, command):
    assert ran[1][command] == 0


def test_the_first_deployment_has_ten_commands():
    assert len(re.findall(r"^\$ ", FIRST.split("```")[1], flags=re.MULTILINE)) == 10


def test_the_stack_file_is_checked_against_its_plan_before_the_deployment():
    check, up = FIRST.index("planner stack examples/small.yaml --check\n"), FIRST.index("pulumi up --stack dev\n")
    assert FIRST.index("--ami ami-") < check < up


def test_the_dollars_are_those_of_the_stack_file(ran):
    number = next(n for n, command in enumerate(OURS) if "--ami" in command)
    spec = read_as(ran[0] / f"{number}-Pulumi.dev.yaml", "Pulumi.dev.yaml")
    assert spec.placeholders == (), "the third command gives every id"
    expected = usd_per_hour_by_component(spec)
    rows = {cells[0]: cells[1] for cells in re.findall(r"^\| (\w+) \| ([\d.,]+) \|", FIRST, flags=re.MULTILINE)}
    assert rows == {**{name: f"{usd:.4f}" for name, usd in expected.items()}, "all": f"{sum(expected.values()):.4f}"}
    assert f"{24 * sum(expected.values()):,.2f} a day" in FIRST
    assert f"{24 * spec.usd_per_hour['storage.kms.key']:.4f} $/day" in PAGE


def read_as(path: Path, name: str):
    """A saved stack file, under its own name."""
    folder = path.parent / path.stem
    folder.mkdir(exist_ok=True)
    shutil.copy(path, folder / name)
    return read(folder / name)


def test_the_price_of_the_kept_bucket_is_current():
    (price,) = (
        row["usd"]
        for row in default_book().rows("metered")
        if (row["service"], row["item"], row["region"], row["tier_from"])
        == ("AmazonS3", "S3 Standard storage", "us-east-1", "0")
    )
    assert f"S3 Standard is {price} $/GB-month for the first 50 TB" in PAGE


def test_the_resources_kept_by_destroy_are_the_ones_listed():
    kept = {entry["name"] for entry in graph_of("converged")["resources"] if entry["retain_on_delete"]}
    assert {name for name in kept if not name.startswith("tier-bucket-")} == {
        "tier-bucket",
        "tier-key",
        "tier-key-alias",
    }
    assert {entry["name"] for entry in graph_of("converged")["resources"] if entry["protect"]} == kept


def test_the_budget_s_group_and_name_are_those_of_the_stack():
    found = {entry["name"]: entry["inputs"].get("name") for entry in graph_of("converged")["resources"]}
    assert f"--group-name {found['guard-operators']} " in PAGE
    assert f"--budget-name {found['guard-budget']} " in PAGE


def test_addresses_per_node_match_the_network_profiles():
    table = PAGE.split("## Network interfaces")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (\S+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", table, flags=re.MULTILINE)
    assert re.findall(r"`([a-z-]+)` \|", table) == list(NIC_PROFILES)
    assert {row[0]: tuple(map(int, row[1:])) for row in rows} == {
        name: (found.cards, *(addresses_per_node(nics(name, profile, 0, 0)) for profile in NIC_PROFILES))
        for name, found in TYPES.items()
    }


def test_links_resolve():
    for target in re.findall(r"\]\(([^)\s]+)\)", PAGE):
        path, _, fragment = target.partition("#")
        found = (ROOT / "docs" / path).resolve() if path else ROOT / "docs" / "operations.md"
        assert found.exists(), target
        headings = [line.lstrip("#") for line in found.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
        assert not fragment or fragment in map(anchor, headings)


def test_lines_are_at_most_120_characters():
    prose = re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)
    assert all(len(line) <= 120 for line in prose.splitlines() if not line.startswith("|"))


def test_the_checks_of_a_node_and_how_long_they_wait_are_those_on_the_page():
    table = PAGE.split("## When a node is not ready")[1].split("\n## ")[0]
    rows = [cells.split(" | ") for cells in re.findall(r"^\| (`\w+` \|.*) \|$", table, flags=re.MULTILINE)]
    lustre, pool = (next(case for case in CASES if case.name == name) for name in ("lustre", "p5"))
    made = [check for case in (lustre, pool) for check in checks(Machine(), case.stack, case.node, case.environment)]
    assert {row[0]: row[2] for row in rows} == {f"`{check.name}`": f"{check.limit_s:g} s" for check in made}
