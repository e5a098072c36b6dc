"""Ranks follow the network, whatever the order in which nodes come."""

from __future__ import annotations

import random

from fleet_pool.launch.ranks import Member, rank_order
from hypothesis import given
from hypothesis import strategies as st


def member(instance: str, *layers: str, unknown: str = "") -> Member:
    return Member(instance=instance, incarnation="1", address="10.0.0.1", layers=layers, unknown=unknown)


# the figure of the EC2 User Guide, "How Amazon EC2 topology works": 1 and 2 hang below NN4, 3 below NN5, 4 below NN7
GUIDE = (
    member("i-1", "nn-1", "nn-2", "nn-4"),
    member("i-2", "nn-1", "nn-2", "nn-4"),
    member("i-3", "nn-1", "nn-2", "nn-5"),
    member("i-4", "nn-1", "nn-3", "nn-7"),
)


def test_neighbours_in_the_figure_of_aws_get_neighbouring_ranks():
    for seed in range(10):
        came = random.Random(seed).sample(GUIDE, 4)
        order = rank_order(came, 4)
        assert [each.instance for each in order.members] == ["i-1", "i-2", "i-3", "i-4"]
        assert order.why == "by network layers, then by instance id"


def test_the_spare_is_the_one_that_is_far_from_the_others():
    far_first = member("i-0", "nn-0", "nn-9", "nn-9")
    assert [each.instance for each in rank_order([*GUIDE[:3], far_first], 3).members] == ["i-1", "i-2", "i-3"]


def test_without_layers_of_one_node_ranks_go_by_instance_id_and_say_why():
    order = rank_order([*GUIDE[1:], member("i-0", unknown="AccessDenied")], 4)
    assert [each.instance for each in order.members] == ["i-0", "i-2", "i-3", "i-4"]
    assert order.why == "by instance id: no network layers of i-0 (AccessDenied)"


nodes = st.lists(
    st.tuples(st.integers(0, 10**6), st.lists(st.sampled_from("abc"), min_size=3, max_size=4)),
    min_size=1,
    max_size=12,
    unique_by=lambda node: node[0],
)


@given(nodes, st.randoms(use_true_random=False), st.integers(1, 12))
def test_every_node_that_decides_decides_the_same(found, chance, wanted):
    came = [member(f"i-{number}", *layers) for number, layers in found]
    order = rank_order(came, wanted).members
    chance.shuffle(came)
    assert rank_order(came, wanted).members == order
    assert len(set(order)) == len(order) == min(wanted, len(came))
    # nodes below one switch are next to each other
    bottoms = [each.layers for each in order]
    assert len([n for n in range(1, len(bottoms)) if bottoms[n] != bottoms[n - 1]]) == len(set(bottoms)) - 1
