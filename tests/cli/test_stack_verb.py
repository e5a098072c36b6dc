"""`planner stack` as a user types it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from planner.account.commands import Said
from planner.cli import stack_shared
from planner.cli.stack import command
from planner.errors import PlanProblems, UsageProblem
from planner.report.wording.wrapping import cells
from planner.stack.file import KEY, PROJECT, read
from tests.acceptance.test_ask import Nodes

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
IDS = ["--ami", "ami-0123456789abcdef0", "--zone-id", "use1-az4", "--notify", "oncall@example.org"]
SPOT = ("--set", "purchase.options=[spot]")
SMALL = "s3-stream/p4d.24xlarge/on-demand"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a project file and two plans."""
    (tmp_path / "Pulumi.yaml").write_text("name: gpu-fleet-planner\nruntime: python\n", encoding="utf-8")
    for name in ("small.yaml", "video-separate.yaml"):
        shutil.copy(EXAMPLES / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, width: str = "80"):
    """What it prints; raises what the command raises."""
    result = CliRunner().invoke(command, list(arguments), env={"COLUMNS": width}, standalone_mode=False)
    if result.exception:
        raise result.exception
    return result


def test_it_writes_beside_the_project_and_says_what_stands(here):
    said = run("small.yaml", "--scenario", SMALL, *IDS)
    spec = read(here / "Pulumi.dev.yaml")
    assert (spec.scenario, spec.fleet.nodes, spec.placeholders) == (SMALL, 4, ())
    total = sum(spec.usd_per_hour.values())
    assert f"{total:,.4f}" in said.stdout
    assert "missing:" not in said.stdout
    assert "pulumi up --stack dev" in said.stdout
    assert said.stderr == "Wrote Pulumi.dev.yaml\n"


def test_from_a_folder_below_it_still_writes_beside_the_project(here, monkeypatch):
    (here / "below").mkdir()
    monkeypatch.chdir(here / "below")
    run("../small.yaml", "--scenario", "best")
    assert (here / "Pulumi.dev.yaml").is_file()


@pytest.mark.parametrize("width", [80, 160])
def test_lines_fit_but_commands_which_must_be_copied_whole(here, width):
    said = run(
        "video-separate.yaml", "--scenario", "separate-nvme/p4d.24xlarge/capacity-block", width=str(width)
    ).stdout
    long = [line for line in said.splitlines() if cells(line) > width]
    assert all(line.strip().startswith(("aws ", "planner ")) for line in long), long
    for part in ("--ami", "--control-ami", "--zone-id", "--notify", "26 x i3en.24xlarge for storage"):
        assert part in said


def test_a_block_is_asked_for_by_its_id_and_end(here):
    name = "converged/p4d.24xlarge/capacity-block"
    said = run("small.yaml", "--scenario", name).stdout
    assert "describe-capacity-reservations" in said
    assert "--block-ends 2026-11-30T11:30:00Z" in said
    run("small.yaml", "--scenario", name, "--reservation", "cr-0123456789abcdef0", "--block-ends", "2026-11-30T11:30Z")
    assert read("Pulumi.dev.yaml").buying.ends == "2026-11-30T11:30:00Z"


def test_writing_again_keeps_what_was_given_and_what_is_of_others(here):
    run("small.yaml", "--scenario", SMALL, *IDS, "--nic-profile", "bandwidth")
    path = here / "Pulumi.dev.yaml"
    text = path.read_text(encoding="utf-8").replace('root_device: "/dev/sda1"', 'root_device: "/dev/xvda"')
    path.write_text("encryptionsalt: v1:x\n" + text + "  acme:k: 1\n", encoding="utf-8")
    before = read(path)
    said = run("small.yaml", "--scenario", SMALL)
    assert "Nothing changed" in said.stderr
    assert read(path) == before
    assert before.fleet.nic_profile == "bandwidth"
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert (data["encryptionsalt"], data["config"]["acme:k"]) == ("v1:x", 1)
    assert "fleet.ami" in run("small.yaml", "--scenario", SMALL, "--ami", "ami-11111111").stderr


def test_the_file_of_another_plan_or_scenario_is_not_written_over(here):
    run("small.yaml", "--scenario", SMALL, *IDS)
    before = Path("Pulumi.dev.yaml").read_bytes()
    with pytest.raises(UsageProblem, match="is of s3-stream/on-demand, and this would be of separate-nvme"):
        run("video-separate.yaml", "--scenario", "best", "--force")
    with pytest.raises(UsageProblem, match="the launch template: nodes that run keep the old layout"):
        run("small.yaml", "--scenario", "converged/p4d.24xlarge/on-demand")
    with pytest.raises(
        UsageProblem, match=r"belongs to another plan; --force would change\n(.*\n)*  fleet.nodes: 4 -> 8"
    ):
        run("small.yaml", "--scenario", SMALL, "--set", "fleet.nodes=8")
    assert Path("Pulumi.dev.yaml").read_bytes() == before
    run("video-separate.yaml", "--scenario", "best", "--switch")
    spec = read("Pulumi.dev.yaml")
    assert (spec.fleet.nodes, spec.fleet.ami, spec.zone_id) == (64, "ami-0123456789abcdef0", "use1-az4")


def test_a_file_system_goes_once_s3_has_its_files(here, monkeypatch):
    """The nodes are asked first; --force is for what was never deployed, or may go."""
    run("small.yaml", "--scenario", "fsx-lustre/p4d.24xlarge/on-demand", *IDS)
    before = Path("Pulumi.dev.yaml").read_bytes()
    asked = []

    def nodes(*ids: str, wrong: str = "") -> Nodes:
        def answer(id: str, command: str) -> Said:
            asked.append((id, command))
            return Said(well=not wrong or "--look" not in command, out="", err=wrong)

        return Nodes(answer, ids)

    for stands, says in (
        (nodes(), "no node is in service that could look"),
        (nodes("i-1", "i-2", wrong="flush: S3 does not have 3 files"), "i-1: flush: S3 does not have 3 files"),
    ):
        monkeypatch.setattr(stack_shared, "nodes_of", lambda spec, stands=stands: stands)
        with pytest.raises(UsageProblem, match=says):
            run("small.yaml", "--scenario", SMALL, "--switch")
        assert Path("Pulumi.dev.yaml").read_bytes() == before
    asked.clear()
    monkeypatch.setattr(stack_shared, "nodes_of", lambda spec: nodes("i-1", "i-2"))
    run("small.yaml", "--scenario", SMALL, "--switch")
    assert read("Pulumi.dev.yaml").switched_from == ("fsx-lustre/on-demand",)
    assert [(id, "--look" in command) for id, command in asked] == [("i-1", False), ("i-2", False), ("i-1", True)]
    assert "fleet_pool.node.flush /fsx --exported=checkpoints --read=dataset" in asked[0][1]


def test_a_reservation_is_not_taken_over_by_another_way_of_buying(here):
    cr = "cr-0123456789abcdef0"
    run("small.yaml", "--scenario", SMALL, "--reservation", cr)
    assert read("Pulumi.dev.yaml").buying.reservation_id == cr
    run("small.yaml", "--scenario", SMALL)
    assert read("Pulumi.dev.yaml").buying.reservation_id == cr
    run("small.yaml", "--scenario", "s3-stream/p4d.24xlarge/spot", *SPOT, "--switch")
    assert read("Pulumi.dev.yaml").buying.reservation_id == ""


def test_what_is_said_of_a_reservation_stays_and_goes_with_it(here):
    run("small.yaml", "--scenario", SMALL, "--reservation", "cr-0123456789abcdef0", "--placement-group", "close")
    said = run("small.yaml", "--scenario", SMALL).stdout
    assert "of placement group close" in said
    assert "! No placement group" not in said
    assert read("Pulumi.dev.yaml").buying.placement_group == "close"
    said = run("small.yaml", "--scenario", SMALL, "--reservation", "cr-0fedcba9876543210").stdout
    assert "! No placement group" in said
    assert read("Pulumi.dev.yaml").buying.placement_group == ""
    block = ["small.yaml", "--scenario", "s3-stream/p4d.24xlarge/capacity-block", "--stack", "block"]
    times = ["--block-starts", "2026-11-24T11:30Z", "--block-ends", "2026-11-30T11:30Z"]
    run(*block, "--reservation", "cr-0123456789abcdef0", *times)
    said = run(*block).stdout
    assert "from 2026-11-24T11:30:00Z until 2026-11-30T11:30:00Z" in said.replace("\n  ", " ")
    with pytest.raises(PlanProblems, match=r"--block-starts: .*not a time in UTC"):
        run(*block, "--block-starts", "tomorrow")


def test_check_holds_the_file_against_the_plan(here):
    run("small.yaml", "--scenario", SMALL, *IDS)
    assert run("small.yaml", "--check").stderr == "Pulumi.dev.yaml matches small.yaml\n"
    with pytest.raises(PlanProblems) as error:
        run("small.yaml", "--check", "--set", "fleet.nodes=8")
    said, lines = str(error.value), Path("Pulumi.dev.yaml").read_text(encoding="utf-8").splitlines()
    line = lines.index("      nodes: 4") + 1
    assert f"Pulumi.dev.yaml:{line}:7: fleet.nodes is 4; the plan gives 8" in said
    assert "plan_sha256 is" in said
    assert f"planner stack small.yaml --scenario {SMALL} --stack dev --force" in said


def test_check_finds_what_a_hand_changed(here):
    run("small.yaml", "--scenario", SMALL, *IDS)
    path = here / "Pulumi.dev.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("fleet.compute: ", "fleet.compute: 1"), encoding="utf-8")
    with pytest.raises(PlanProblems, match=r"usd_per_hour.fleet.compute is 1\d\d"):
        run("small.yaml", "--check")
    path.write_text(text.replace("nodes: 4", "nodes: 0"), encoding="utf-8")
    with pytest.raises(PlanProblems, match="at least one"):
        run("small.yaml", "--check")
    with pytest.raises(PlanProblems, match="at least one"):
        run("small.yaml", "--scenario", SMALL)
    run("small.yaml", "--scenario", SMALL, "--force", *IDS)
    assert path.read_text(encoding="utf-8") == text


def test_a_canary_is_one_node_with_its_dollars_and_goes_with_the_next_file(here):
    """A node of this p4d costs $21.9576 an hour, and an image that is never ready three hours of one."""
    whole = run("small.yaml", "--scenario", SMALL, *IDS).stdout
    assert "With --canary one node starts first, and such an image costs $65.87." in " ".join(whole.split())
    said = run("small.yaml", "--scenario", SMALL, "--canary")
    words, spec = " ".join(said.stdout.split()), read("Pulumi.dev.yaml")
    assert (spec.canary, spec.fleet.nodes) == (True, 4)
    assert "1 of 4 x p4d.24xlarge" in words
    assert f"starts one GPU node, for $21.96 an hour and not ${spec.usd_per_hour['fleet.compute']:.2f}" in words
    assert "after 3 failed starts in a row, an hour each: about $65.87, where all nodes at once would cost" in words
    assert "at most $263 (`deploy.give_up`)" in words
    fleet = (spec.usd_per_hour["fleet.compute"] + spec.usd_per_hour["fleet.ebs"]) / 4
    others = sum(usd for line, usd in spec.usd_per_hour.items() if not line.startswith("fleet."))
    assert f"all {fleet + others:,.4f}" in words
    assert run("small.yaml", "--check").stderr.startswith("Pulumi.dev.yaml matches small.yaml")
    again = run("small.yaml", "--scenario", SMALL)
    assert "canary: true -> nothing\nThe canary stays: `pulumi up` adds the other nodes, 3\n" in again.stderr
    assert again.stdout == whole
    assert not read("Pulumi.dev.yaml").canary


def test_a_canary_of_a_slurm_cluster_starts_for_a_job_and_says_what_its_tries_cost(here):
    slurm = ("small.yaml", "--scenario", SMALL, "--set", "deploy.scheduler=slurm")
    whole = " ".join(run(*slurm).stdout.split())
    assert "again, without end: $87.83 an hour, until a person ends it" in whole
    tries = "given up after 3 failed starts of an hour at most, about $65.87"
    assert f"With --canary one is tried first, and {tries}" in whole
    said = " ".join(run(*slurm, "--canary", "--force").stdout.split())
    assert read("Pulumi.dev.yaml").canary
    assert "starts no GPU node. The login node sends one job, for which AWS PCS starts one node, for $21.96 an" in said
    assert "in a row" not in said + whole, "no group of Auto Scaling counts them"
    assert "`pulumi up` starts all 4 nodes\n" in run(*slurm).stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["small.yaml", "--scenario", "s3-stream/p4d.24xlarge/capacity-block", "--canary"], "paid whether its nodes"),
        (["small.yaml", "--scenario", SMALL, "--reservation", "cr-0123456789abcdef0", "--canary"], "paid whether its"),
        (["small.yaml", "--scenario", "s3-stream/p4d.24xlarge/on-demnd"], "did you mean"),
        (["small.yaml", "--scenario", "best", "--out", "small.yaml"], "not a folder"),
        (["small.yaml", "--check"], "Pulumi.dev.yaml does not exist"),
        (["small.yaml", "--scenario", SMALL, "--block-ends", "2026-11-30T11:30Z"], "only a Capacity Block"),
        (["small.yaml", "--scenario", SMALL, "--zone-id", "usw2-az1"], "^--zone-id: .*not in us-east-1"),
        (["small.yaml", "--scenario", SMALL, "--stack", "../evil"], "not a stack name"),
        (
            ["small.yaml", "--scenario", "s3-stream/p4d.24xlarge/capacity-block", "--set", "fleet.nodes=400"],
            "not feasible",
        ),
    ],
)
def test_wrong_calls_are_refused_and_write_nothing(here, arguments, words):
    with pytest.raises((UsageProblem, PlanProblems), match=words):
        run(*arguments)
    assert [path.name for path in here.glob("Pulumi*")] == ["Pulumi.yaml"]


def test_a_dash_prints_the_file_and_writes_none(here):
    said = run("small.yaml", "--scenario", SMALL, "--out", "-").stdout
    assert yaml.safe_load(said)["config"][KEY]["scenario"] == SMALL
    assert not (here / "Pulumi.dev.yaml").exists()


def test_names_that_would_act_on_a_terminal_do_not(here):
    plan = (here / "small.yaml").read_text(encoding="utf-8").replace("name: small", 'name: "a\u202eb \\n: #x"')
    (here / "small.yaml").write_text(plan, encoding="utf-8")
    said = run("small.yaml", "--scenario", SMALL).stdout
    assert "\u202e" not in said
    assert read("Pulumi.dev.yaml").plan_name == "a\u202eb \n: #x"
    assert "\u202e" not in Path("Pulumi.dev.yaml").read_text(encoding="utf-8")


def test_a_scenario_without_all_prices_can_be_deployed_and_says_so(here):
    said = run("small.yaml", "--scenario", "s3-stream/p4d.24xlarge/sp-3y-compute-no-upfront").stdout
    assert "! The stack costs more than this: no price for" in said.replace("\n  ", " ")
    assert "set it with --budget USD" in said.replace("\n  ", " ")


def one_line(text: str) -> str:
    """Text without its line ends, as it reads."""
    return " ".join(text.split())


def test_what_the_budget_s_action_does_is_said_with_whom_it_concerns(here):
    said = one_line(run("small.yaml", "--scenario", SMALL, *IDS).stdout)
    assert "stops members of the stack's operator group (empty until you add them) from buying more." in said
    assert "It does not stop running nodes" in said
    path = here / "Pulumi.dev.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace(
            "    # prefixes in the data bucket",
            "      roles:\n        - team/deployer\n    # prefixes in the data bucket",
        ),
        "utf-8",
    )
    said = one_line(run("small.yaml", "--scenario", SMALL).stdout)
    assert "(empty until you add them) and team/deployer from buying more." in said
    assert read(path).guard.roles == ("team/deployer",), "writing again keeps what a person put in"
    assert run("small.yaml", "--check").stderr == "Pulumi.dev.yaml matches small.yaml\n"


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ("2026-03-01", ""),
        ("2026-12-30", "the run goes on into 2027 (planned: "),
        ("2026-12-25", "the run may go on into 2027 (P90: "),
    ],
)
def test_a_run_across_new_year_is_told_that_its_budget_begins_again(here, start, words):
    said = one_line(
        run("small.yaml", "--scenario", "s3-stream/p4d.24xlarge/spot", *SPOT, "--set", f"start={start}").stdout
    )
    assert words in said
    assert ("on 1 January it starts again from zero" in said) == bool(words)


def test_without_a_start_no_day_is_a_new_year_s(here):
    text = (here / "small.yaml").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith("start:")]
    (here / "small.yaml").write_text("".join(lines), encoding="utf-8")
    assert "1 January" not in run("small.yaml", "--scenario", SMALL).stdout


def test_a_spot_price_of_another_zone_is_said(here):
    plan = (here / "small.yaml").read_text(encoding="utf-8") + "purchase: {options: [spot], zone_id: use1-az6}\n"
    (here / "small.yaml").write_text(plan, encoding="utf-8")
    assert "The spot price" not in run("small.yaml", "--scenario", "converged/p4d.24xlarge/spot").stdout
    assert read("Pulumi.dev.yaml").zone_id == "use1-az6"
    said = run("small.yaml", "--scenario", "converged/p4d.24xlarge/spot", "--zone-id", "use1-az4").stdout
    assert "! The spot price is that of zone use1-az6, but the stack is in use1-az4." in said.replace("\n  ", " ")


def test_an_empty_folder_becomes_a_project_that_pulumi_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = run(str(EXAMPLES / "small.yaml"), "--scenario", SMALL, *IDS, "-o", "fleet/prod")
    assert "  pulumi -C fleet/prod up --stack dev" in said.stdout
    folder = tmp_path / "fleet" / "prod"
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()) == [
        "Pulumi.dev.yaml",
        "Pulumi.yaml",
        "program/__main__.py",
    ]
    assert "Pulumi.yaml and program/__main__.py beside it" in said.stderr
    project = yaml.safe_load((folder / "Pulumi.yaml").read_text())
    assert (project["name"], project["main"]) == (PROJECT, "program/")
    # as Pulumi's host of Python runs it, without an engine behind it
    done = subprocess.run([sys.executable, folder / "program"], capture_output=True, text=True, check=False)
    assert "`planner stack PLAN --scenario best --stack" in done.stderr
    assert "beside it" not in run(str(EXAMPLES / "small.yaml"), "--scenario", SMALL, *IDS, "-o", "fleet/prod").stderr


def test_a_project_that_is_there_keeps_its_program(here):
    before = (here / "Pulumi.yaml").read_text()
    run("small.yaml", "--scenario", SMALL, *IDS)
    assert (here / "Pulumi.yaml").read_text() == before
    assert not (here / "program").exists()


def test_without_a_scenario_it_is_the_recommended_one(here):
    assert "s3-stream/p4d.24xlarge/capacity-block" in run("small.yaml", "--out", "-").output
