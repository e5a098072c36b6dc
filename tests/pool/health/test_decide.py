"""What follows a fault: the gravest one counts, a restart once, the brake, and no third replacement in an hour."""

from __future__ import annotations

import pytest
from fleet_pool.health.decide import (
    Decision,
    Group,
    Past,
    allowed,
    costs,
    decision,
    keeps_its_drain,
    place_of,
)
from fleet_pool.health.judge import Finding
from fleet_pool.health.limits import Action
from hypothesis import given
from hypothesis import strategies as st

NOW = 1_000_000.0
WELL_GROUP = Group(nodes=64, out=0)


def finding(action: Action, check: str = "xid") -> Finding:
    return Finding(check=check, action=action, said="79 on 0000:53:00")


def past(action: Action, ago_s: float, *, place: str = "n1", instance: str = "n1", check: str = "xid") -> Past:
    return Past(at_s=NOW - ago_s, place=place, instance=instance, action=action, check=check)


def decided(*found: Finding, before: tuple[Past, ...] = (), group: Group = WELL_GROUP) -> Decision:
    return decision(found, before, "n1", group, NOW)


def test_the_gravest_fault_counts_and_reports_do_nothing():
    assert decided().action is Action.OK
    assert decided(finding(Action.REPORT)).action is Action.REPORT
    found = decided(finding(Action.REPORT), finding(Action.REPLACE), finding(Action.DRAIN))
    assert (found.action, found.reason, found.page) == (Action.REPLACE, "xid: 79 on 0000:53:00", "")


def test_a_restart_is_tried_once_a_day():
    assert decided(finding(Action.RESTART)).action is Action.RESTART
    again = decided(finding(Action.RESTART), before=(past(Action.RESTART, 3600),))
    assert (again.action, again.reason) == (Action.REPLACE, "xid: 79 on 0000:53:00; a restart did not help")
    assert decided(finding(Action.RESTART), before=(past(Action.RESTART, 25 * 3600),)).action is Action.RESTART
    assert decided(finding(Action.RESTART), before=(past(Action.RESTART, 60, place="n2"),)).action is Action.RESTART


# AWS, ECS developer guide, "GPU auto repair": 20 % at most, one where there are fewer than nine
@pytest.mark.parametrize(("nodes", "most"), [(1, 1), (8, 1), (9, 1), (10, 2), (14, 2), (15, 3), (64, 12), (100, 20)])
def test_the_brake_is_that_of_aws(nodes: int, most: int):
    assert allowed(nodes) == most
    assert decided(finding(Action.DRAIN), group=Group(nodes=nodes, out=most - 1)).action is Action.DRAIN
    held = decided(finding(Action.DRAIN), group=Group(nodes=nodes, out=most))
    assert held.action is Action.REPORT
    assert held.page == f"not drained: {most} of {nodes} nodes are out, {most} may be"


def test_a_group_that_nobody_knows_holds_the_drain_and_pages():
    held = decided(finding(Action.REPLACE), group=Group(nodes=0, out=0))
    assert (held.action, held.page) == (Action.REPORT, "not drained: how many nodes of its group are out is not known")


def test_two_replacements_of_one_place_in_an_hour_stop_and_page():
    once, twice = past(Action.REPLACE, 3000), past(Action.REPLACE, 1200)
    assert decided(finding(Action.REPLACE), before=(once,)).action is Action.REPLACE
    third = decided(finding(Action.REPLACE), before=(once, twice))
    assert (third.action, third.page[:18]) == (Action.DRAIN, "not replaced again")
    assert decided(finding(Action.REPLACE), before=(past(Action.REPLACE, 3601), twice)).action is Action.REPLACE


@given(
    st.integers(1, 200).flatmap(
        lambda nodes: st.tuples(
            st.just(nodes), st.lists(st.tuples(st.integers(0, 5), st.integers(0, 999)), max_size=nodes, unique=True)
        )
    )
)
def test_however_many_fail_at_once_exactly_as_many_stay_out_as_may(case: tuple[int, list[tuple[int, int]]]):
    nodes, failing = case
    ranks = [(float(at), f"n{name}") for at, name in failing]
    stay = [mine for mine in ranks if keeps_its_drain(mine, [other for other in ranks if other != mine], nodes)]
    assert len(stay) == min(len(ranks), allowed(nodes))
    assert sorted(stay) == sorted(ranks)[: len(stay)]


def test_an_instance_has_the_place_of_the_one_it_replaces():
    first = past(Action.REPLACE, 1800, place="i-1", instance="i-1")
    assert place_of("i-2", NOW - 1500, ()) == "i-2"
    assert place_of("i-2", NOW - 1500, (first,)) == "i-1"
    second = past(Action.REPLACE, 900, place="i-1", instance="i-2")
    assert place_of("i-3", NOW - 600, (first, second)) == "i-1", "a chain"
    assert place_of("i-2", NOW - 1500, (first, second)) == "i-1", "its own record says so"
    assert place_of("i-9", NOW - 2000, (first,)) == "i-9", "launched before"
    assert place_of("i-9", NOW + 3600, (first,)) == "i-9", "an hour later"


def test_two_chains_are_counted_apart():
    a = past(Action.REPLACE, 1800, place="a", instance="a")
    b = past(Action.REPLACE, 1700, place="b", instance="b")
    assert place_of("c", NOW - 1500, (a, b)) == "b"
    c = past(Action.REPLACE, 1000, place="b", instance="c")
    # d is launched after c was replaced: the longer chain is the careful guess
    assert place_of("d", NOW - 900, (a, b, c)) == "b"


def test_the_bad_place_stops_after_two_replacements_whatever_instances_come():
    done: tuple[Past, ...] = ()
    actions = []
    for number in range(5):
        at = NOW + 300 * number
        instance = f"i-{number}"
        place = place_of(instance, at - 120, done)
        found = decision((finding(Action.REPLACE),), done, place, WELL_GROUP, at)
        actions.append(found.action)
        done += (Past(at_s=at, place=place, instance=instance, action=found.action, check="xid"),)
        if found.action is not Action.REPLACE:
            break
    assert actions == [Action.REPLACE, Action.REPLACE, Action.DRAIN]


def test_what_it_costs_is_in_the_reason():
    # 64 p5.48xlarge at $55.04 an hour: $3,522.56
    assert costs(64, 55.04) == "gang of 64 waits: $3,522/h"
    assert costs(64, None) == "gang of 64 waits (no price on this node)"
    assert costs(0, 55.04) == ""
