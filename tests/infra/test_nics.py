"""The tables of network interfaces, against AWS's own numbers and the catalogue."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.nics import TYPES, Nic, addresses_per_node, nics
from planner.errors import UsageProblem
from planner.stack.spec import NIC_PROFILES
from tests.builders import book_of


def table(instance_type: str, profile: str) -> tuple[Nic, ...]:
    """As a stack has it, with the cards that the catalogue counts."""
    instance = book_of().instance(instance_type)
    return nics(instance_type, profile, instance.network_cards, instance.efa_interfaces)


def test_a_p5_saves_addresses_with_one_ena_and_32_efa_only():
    found = table("p5.48xlarge", "ip-saving")
    assert found[:3] == (
        Nic(card=0, device=0, kind="interface"),
        Nic(card=0, device=1, kind="efa-only"),
        Nic(card=1, device=0, kind="efa-only"),
    )
    assert [nic.card for nic in found] == [0, *range(32)]
    assert addresses_per_node(found) == 1


def slots(found: tuple[Nic, ...], kind: str) -> set[tuple[int, int]]:
    return {(nic.card, nic.device) for nic in found if nic.kind == kind}


def test_a_p5_with_bandwidth_has_ip_on_the_first_of_every_four_cards():
    """The example of the EC2 User Guide: 3,200 Gbps of EFA and 800 of IP with 8 addresses."""
    for kind in ("p5.48xlarge", "p5e.48xlarge"):
        found = table(kind, "bandwidth")
        assert slots(found, "interface") == {(0, 0), *((card, 1) for card in (4, 8, 12, 16, 20, 24, 28))}
        assert slots(found, "efa-only") == {(0, 1), *((card, 0) for card in range(1, 32))}
        assert addresses_per_node(found) == 8


@pytest.mark.parametrize(("kind", "cards", "addresses"), [("p6-b200.48xlarge", 8, 8), ("p6-b300.48xlarge", 17, 17)])
def test_a_p6_with_bandwidth_has_ip_on_every_card(kind, cards, addresses):
    """Use case 2 of each: an EFA-only interface on device 0 and an ENA one on device 1 of every card but the first."""
    found = table(kind, "bandwidth")
    assert slots(found, "interface") == {(0, 0), *((card, 1) for card in range(1, cards))}
    assert slots(found, "efa-only") - {(0, 1)} == {(card, 0) for card in range(1, cards)}
    assert addresses_per_node(found) == addresses


@pytest.mark.parametrize(("kind", "addresses"), [("p4d.24xlarge", 4), ("p4de.24xlarge", 4), ("p5en.48xlarge", 16)])
def test_types_whose_cards_aws_does_not_name_have_ip_on_every_card(kind, addresses):
    assert addresses_per_node(table(kind, "bandwidth")) == addresses


@pytest.mark.parametrize("kind", TYPES)
def test_ip_is_added_and_efa_stays(kind):
    saving, more = table(kind, "ip-saving"), table(kind, "bandwidth")
    assert slots(saving, "efa-only") == slots(more, "efa-only")
    assert slots(saving, "interface") < slots(more, "interface")
    assert list(more) == sorted(more, key=lambda nic: (nic.card, nic.device)), "card by card"


def test_before_a_p5_had_an_address_on_device_1_of_every_further_card():
    found = table("p5.48xlarge", "efa-every-card")
    assert found[0] == Nic(card=0, device=0, kind="efa")
    assert found[1:] == tuple(Nic(card=card, device=1, kind="efa") for card in range(1, 32))
    assert addresses_per_node(found) == 32


def test_card_0_of_a_b300_has_no_efa():
    for profile in NIC_PROFILES:
        found = table("p6-b300.48xlarge", profile)
        assert [nic.kind for nic in found if nic.card == 0] == ["interface"]
        assert {nic.card for nic in found} == set(range(17))


def test_before_a_b200_had_its_efa_on_device_0_of_every_card():
    found = table("p6-b200.48xlarge", "efa-every-card")
    assert found == tuple(Nic(card=card, device=0, kind="efa") for card in range(8))


def test_a_type_without_efa_has_one_plain_interface():
    assert nics("g6.xlarge", "bandwidth", 1, 0) == (Nic(card=0, device=0, kind="interface"),)


@pytest.mark.parametrize("instance_type", TYPES)
def test_the_table_counts_as_the_catalogue_does(instance_type):
    instance = book_of().instance(instance_type)
    assert TYPES[instance_type].cards == instance.network_cards
    assert TYPES[instance_type].cards - TYPES[instance_type].first_efa == instance.efa_interfaces


@pytest.mark.parametrize("profile", NIC_PROFILES)
def test_what_ec2_refuses_is_in_no_table(profile):
    for instance in book_of().instances():
        if not instance.efa_interfaces:
            continue
        found = table(instance.name, profile)
        efa = [nic.card for nic in found if nic.kind != "interface"]
        places = [(nic.card, nic.device) for nic in found]
        assert len(set(places)) == len(places)
        assert places[0] == (0, 0)
        assert found[0].kind != "efa-only"
        assert len(set(efa)) == len(efa) == instance.efa_interfaces
        assert max(nic.card for nic in found) < (instance.network_cards or instance.efa_interfaces)
        assert len(found) <= (instance.max_network_interfaces or len(found))


@given(cards=st.integers(2, 32), efa=st.integers(1, 32))
def test_cards_that_nobody_told_us_about_are_refused_not_guessed(cards, efa):
    if cards - efa in (0, 1):
        assert len({nic.card for nic in nics("x9.large", "bandwidth", cards, efa)}) == cards
        return
    with pytest.raises(UsageProblem, match="it is unknown which cards"):
        nics("x9.large", "ip-saving", cards, efa)


def test_an_unknown_profile_is_refused():
    with pytest.raises(UsageProblem, match="ip-saving, bandwidth, efa-every-card"):
        nics("p5.48xlarge", "fast", 32, 32)
