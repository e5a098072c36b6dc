"""The two purchases: nothing is bought twice, and nothing that is over is taken for bought."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from planner.account.offers import parse_offers
from planner.account.reservations import buy_block, reservations_of, reserve
from planner.errors import AwsProblem
from tests.account.stubs import Cloud, offering, reservation


@pytest.fixture
def cloud() -> Cloud:
    return Cloud()


def test_a_block(cloud):
    ec2 = cloud.stub("ec2")
    offer = parse_offers({"CapacityBlockOfferings": [offering(7)]}, {})[0]
    tags = [{"ResourceType": "capacity-reservation", "Tags": [{"Key": "planner:stack", "Value": "dev"}]}]
    asked = {
        "CapacityBlockOfferingId": "cb-00000000000000007",
        "InstancePlatform": "Linux/UNIX",
        "TagSpecifications": tags,
    }
    ec2.add_response("purchase_capacity_block", {"CapacityReservation": reservation()}, asked)
    found = buy_block(ec2.client, offer, {"planner:stack": "dev"})
    assert (found.id, found.kind, found.starts, found.ends) == (
        "cr-0abcdef0123456789",
        "capacity-block",
        datetime(2026, 11, 24, 11, 30, tzinfo=UTC),
        datetime(2026, 11, 30, 11, 30, tzinfo=UTC),
    )
    cloud.done()


def test_what_the_answer_to_a_purchase_leaves_out_is_of_the_offer(cloud):
    ec2 = cloud.stub("ec2")
    offer = parse_offers({"CapacityBlockOfferings": [offering(7)]}, {"us-east-1d": "use1-az6"})[0]
    bare = {key: reservation()[key] for key in ("CapacityReservationId", "State")}
    ec2.add_response("purchase_capacity_block", {"CapacityReservation": bare}, None)
    found = buy_block(ec2.client, offer, {})
    assert (found.zone_id, found.starts, found.ends) == ("use1-az6", offer.starts, offer.ends)


@pytest.mark.parametrize(
    ("kind", "state", "waits"),
    [
        ("capacity-block", "payment-pending", True),
        ("capacity-block", "scheduled", True),
        ("capacity-block", "active", False),  # it has begun: AWS takes no scheduled action in the past
        ("default", "active", False),
        ("default", "pending", False),
    ],
)
def test_only_a_block_that_has_not_begun_has_a_start(cloud, kind, state, waits):
    ec2 = cloud.stub("ec2")
    answer = {"CapacityReservations": [reservation(kind, state)]}
    ec2.add_response("describe_capacity_reservations", answer, None)
    (found,) = reservations_of(ec2.client, "dev")
    assert found.starts == (datetime(2026, 11, 24, 11, 30, tzinfo=UTC) if waits else None)


def test_a_purchase_without_an_answer_says_how_to_find_out(cloud):
    ec2 = cloud.stub("ec2")
    ec2.add_client_error("purchase_capacity_block", "InternalError", "no answer", 500)
    offer = parse_offers({"CapacityBlockOfferings": [offering(7)]}, {})[0]
    with pytest.raises(AwsProblem, match="it finds a purchase by its tag"):
        buy_block(ec2.client, offer, {})


WANTED = {"instance_type": "p4d.24xlarge", "instances": 4, "zone_id": "use1-az6", "group": "", "tags": {"a": "b"}}


class Reserved:
    """EC2's answers to CreateCapacityReservation, each asked for by a token that is kept."""

    def __init__(self, cloud: Cloud) -> None:
        self.stub, self.tokens = cloud.stub("ec2"), []
        event = "provide-client-params.ec2.CreateCapacityReservation"
        self.stub.client.meta.events.register(event, lambda params, **_: self.tokens.append(params["ClientToken"]))

    def answers(self, *states: str) -> None:
        for number, state in enumerate(states):
            one = reservation("default", state, CapacityReservationId=f"cr-{number:017x}")
            self.stub.add_response("create_capacity_reservation", {"CapacityReservation": one}, None)


def test_the_same_reservation_again_has_the_same_token_and_another_has_another(cloud):
    made = Reserved(cloud)
    for nodes in (4, 4, 5):
        made.answers("active")
        found = reserve(made.stub.client, **{**WANTED, "instances": nodes})
        assert (found.kind, found.starts, found.ends) == ("reservation", None, None)
    assert made.tokens[0] == made.tokens[1] != made.tokens[2]
    assert all(len(token) <= 64 for token in made.tokens)


def test_after_one_that_is_over_the_same_words_are_another_question(cloud):
    made = Reserved(cloud)
    made.answers("active", "active", "active")
    for over in ((), ("cr-2", "cr-1"), ("cr-1", "cr-2")):
        reserve(made.stub.client, **WANTED, over=over)
    assert made.tokens[0] != made.tokens[1] == made.tokens[2]


def test_a_cancelled_one_that_ec2_answers_with_and_lists_no_more_is_asked_past(cloud):
    made = Reserved(cloud)
    made.answers("cancelled", "active")
    assert reserve(made.stub.client, **WANTED).id == f"cr-{1:017x}"
    made.answers("active")
    reserve(made.stub.client, **WANTED, over=[f"cr-{0:017x}"])
    assert made.tokens[0] != made.tokens[1] == made.tokens[2], "and a call that died there is made again as it was"


@pytest.mark.parametrize("state", ["cancelled", "expired", "failed", "cancelling"])
def test_what_holds_no_capacity_is_refused(cloud, state):
    made = Reserved(cloud)
    made.answers(state, state)
    with pytest.raises(AwsProblem, match=f"cr-{1:017x} is {state} and holds no capacity"):
        reserve(made.stub.client, **WANTED)
    cloud.done()


def test_a_block_whose_payment_failed_is_refused(cloud):
    ec2 = cloud.stub("ec2")
    answer = {"CapacityReservation": reservation(state="payment-failed")}
    ec2.add_response("purchase_capacity_block", answer, None)
    offer = parse_offers({"CapacityBlockOfferings": [offering(7)]}, {})[0]
    with pytest.raises(AwsProblem, match="is payment-failed and holds no capacity"):
        buy_block(ec2.client, offer, {})


def test_what_is_over_is_known_and_not_held(cloud):
    ec2 = cloud.stub("ec2")
    found = [reservation(state="active"), reservation(state="expired"), reservation(state="cancelled")]
    ec2.add_response(
        "describe_capacity_reservations",
        {"CapacityReservations": found},
        {"Filters": [{"Name": "tag:planner:stack", "Values": ["dev"]}]},
    )
    assert [one.held for one in reservations_of(ec2.client, "dev")] == [True, False, False]
