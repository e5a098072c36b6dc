"""What a node that was ready tells CloudWatch: nothing while all is right, the number of failing checks, the pool."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fleet_pool.node import ready, watch
from fleet_pool.node.ready import Found
from fleet_pool.operate import status as pool_status
from fleet_pool.problems import Unreachable

from infra.alarms import ALARMS
from tests.pool.node.nodes import CASES

RIGHT, WRONG = Found(name="clock", ready=True, said="well"), Found(name="efa", ready=False, said="3 of 4")
BY_NAME = {case.name: case for case in CASES}


@dataclass
class Seen:
    """What CloudWatch and the bucket were given."""

    published: list[dict[str, Any]]
    shipped: list[str]
    group: str = '{"AutoScalingGroups": []}'


@pytest.fixture
def seen(monkeypatch, tmp_path: Path) -> Seen:
    """A p4d node with a target, in service, whose boot log says that it was ready."""
    case, found = BY_NAME["p4d"], Seen([], [])
    instance = {"PLANNER_INSTANCE": case.node.instance, "PLANNER_ADDRESS": case.node.address}
    for name, value in {**case.environment, **instance}.items():
        monkeypatch.setenv(name, value)
    for name in ("IN_SERVICE", "SHIPPED", "RECORD"):
        monkeypatch.setattr(ready, name, tmp_path / name.lower())
    ready.IN_SERVICE.write_text(case.node.instance)
    ready.SHIPPED.write_text(ready.READY)
    monkeypatch.setattr(watch, "read_stack", lambda _: case.stack)
    monkeypatch.setattr(ready.boot_log, "ship", lambda *given: found.shipped.append(given[2][0]))

    def run(words: tuple[str, ...], **_: object) -> SimpleNamespace | None:
        if words[:3] == ("aws", "autoscaling", "describe-auto-scaling-groups"):
            return SimpleNamespace(stdout=found.group)
        assert words[:5] == ("aws", "cloudwatch", "put-metric-data", "--namespace", "Planner")
        found.published += json.loads(words[6])
        return None

    monkeypatch.setattr(watch.subprocess, "run", run)
    return found


def sick(monkeypatch, *found: Found) -> None:
    monkeypatch.setattr(ready, "looked", lambda *_, **__: found)


def test_a_node_that_is_right_publishes_nothing_and_one_that_fails_counts_its_checks(seen: Seen, monkeypatch):
    sick(monkeypatch, RIGHT)
    assert watch.main() == 0
    assert (seen.published, seen.shipped) == ([], [])
    sick(monkeypatch, RIGHT, WRONG, WRONG)
    assert watch.main() == 0
    assert watch.main() == 0
    [first, second] = seen.published
    assert first == second
    assert first["MetricName"] == "NodeProblems"
    assert first["Dimensions"] == [{"Name": "AutoScalingGroupName", "Value": "planner-dev-fleet-group"}]
    assert first["Value"] == 2
    assert seen.shipped == ["not ready: efa: 3 of 4; efa: 3 of 4"], "once, when the verdict changes"
    assert ready.why_not(ready.RECORD).startswith("efa: 3 of 4"), "planner-launch reads the same record"
    sick(monkeypatch, RIGHT)
    assert watch.main() == 0
    assert seen.shipped[-1] == "ready"
    assert ready.why_not(ready.RECORD) == ""


def test_a_lost_node_of_a_group_that_replaces_nothing_is_a_problem_of_the_others(seen: Seen, monkeypatch, capsys):
    """AWS keeps a node that was ended in service, unhealthy, while ReplaceUnhealthy is suspended."""
    states = {"i-1": ("InService", "Healthy"), "i-2": ("InService", "Unhealthy"), "i-3": ("Terminating", "Unhealthy")}
    members = [
        {"InstanceId": id, "LifecycleState": state, "HealthStatus": health} for id, (state, health) in states.items()
    ]
    sick(monkeypatch, RIGHT)
    seen.group = json.dumps({"AutoScalingGroups": [{"Instances": members}]})
    assert watch.main() == 0
    assert [(one["MetricName"], one["Value"]) for one in seen.published] == [("NodeProblems", 1)]
    assert "the group has lost i-2" in capsys.readouterr().out
    assert ready.why_not(ready.RECORD) == "", "this node is right, and offers itself"
    seen.group = "Rate exceeded"
    assert watch.main() == 0
    assert len(seen.published) == 1
    assert "cannot be asked" in capsys.readouterr().out


def test_a_node_that_still_boots_is_left_to_planner_ready(seen: Seen, monkeypatch, capsys):
    ready.IN_SERVICE.unlink()
    sick(monkeypatch, WRONG)
    assert watch.main() == 0
    assert "not ready yet" in capsys.readouterr().out
    assert (seen.published, seen.shipped) == ([], [])


def member(leaving: bool = False) -> SimpleNamespace:
    return SimpleNamespace(leaving=leaving, flags=0)


def node(total: int = 0, used: int = 0) -> SimpleNamespace:
    return SimpleNamespace(space=SimpleNamespace(total=total, used=used) if total else None)


def finding(severity: str) -> SimpleNamespace:
    return SimpleNamespace(severity=severity, where="t1", what="something")


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        # a warning is none, a target that leaves is no target, drives are added up
        (
            {
                "map": SimpleNamespace(proxies=[member()] * 3, targets=[member(), member(), member(leaving=True)]),
                "nodes": [node(100, 50), node(300, 60), node()],
                "findings": [finding("warning"), finding("error")],
                "damaged": [],
            },
            {"PoolProblems": 1, "PoolTargets": 2, "PoolUsedPercent": 27.5},
        ),
        # a control node that left the map without a finding; what nobody says about space is not zero
        (
            {"map": SimpleNamespace(proxies=[member()] * 2, targets=[]), "nodes": [], "findings": [], "damaged": []},
            {"PoolProblems": 1, "PoolTargets": 0},
        ),
    ],
)
def test_a_control_node_tells_of_the_pool(monkeypatch, status, expected):
    monkeypatch.setattr(pool_status, "status", lambda *_, **__: SimpleNamespace(**status))
    case = BY_NAME["control"]
    values = watch.of_pool(case.stack, [RIGHT], {"PLANNER_POOL": "http://127.0.0.1:1"})
    assert {each.metric: each.value for each in values} == expected
    assert {(each.dimension, each.of) for each in values} == {("Stack", case.stack.name)}


def told(monkeypatch, targets: int, damaged_s_ago: tuple[float, ...] = ()) -> float:
    """PoolProblems of a pool with so many targets, without errors of its own."""
    found = SimpleNamespace(
        map=SimpleNamespace(proxies=[member()] * 3, targets=[member()] * targets),
        nodes=[],
        findings=[],
        damaged=[(time.time() - ago, "10.0.0.4:51081") for ago in damaged_s_ago],
    )
    monkeypatch.setattr(pool_status, "status", lambda *_, **__: found)
    values = watch.of_pool(BY_NAME["control"].stack, [RIGHT], {"PLANNER_POOL": "http://127.0.0.1:1"})
    return next(each.value for each in values if each.metric == "PoolProblems")


def test_damaged_copies_are_problems_for_longer_than_the_alarm_takes_and_no_longer(monkeypatch):
    [alarm] = [alarm for alarm in ALARMS if alarm.metric == watch.POOL_PROBLEMS]
    takes_s = alarm.period * (alarm.periods + 1)
    assert takes_s < watch.DAMAGED_S
    assert told(monkeypatch, 4, (takes_s, watch.DAMAGED_S - 5)) == 2
    assert told(monkeypatch, 4, (watch.DAMAGED_S + 5, 6 * 86_400)) == 0


def test_a_pool_that_does_not_answer_is_a_problem_with_unknown_numbers(monkeypatch):
    def silent(*_: object, **__: object) -> None:
        raise Unreachable("nobody")

    monkeypatch.setattr(pool_status, "status", silent)
    values = watch.of_pool(BY_NAME["control"].stack, [RIGHT, WRONG], {"PLANNER_POOL": "http://127.0.0.1:1"})
    assert {each.metric: each.value for each in values} == {"PoolProblems": 2}


def test_a_control_node_has_no_group_of_its_own():
    assert watch.of_node(BY_NAME["control"].node, [WRONG]) == ()
