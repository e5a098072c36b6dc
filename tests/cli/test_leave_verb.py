"""planner leave: the stack file of a run that goes on after its Capacity Block; leaving spot is in test_spot_verb."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from planner.account import aws_client
from planner.cli import main
from planner.cli.stack import command as stack_command
from planner.errors import PlanProblems
from planner.stack.file import read, rendered
from planner.stack.spec import Block, Buying
from pricing.book import default_book
from tests.account.stubs import Cloud, reservation
from tests.stack.specs import block, spec
from tests.typed import SMALL

SCENARIO = "converged/p4d.24xlarge/capacity-block"
ID, SECOND = "cr-0abcdef0123456789", "cr-0fedcba9876543210"
BOUGHT = ("--reservation", ID, "--block-starts", "2026-11-24T11:30:00Z", "--block-ends", "2026-11-30T11:30:00Z")
GIVEN = ("--ami", "ami-0123456789abcdef0", "--zone-id", "use1-az4", "--notify", "a@example.org")


def stack(*words: str, scenario: str = SCENARIO):
    return CliRunner().invoke(
        stack_command, [SMALL, "--scenario", scenario, "--stack", "dev", *words], standalone_mode=False
    )


@pytest.fixture
def written(tmp_path, monkeypatch) -> Path:
    """The stack file of a run in a block that is bought, in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    done = stack(*GIVEN, *BOUGHT)
    assert done.exception is None, done.exception
    return tmp_path / "Pulumi.dev.yaml"


def ran(*words: object) -> int:
    with pytest.raises(SystemExit) as done:
        main.run([str(word) for word in words])
    return int(done.value.code or 0)


def put(folder: Path, whole) -> Path:
    path = folder / "Pulumi.dev.yaml"
    path.write_text(rendered(whole, ""), encoding="utf-8")
    return path


def test_it_leaves_the_block_and_keeps_everything_else(written, capsys):
    written.write_text(written.read_text().replace("config:\n", "config:\n  # ours\n  team:name: vision\n"))
    before = read(written)
    assert ran("leave", "--stack", "dev") == 0
    after = read(written)
    assert after.buying == Buying(kind="on-demand", left_blocks=(ID,))
    usd = default_book().on_demand("p4d.24xlarge", "us-east-1").usd * 4
    assert after.usd_per_hour["fleet.compute"] == pytest.approx(usd)
    assert after.switched_from == ("converged/capacity-block",)
    kept = replace(after, buying=before.buying, usd_per_hour=before.usd_per_hour, switched_from=())
    assert kept == before, "data, storage, network, budget and scenario"
    assert list(after.usd_per_hour) == list(before.usd_per_hour)
    assert "  # ours\n  team:name: vision\n" in written.read_text()
    said = capsys.readouterr().out
    assert f"4 nodes of p4d.24xlarge, ${usd:,.2f} an hour" in said.replace("\n  ", " ")
    assert "save the last checkpoint before 2026-11-30 10:45 UTC, when the fleet scales to zero" in said
    assert "pulumi up --refresh --stack dev  # after 2026-11-30 10:45 UTC:" in said


def test_a_second_time_changes_nothing(written, capsys):
    ran("leave", "--stack", "dev")
    after = written.read_bytes()
    assert ran("leave", "--stack", "dev") == 0
    assert "stack dev has left its Capacity Block already" in capsys.readouterr().err
    assert written.read_bytes() == after


def test_both_blocks_are_left_at_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    whole = block()
    further = Block(nodes=4, reservation_id=SECOND, ends="2026-12-01T11:30:00Z")
    two = replace(whole.buying, further_blocks=(further,))
    path = put(tmp_path, replace(whole, fleet=replace(whole.fleet, nodes=12), buying=two))
    assert ran("leave", "--stack", "dev") == 0
    after = read(path)
    assert after.buying == Buying(kind="on-demand", left_blocks=("cr-0123456789abcdef0", SECOND))
    assert (after.fleet.nodes, after.blocks) == (12, ())
    said = capsys.readouterr().out
    assert "before 2026-11-30 10:45 UTC" in said, "the job needs the nodes of both"
    assert "# after 2026-12-01 10:45 UTC" in said


def test_another_budget_is_written_and_said(written, capsys):
    assert ran("leave", "--stack", "dev", "--budget", "123456") == 0
    assert read(written).guard.budget_usd == 123_456
    assert ran("leave", "--stack", "dev", "--budget", "200000") == 0, "also later, as the first call says"
    assert read(written).guard.budget_usd == 200_000
    assert "The budget is now $123,456." in capsys.readouterr().out


def test_a_type_without_an_on_demand_price_is_unpriced_and_not_free(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    whole = block(scenario="converged/p99.48xlarge/capacity-block")
    path = put(tmp_path, replace(whole, fleet=replace(whole.fleet, instance_type="p99.48xlarge")))
    assert ran("leave", "--stack", "dev") == 0
    after = read(path)
    assert "fleet.compute" not in after.usd_per_hour
    assert after.unpriced == ("fleet.compute",)
    found = capsys.readouterr()
    assert "no price is known" in found.out
    assert "p99.48xlarge" in found.err


class TestThePlanAgain:
    """`planner stack` knows that the run has left: neither it nor --check moves it back."""

    def test_writing_and_checking_change_nothing(self, written):
        ran("leave", "--stack", "dev")
        after = written.read_text()
        for words in ((), ("--check",)):
            done = stack(*words)
            assert done.exception is None, done.exception
            assert written.read_text() == after

    def test_another_block_is_a_way_back(self, written):
        ran("leave", "--stack", "dev")
        done = stack("--reservation", SECOND, "--block-ends", "2026-12-20T11:30:00Z", "--switch")
        assert done.exception is None, done.exception
        expected = Buying(kind="capacity-block", reservation_id=SECOND, ends="2026-12-20T11:30:00Z", block_days=6)
        assert read(written).buying == expected

    def test_the_on_demand_scenario_forgets_the_block(self, written):
        ran("leave", "--stack", "dev")
        done = stack("--force", scenario="converged/p4d.24xlarge/on-demand")
        assert done.exception is None, done.exception
        assert read(written).buying == Buying(kind="on-demand")

    def test_a_file_that_was_changed_by_hand_is_refused(self, written):
        text = written.read_text().replace("kind: capacity-block", "kind: on-demand")
        written.write_text(text)
        with pytest.raises(PlanProblems, match="on-demand for a scenario priced as capacity-block"):
            read(written)


def test_capacity_may_be_reserved_for_what_follows_the_block(written, monkeypatch):
    """The purchase must fit the file, or it is made and cannot be written."""
    ran("leave", "--stack", "dev")
    usd = read(written).usd_per_hour["fleet.compute"] * 24
    cloud = Cloud()
    monkeypatch.setattr(aws_client, "client", cloud.client)
    ec2 = cloud.stub("ec2")
    ec2.add_response("describe_capacity_reservations", {"CapacityReservations": []}, None)
    made = reservation("default", "active", CapacityReservationId=SECOND, AvailabilityZoneId="use1-az4")
    ec2.add_response("create_capacity_reservation", {"CapacityReservation": made}, None)
    assert ran("reserve", "--stack", "dev", "--capacity-reservation", "--accept-usd", f"{usd:.2f}") == 0
    assert read(written).buying == Buying(kind="reservation", reservation_id=SECOND, left_blocks=(ID,))
    after = written.read_text()
    assert stack().exception is None
    assert written.read_text() == after
    assert ran("leave", "--stack", "dev") == 0
    assert written.read_text() == after
    cloud.done()


@pytest.mark.parametrize(
    ("whole", "said"),
    [
        (spec(), "whose nodes are On-Demand already: nothing to leave"),
        (
            spec(buying=Buying(kind="reservation", reservation_id=ID)),
            "whose nodes are On-Demand already: nothing to leave",
        ),
        (
            spec(scenario="converged/p5.48xlarge/spot", buying=Buying(kind="spot")),
            "has no rule that leaves spot; spot-fallback has one. `planner stack PLAN --scenario "
            "converged/p5.48xlarge/on-demand --stack dev --force`",
        ),
        (
            block(buying=Buying(kind="capacity-block", reservation_id="PLACEHOLDER-r", ends="PLACEHOLDER-e")),
            "has no Capacity Block that is bought, so there is none to leave",
        ),
    ],
)
def test_what_has_nothing_to_leave(tmp_path, monkeypatch, capsys, whole, said):
    monkeypatch.chdir(tmp_path)
    path = put(tmp_path, whole)
    before = path.read_bytes()
    assert ran("leave", "--stack", "dev") == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert path.read_bytes() == before


def test_a_stack_that_is_not_there(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert ran("leave", "--stack", "dev") == 2
    assert "there is no Pulumi.dev.yaml: `planner stack PLAN --stack dev` writes it" in capsys.readouterr().err


def test_the_name_that_it_had_under_spot_still_works(written):
    assert ran("spot", "leave", "--stack", "dev") == 0
    assert read(written).buying.left_blocks == (ID,)
