"""planner reserve: what it shows, what it asks for, and that nothing is bought but for the amount that was typed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest

from planner.account import aws_client
from planner.cli import confirm, main
from planner.stack.file import read, rendered
from planner.stack.reservations import amounts_agree, block_days
from planner.stack.spec import Block, Buying, ClusterSpec
from tests.account.stubs import ZONES, Cloud, offering, reservation
from tests.stack.specs import block, spec

PLACEHOLDERS = Buying(kind="capacity-block", reservation_id="PLACEHOLDER-reservation", ends="PLACEHOLDER-ends")


def wanted(**changes: object) -> ClusterSpec:
    """Four p4d by Capacity Block, six days, at 47.20 dollars an hour by the plan."""
    whole = block(
        scenario="converged/p4d.24xlarge/capacity-block",
        buying=PLACEHOLDERS,
        zone_id="PLACEHOLDER-zone-id",
        usd_per_hour={"fleet.compute": 47.2},
    )
    fleet = replace(
        whole.fleet,
        instance_type="p4d.24xlarge",
        nodes=4,
        vcpu=96,
        network_cards=4,
        efa_interfaces=4,
    )
    return replace(whole, fleet=fleet, guard=replace(whole.guard, max_days=5.26), **changes)  # type: ignore[arg-type]


def on_demand(**changes: object) -> ClusterSpec:
    scenario = "converged/p4d.24xlarge/on-demand"
    return wanted(**{"scenario": scenario, "buying": Buying(kind="on-demand"), **changes})


@pytest.fixture
def cloud(monkeypatch) -> Cloud:
    made = Cloud()
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setattr(aws_client, "client", made.client)
    return made


@pytest.fixture
def file(tmp_path) -> Path:
    return written(tmp_path, wanted())


def written(folder: Path, what: ClusterSpec) -> Path:
    path = folder / f"Pulumi.{what.stack}.yaml"
    path.write_text(rendered(what, "config:\n  # mine\n  mine:key: 1\n"), encoding="utf-8")
    return path


def ran(*words: object) -> int:
    with pytest.raises(SystemExit) as done:
        main.run([str(word) for word in words])
    return int(done.value.code or 0)


def offers(
    cloud: Cloud, *entries: dict[str, object], hours: int = 144, held: tuple[dict[str, object], ...] = ()
) -> None:
    ec2 = cloud.stub("ec2")
    ec2.add_response("describe_capacity_reservations", {"CapacityReservations": list(held)}, None)
    if not held:
        ec2.add_response("describe_availability_zones", ZONES, None)
        asked = {"InstanceType": "p4d.24xlarge", "InstanceCount": 4, "CapacityDurationHours": hours}
        ec2.add_response("describe_capacity_block_offerings", {"CapacityBlockOfferings": list(entries)}, asked)


def at(month: int, day: int) -> datetime:
    return datetime(2026, month, day, 11, 30, tzinfo=UTC)


def purchase(cloud: Cloud, number: int = 1, name: str = "planner-dev-fleet-reservation") -> None:
    asked = {
        "CapacityBlockOfferingId": f"cb-{number:017x}",
        "InstancePlatform": "Linux/UNIX",
        "TagSpecifications": [
            {
                "ResourceType": "capacity-reservation",
                "Tags": [
                    {"Key": "Name", "Value": name},
                    {"Key": "planner:stack", "Value": "dev"},
                    {"Key": "planner:plan", "Value": "0" * 64},
                    {"Key": "planner:component", "Value": "fleet"},
                    {"Key": "planner:name", "Value": "fleet-reservation"},
                ],
            }
        ],
    }
    cloud.stub("ec2").add_response("purchase_capacity_block", {"CapacityReservation": reservation()}, asked)


def test_what_is_shown_can_be_checked_by_hand(cloud, file, capsys):
    offers(cloud, offering(1, "6796.80"))
    assert ran("reserve", file, "--dry-run") == 0
    out = capsys.readouterr().out
    # 6,796.80 / (4 nodes x 8 GPUs x 144 h) = 1.4750; / 143.5 h = 1.4801; 47.20 x 144 = 6,796.80
    assert "$6,796.80 in all, paid at once and non-refundable; it" in out
    assert "1.4750  use1-az6" in out
    assert "143.5 hours to train, $1.4801" in out.replace("\n  ", " ")
    assert "these hours cost $6,796.80: the offer is the same" in out
    assert "2026-11-24 11:30  2026-11-30 11:30" in out
    cloud.done()


@pytest.mark.parametrize(("fee", "words"), [("7476.48", "10.0% more"), ("6117.12", "10.0% less")])
def test_an_offer_beside_the_plan(cloud, file, capsys, fee, words):
    offers(cloud, offering(1, fee))
    assert ran("reserve", file, "--dry-run") == 0
    assert f"the offer is {words}" in capsys.readouterr().out


def test_it_buys_the_lowest_fee_and_writes_what_it_bought(cloud, file, capsys):
    offers(cloud, offering(1, "4600"), offering(2, "4531.20"), offering(3, "4700"))
    purchase(cloud, 2)
    assert ran("reserve", file, "--accept-usd", "4531.20") == 0
    found = read(file)
    assert found.buying == Buying(
        kind="capacity-block",
        reservation_id="cr-0abcdef0123456789",
        starts="2026-11-24T11:30:00Z",
        ends="2026-11-30T11:30:00Z",
    )
    assert found.zone_id == "use1-az6"
    assert replace(found, buying=PLACEHOLDERS, zone_id="PLACEHOLDER-zone-id") == wanted()
    assert "  # mine\n  mine:key: 1\n" in file.read_text(encoding="utf-8")
    said = capsys.readouterr()
    assert said.out.endswith("cr-0abcdef0123456789\n")
    assert "use1-az6, starts 2026-11-24T11:30:00Z, ends 2026-11-30T11:30:00Z" in said.err
    assert cloud.attempts[-1] == ("ec2", 1), "the client must not try a purchase twice by itself"
    cloud.done()


@pytest.mark.parametrize("usd", ["4508", "4554", "0", "nan", "inf", "-4531.2", "1e9"])
def test_another_amount_buys_nothing(cloud, file, usd):
    before = file.read_bytes()
    offers(cloud, offering(1, "4531.20"))
    assert ran("reserve", file, f"--accept-usd={usd}") == 10
    assert file.read_bytes() == before
    cloud.done()


def test_without_a_terminal_or_an_amount_nothing_is_bought(cloud, file, capsys):
    offers(cloud, offering(1, "4531.20"))
    assert ran("reserve", file) == 10
    assert "no --accept-usd 4531.20: nothing bought" in capsys.readouterr().err
    cloud.done()


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("4531.20", 0),
        ("$4,531.20", 0),
        (" 4531.20 ", 0),
        ("4531", 10),
        ("4531.2", 10),
        ("45312.0", 10),
        ("y", 10),
        ("", 10),
        ("4531.21", 10),
    ],
)
def test_at_a_terminal_the_amount_is_typed_to_the_cent(cloud, file, monkeypatch, typed, code):
    monkeypatch.setattr(confirm, "at_a_terminal", lambda: True)
    monkeypatch.setattr(click, "prompt", lambda *_, **__: typed)
    offers(cloud, offering(1, "4531.20"))
    if code == 0:
        purchase(cloud)
    assert ran("reserve", file) == code
    assert (read(file).buying == PLACEHOLDERS) == (code == 10)
    cloud.done()


def test_dry_run_goes_before_an_amount(cloud, file):
    offers(cloud, offering(1, "4531.20"))
    assert ran("reserve", file, "--accept-usd", "4531.20", "--dry-run") == 0
    assert read(file).buying == PLACEHOLDERS
    cloud.done()


def test_no_offer(cloud, file, capsys):
    offers(cloud)
    assert ran("reserve", file, "--accept-usd", "4531.20") == 10
    assert "no offer of 4 x p4d.24xlarge for 6 days: nothing bought" in capsys.readouterr().err


def test_a_zone_that_the_stack_has_is_the_only_one(cloud, tmp_path, capsys):
    file = written(tmp_path, wanted(zone_id="use1-az4"))
    offers(cloud, offering(1, "4531.20"))
    assert ran("reserve", file, "--accept-usd", "4531.20") == 10
    assert "in use1-az4 (1 elsewhere)" in capsys.readouterr().err
    offers(cloud, offering(1, "4531.20"), offering(2, "9000", "us-east-1a"))
    purchase(cloud, 2)
    assert ran("reserve", file, "--accept-usd", "9000") == 0


def test_what_a_call_bought_that_died_is_found_and_not_bought_again(cloud, file, capsys):
    offers(cloud, held=(reservation(),))
    assert ran("reserve", file, "--accept-usd", "4531.20") == 0
    assert read(file).buying.reservation_id == "cr-0abcdef0123456789"
    assert read(file).buying.starts == "2026-11-24T11:30:00Z"
    assert "was bought before for this stack (payment-pending): nothing bought" in capsys.readouterr().err
    cloud.done()


def test_a_block_that_has_begun_is_written_without_its_start(cloud, file):
    offers(cloud, held=(reservation(state="active"),))
    assert ran("reserve", file) == 0
    assert read(file).buying == Buying(
        kind="capacity-block", reservation_id="cr-0abcdef0123456789", ends="2026-11-30T11:30:00Z"
    )
    cloud.done()


def test_two_that_could_be_meant_are_named(cloud, file, capsys):
    offers(cloud, held=(reservation(), reservation(CapacityReservationId="cr-0fedcba9876543210")))
    assert ran("reserve", file, "--accept-usd", "4531.20") == 2
    assert "cr-0fedcba9876543210 (4 x p4d.24xlarge, capacity-block)" in capsys.readouterr().err
    assert read(file).buying == PLACEHOLDERS


class TestOpenEnded:
    def test_a_day_is_agreed_to(self, cloud, tmp_path, capsys):
        file = written(tmp_path, on_demand())
        ec2 = cloud.stub("ec2")
        ec2.add_response("describe_capacity_reservations", {"CapacityReservations": []}, None)
        ec2.add_response("create_capacity_reservation", {"CapacityReservation": reservation("default", "active")}, None)
        # 47.20 x 24 = 1,132.80
        words = ("reserve", file, "--capacity-reservation", "--zone-id", "use1-az6", "--accept-usd", "1132.80")
        assert ran(*words) == 0
        assert "$47.20 an hour, $1,132.80 a day" in capsys.readouterr().out
        assert read(file).buying == Buying(kind="reservation", reservation_id="cr-0abcdef0123456789")
        assert read(file).zone_id == "use1-az6"
        cloud.done()

    def test_the_group_that_it_is_made_in_is_written_down(self, cloud, tmp_path):
        file = written(tmp_path, on_demand(zone_id="use1-az6", canary=True))
        ec2 = cloud.stub("ec2")
        ec2.add_response("describe_capacity_reservations", {"CapacityReservations": []}, None)
        ec2.add_response("create_capacity_reservation", {"CapacityReservation": reservation("default", "active")}, None)
        group = "arn:aws:ec2:us-east-1:111122223333:placement-group/close"
        words = ("--capacity-reservation", "--placement-group", group, "--accept-usd", "1132.80")
        assert ran("reserve", file, *words) == 0
        assert read(file).buying.placement_group == group
        assert not read(file).canary, "all nodes are paid from now on"
        cloud.done()

    def test_another_amount_reserves_nothing(self, cloud, tmp_path):
        file = written(tmp_path, on_demand(zone_id="use1-az6"))
        cloud.stub("ec2").add_response("describe_capacity_reservations", {"CapacityReservations": []}, None)
        assert ran("reserve", file, "--capacity-reservation", "--accept-usd", "47.20") == 10
        assert read(file).buying == Buying(kind="on-demand")

    def test_what_has_no_price_cannot_be_agreed_to(self, cloud, tmp_path, capsys):
        file = written(tmp_path, on_demand(zone_id="use1-az6", usd_per_hour={}, unpriced=("fleet.compute",)))
        cloud.stub("ec2").add_response("describe_capacity_reservations", {"CapacityReservations": []}, None)
        assert ran("reserve", file, "--capacity-reservation", "--accept-usd", "0") == 10
        assert "unpriced" in capsys.readouterr().out

    WORDS = ("--capacity-reservation", "--zone-id", "use1-az6", "--accept-usd", "1132.80")

    def test_after_a_cancelled_one_another_is_reserved(self, cloud, tmp_path):
        file, tokens, ec2 = written(tmp_path, on_demand()), [], cloud.stub("ec2")
        event = "provide-client-params.ec2.CreateCapacityReservation"
        ec2.client.meta.events.register(event, lambda params, **_: tokens.append(params["ClientToken"]))
        cancelled = reservation("default", "cancelled", CapacityReservationId="cr-0fedcba9876543210")
        for before in ([], [cancelled]):
            ec2.add_response("describe_capacity_reservations", {"CapacityReservations": before}, None)
            answer = {"CapacityReservation": reservation("default", "active")}
            ec2.add_response("create_capacity_reservation", answer, None)
            written(tmp_path, on_demand())
            assert ran("reserve", file, *self.WORDS) == 0
        assert tokens[0] != tokens[1], "the same token would be answered with the cancelled one"
        assert read(file).buying.reservation_id == "cr-0abcdef0123456789"
        cloud.done()

    def test_one_that_holds_no_capacity_is_not_written_down(self, cloud, tmp_path, capsys):
        file, ec2 = written(tmp_path, on_demand()), cloud.stub("ec2")
        before = file.read_bytes()
        ec2.add_response("describe_capacity_reservations", {"CapacityReservations": []}, None)
        for _ in range(2):
            answer = {"CapacityReservation": reservation("default", "cancelled")}
            ec2.add_response("create_capacity_reservation", answer, None)
        assert ran("reserve", file, *self.WORDS) == 4
        assert "cr-0abcdef0123456789 is cancelled and holds no capacity" in capsys.readouterr().err
        assert file.read_bytes() == before
        cloud.done()


@pytest.mark.parametrize(
    ("what", "words", "said"),
    [
        (wanted(), ("--nodes", "8"), "needs --dry-run"),
        (wanted(), ("--capacity-reservation",), "this stack uses capacity-block"),
        (wanted(), ("--days", "15"), "whole weeks"),
        (wanted(), ("--placement-group", "arn:x"), "has no placement group"),
        (wanted(), ("--starts-after", "soon"), "is not a day"),
        (on_demand(), (), "not a Capacity Block"),
        (on_demand(), ("--capacity-reservation",), "name a zone with --zone-id"),
        (on_demand(), ("--capacity-reservation", "--days", "3"), "apply only to Capacity Blocks"),
        (spec(), (), "not a Capacity Block"),
        (block(), (), "nothing bought: the stack already has"),
    ],
)
def test_words_that_do_not_go_together(cloud, tmp_path, capsys, what, words, said):
    cloud.stub("ec2").add_response("describe_capacity_reservations", {"CapacityReservations": []}, None)
    assert ran("reserve", written(tmp_path, what), *words) == 2
    assert said in capsys.readouterr().err


def test_a_stack_is_found_by_its_name(cloud, tmp_path, monkeypatch):
    written(tmp_path, wanted())
    monkeypatch.chdir(tmp_path)
    offers(cloud, offering())
    assert ran("reserve", "--stack", "dev", "--dry-run") == 0
    assert ran("reserve", "--dry-run") == 2


@pytest.mark.parametrize(
    ("days", "found"), [(5.26, 6), (5.9, 6), (6.0, 7), (13.9, 14), (14.0, 21), (21.0, 28), (0.1, 1)]
)
def test_a_block_is_long_enough_for_what_is_lost_at_its_end(days, found):
    assert block_days(days) == found


def test_half_a_percent():
    assert amounts_agree(1005.0, 1000.0)
    assert not amounts_agree(1005.01, 1000.0)
    assert not amounts_agree(float("nan"), 1000.0)


def two_blocks() -> ClusterSpec:
    """Twelve nodes, of which the block of eight is bought."""
    first = wanted()
    further = Block(nodes=4, reservation_id="PLACEHOLDER-reservation-2", ends="PLACEHOLDER-ends-2")
    buying = Buying(
        kind="capacity-block",
        reservation_id="cr-0abcdef0123456700",
        starts="2026-11-24T11:30:00Z",
        ends="2026-11-30T11:30:00Z",
        further_blocks=(further,),
    )
    return replace(first, zone_id="use1-az6", fleet=replace(first.fleet, nodes=12), buying=buying)


def test_the_next_block_is_bought_for_the_same_days_and_the_first_stays(cloud, tmp_path, capsys):
    """The cheapest offer begins when the first block has ended, the next is in another zone."""
    file = written(tmp_path, two_blocks())
    late = offering(1, "4000", StartDate=at(12, 1), EndDate=at(12, 7))
    elsewhere = offering(2, "4100", AvailabilityZone="us-east-1a")
    bought_before = reservation(CapacityReservationId="cr-0abcdef0123456700", TotalInstanceCount=8, State="active")
    ec2 = cloud.stub("ec2")
    ec2.add_response("describe_capacity_reservations", {"CapacityReservations": [bought_before]}, None)
    ec2.add_response("describe_availability_zones", ZONES, None)
    asked = {"InstanceType": "p4d.24xlarge", "InstanceCount": 4, "CapacityDurationHours": 144}
    entries = [late, elsewhere, offering(3, "4531.20")]
    ec2.add_response("describe_capacity_block_offerings", {"CapacityBlockOfferings": entries}, asked)
    purchase(cloud, 3, name="planner-dev-fleet-reservation-2")
    assert ran("reserve", file, "--accept-usd", "4531.20") == 0
    found = read(file)
    first, second = found.blocks
    assert (first.nodes, first.reservation_id) == (8, "cr-0abcdef0123456700")
    assert (second.nodes, second.reservation_id, second.ends) == (4, "cr-0abcdef0123456789", "2026-11-30T11:30:00Z")
    assert found.zone_id == "use1-az6"
    assert ran("reserve", file) == 2, "both are bought"
    assert "already has cr-0abcdef0123456700, cr-0abcdef0123456789" in capsys.readouterr().err
    cloud.done()


@pytest.mark.parametrize(
    ("zone", "more", "said"),
    [
        ("use1-az6", ["--zone-id", "use1-az4"], "the stack's other Capacity Block is in use1-az6"),
        ("PLACEHOLDER-zone", ["--zone-id", "use1-az4"], "write the zone of that block as zone_id"),
        ("PLACEHOLDER-zone", [], "write the zone of that block as zone_id"),
    ],
)
def test_the_next_block_is_in_the_zone_of_the_first(cloud, tmp_path, capsys, zone, more, said):
    file = written(tmp_path, replace(two_blocks(), zone_id=zone))
    assert ran("reserve", file, "--accept-usd", "4100", *more) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    cloud.done()  # nothing was asked


def test_a_block_that_was_bought_before_in_another_zone_is_not_written(cloud, tmp_path, capsys):
    file = written(tmp_path, two_blocks())
    before = file.read_text()
    offers(cloud, held=(reservation(TotalInstanceCount=4, AvailabilityZoneId="use1-az4"),))
    assert ran("reserve", file) == 4
    assert "it is in use1-az4, and the other Capacity Block in use1-az6" in " ".join(capsys.readouterr().err.split())
    assert file.read_text() == before


def test_what_is_left_to_buy_is_said(cloud, tmp_path, capsys):
    whole = two_blocks()
    file = written(tmp_path, replace(whole, buying=replace(PLACEHOLDERS, further_blocks=whole.buying.further_blocks)))
    offers(cloud, held=(reservation(TotalInstanceCount=8),))
    assert ran("reserve", file) == 0
    assert "1 block more to buy: run it again" in " ".join(capsys.readouterr().err.split())
    assert [block.reservation_id for block in read(file).blocks] == [
        "cr-0abcdef0123456789",
        "PLACEHOLDER-reservation-2",
    ]


def test_of_two_parts_it_buys_the_first_and_names_the_second(cloud, tmp_path, capsys):
    """AWS sells no block of 19 days: 14, and 5 by extending it on the same day."""
    first = wanted()
    file = written(tmp_path, replace(first, buying=replace(first.buying, block_days=19)))
    ec2 = cloud.stub("ec2")
    ec2.add_response("describe_capacity_reservations", {"CapacityReservations": []}, None)
    ec2.add_response("describe_availability_zones", ZONES, None)
    asked = {"InstanceType": "p4d.24xlarge", "InstanceCount": first.fleet.nodes, "CapacityDurationHours": 14 * 24}
    offered = offering(1, "31700", InstanceCount=first.fleet.nodes)
    ec2.add_response("describe_capacity_block_offerings", {"CapacityBlockOfferings": [offered]}, asked)
    purchase(cloud)
    assert ran("reserve", file, "--accept-usd", "31700") == 0
    assert "5 days more, bought today: `planner reserve --stack dev --extend --days 5`" in capsys.readouterr().err
    assert read(file).buying.block_days == 19
    cloud.done()
