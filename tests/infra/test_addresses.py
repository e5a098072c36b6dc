"""The address plan: room for every node, and nothing on top of anything else."""

from __future__ import annotations

import itertools
from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.addresses import address_plan, lustre_addresses
from planner.errors import UsageProblem


def test_400_p5_with_bandwidth_get_a_20():
    # (400 x 8 + 3) x 1.1 + 5 = 3,528.3 -> 3,529 addresses; a /20 has 4,096
    plan = address_plan(nodes=400, per_node=8, others=3, control=3)
    assert (plan.needed, plan.nodes) == (3_529, "10.0.0.0/20")


def test_400_p5_with_an_address_on_every_card_get_a_18():
    # (400 x 32 + 3) x 1.1 + 5 = 14,088.3 -> 14,089 addresses; a /18 has 16,384
    plan = address_plan(nodes=400, per_node=32, others=3, control=3)
    assert (plan.needed, plan.nodes) == (14_089, "10.0.0.0/18")


def test_400_p5_that_save_addresses_get_a_23():
    # (400 + 3) x 1.1 + 5 = 448.3 -> 449
    assert address_plan(nodes=400, per_node=1, others=3, control=0).nodes == "10.0.0.0/23"


def test_a_small_cluster_still_gets_a_24():
    assert address_plan(nodes=1, per_node=1, others=0, control=0).nodes == "10.0.0.0/24"


def test_a_file_system_takes_an_address_for_each_server():
    assert lustre_addresses(4800) == 4 + 8


# 885 x 33 nodes and 500 others need 32,686 addresses, a tenth more included; the largest subnet holds 32,768
@given(nodes=st.integers(1, 885), per_node=st.integers(1, 33), others=st.integers(0, 500), control=st.integers(0, 11))
def test_subnets_hold_what_they_must_and_do_not_touch(nodes, per_node, others, control):
    plan = address_plan(nodes=nodes, per_node=per_node, others=others, control=control)
    subnets = [ip_network(text) for text in (plan.nodes, plan.control_subnet, plan.public)]
    assert all(subnet.subnet_of(ip_network(plan.vpc)) for subnet in subnets)
    assert not any(a.overlaps(b) for i, a in enumerate(subnets) for b in subnets[i + 1 :])
    assert subnets[0].num_addresses - 5 >= nodes * per_node + others
    fixed = [ip_address(text) for text in plan.control]
    assert len(set(fixed)) == control
    # AWS keeps the first four and the last of a subnet
    assert all(address in list(subnets[1])[4:-1] for address in fixed)


def test_what_no_subnet_holds_is_refused_with_a_way_out():
    with pytest.raises(UsageProblem, match="use the ip-saving profile"):
        address_plan(nodes=1024, per_node=32, others=0, control=0)


def test_more_control_nodes_than_addresses_are_refused():
    with pytest.raises(UsageProblem, match="do not fit 11"):
        address_plan(nodes=1, per_node=1, others=0, control=12)


def test_further_zones_have_blocks_of_the_same_size_that_meet_no_other() -> None:
    plan = address_plan(nodes=400, per_node=1, others=3, control=3, zones=4)
    blocks = [ip_network(block) for block in (plan.nodes, *plan.more, plan.control_subnet, plan.public)]
    assert [block.prefixlen for block in blocks[:4]] == [23] * 4
    assert not any(one.overlaps(other) for one, other in itertools.combinations(blocks, 2))
    with pytest.raises(UsageProblem, match="3 zones"):
        address_plan(nodes=20_000, per_node=1, others=0, control=0, zones=3)
