"""A decision done on a fake node: evidence, drain, second look, restart or replacement, and back again."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from fleet_pool.health import act as acts
from fleet_pool.health.act import Acting, act, back, restarted_well
from fleet_pool.health.decide import Past
from fleet_pool.health.doer import Alone, AutoScaling
from fleet_pool.health.judge import Finding
from fleet_pool.health.limits import Action
from fleet_pool.health.records import InFolder, Out, open_in, out_of
from fleet_pool.node import ready
from fleet_pool.node.machine import Machine

from tests.pool.health.node import FakeNode
from tests.pool.node.nodes import CASES

GPU = next(case.node for case in CASES if case.name == "no-pool")
XID = Finding(check="xid", action=Action.REPLACE, said="xid 79 on 0000:53:00")
PENDING = Finding(check="row-remap-pending", action=Action.RESTART, said="GPU 0")


def members(fake: FakeNode, *instances: tuple[str, str, str]) -> None:
    """(instance, state, health) of the group; `aws` notes every other call."""
    of_each = [{"InstanceId": i, "LifecycleState": s, "HealthStatus": h} for i, s, h in instances]
    answer = fake.folder / "group.json"
    answer.write_text(json.dumps({"AutoScalingGroups": [{"Instances": of_each}]}))
    fake.script(
        "aws", f'#!/bin/sh\necho "aws $*" >> {fake.folder}/calls\ncase "$2" in describe*) cat {answer} ;; esac\n'
    )


def well(number: int, first: str = GPU.instance) -> list[tuple[str, str, str]]:
    names = [first, *(f"i-{each:017x}" for each in range(1, number))]
    return [(name, "InService", "Healthy") for name in names]


class Told:
    def __init__(self) -> None:
        self.pages: list[str] = []
        self.shipped: list[str] = []
        self.said: list[str] = []


@pytest.fixture(autouse=True)
def in_service(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Its group has counted the node, whichever it is."""
    monkeypatch.setattr(ready, "IN_SERVICE", tmp_path / "in-service")
    ready.IN_SERVICE.write_text("")
    return ready.IN_SERVICE


@pytest.fixture
def told() -> Told:
    return Told()


def acting(fake: FakeNode, told: Told, *, busy: bool = False, instance: str = "", state: Path | None = None) -> Acting:
    fake.program("systemctl", {"": ""})
    node = replace(GPU, instance=instance or GPU.instance)
    return Acting(
        doer=AutoScaling(node, Machine(20)),
        busy=busy,
        records=InFolder(fake.folder / "past"),
        place=lambda _: node.instance,
        usd_per_hour=55.04,
        page=told.pages.append,
        ship=told.shipped.append,
        state=state or fake.state,
        settle_s=0.0,
        say=told.said.append,
    )


def test_a_sick_node_is_out_with_its_reason_and_its_cost_and_the_group_knows(fake: FakeNode, told: Told):
    members(fake, *well(64))
    out = act(acting(fake, told), (XID,), {"nvidia-smi -q -x": "<xml/>"})
    assert out
    assert out.reason == "xid: xid 79 on 0000:53:00; gang of 64 waits: $3,522/h"
    assert out_of(GPU.instance, fake.state) == out
    [marked] = [call for call in fake.calls("aws") if "set-instance-health" in call]
    assert f"--instance-id {GPU.instance} --health-status Unhealthy" in marked
    [evidence] = (fake.state / "evidence").glob("*.txt")
    assert evidence.read_text() == told.shipped[0]
    assert "==> nvidia-smi -q -x <==\n<xml/>\n" in told.shipped[0]
    assert told.pages == []


def test_what_was_done_is_not_done_again(fake: FakeNode, told: Told):
    members(fake, *well(64))
    first = act(acting(fake, told), (XID,), {})
    calls = len(fake.calls("aws"))
    assert act(acting(fake, told), (XID,), {}) == first
    assert act(acting(fake, told), (), {}) == first, "a fault that hides again does not bring it back"
    assert len(fake.calls("aws")) == calls


def test_reports_and_well_nodes_change_nothing(fake: FakeNode, told: Told):
    report = Finding(check="slowdown", action=Action.REPORT, said="hot")
    assert act(acting(fake, told), (report,), {}) is None
    assert act(acting(fake, told), (), {}) is None
    assert fake.calls() == []
    assert not fake.state.exists()


def test_a_dry_run_says_and_does_nothing(fake: FakeNode, told: Told):
    members(fake, *well(64))
    assert act(replace(acting(fake, told), dry_run=True), (XID,), {}) is None
    assert told.said == ["planner-health: would replace: xid: xid 79 on 0000:53:00; gang of 64 waits: $3,522/h"]
    assert not [call for call in fake.calls("aws") if "set-instance-health" in call]
    assert not (fake.folder / "past").exists()


def test_the_brake_holds_and_pages(fake: FakeNode, told: Told):
    # 10 nodes: two may be out; one is unhealthy, one is drained by a record of its own
    group = well(10)
    group[1] = (group[1][0], "InService", "Unhealthy")
    members(fake, *group)
    acting(fake, told).records.add(_past(group[2][0], Action.DRAIN))
    assert act(acting(fake, told), (XID,), {}) is None
    [page] = told.pages
    assert page.startswith(f"{GPU.instance}: xid: xid 79 on 0000:53:00; gang of 10 waits: $550/h: not drained: ")
    assert page.endswith("2 of 10 nodes are out, 2 may be")
    assert out_of(GPU.instance, fake.state) is None
    # the drained one is brought back: now there is room
    acting(fake, told).records.add(_past(group[2][0], Action.OK))
    assert act(acting(fake, told), (XID,), {})


def _past(instance: str, action: Action, at_s: float | None = None) -> Past:
    at_s = acts.time.time() if at_s is None else at_s
    return Past(at_s=at_s, place=instance, instance=instance, action=action, check="xid")


def test_a_group_that_does_not_answer_holds_and_pages(fake: FakeNode, told: Told):
    fake.script("aws", "#!/bin/sh\necho 'An error occurred (Throttling)'\nexit 254\n")
    assert act(acting(fake, told), (XID,), {}) is None
    assert "how many nodes of its group are out is not known" in told.pages[0]


def test_when_all_nodes_fail_at_the_same_moment_as_many_go_out_as_may(fake: FakeNode, told: Told):
    """A limit that is wrong for a whole fleet: 15 nodes at once, three of which may be out."""
    instances = [f"i-{number:017x}" for number in range(15)]
    members(fake, *((name, "InService", "Healthy") for name in instances))
    outs: dict[str, Out | None] = {}

    def run(name: str) -> None:
        each = acting(fake, told, instance=name, state=fake.folder / name)
        outs[name] = act(replace(each, settle_s=4.0), (XID,), {})

    threads = [threading.Thread(target=run, args=(name,)) for name in instances]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stayed = [name for name, out in outs.items() if out]
    assert len(stayed) == 3
    assert sorted(open_in(InFolder(fake.folder / "past").past(acts.time.time()))) == sorted(stayed)
    marked = [call for call in fake.calls("aws") if "--health-status Unhealthy" in call]
    assert len(marked) == 3
    assert len(told.pages) == 12


def test_a_restart_happens_once_then_the_next_boot_replaces(fake: FakeNode, told: Told, monkeypatch):
    members(fake, *well(16))
    monkeypatch.setattr(acts, "boot_id", lambda: "b1")
    out = act(acting(fake, told), (PENDING,), {})
    assert out
    assert out.action is Action.RESTART
    assert fake.calls("systemctl") == ["systemctl reboot"]
    monkeypatch.setattr(acts, "boot_id", lambda: "b2")
    again = act(acting(fake, told), (PENDING,), {})
    assert again
    assert (again.action, "a restart did not help" in again.reason) == (Action.REPLACE, True)
    assert fake.calls("systemctl") == ["systemctl reboot"]


def test_a_restart_that_helps_brings_the_node_back(fake: FakeNode, told: Told, monkeypatch):
    members(fake, *well(16))
    monkeypatch.setattr(acts, "boot_id", lambda: "b1")
    act(acting(fake, told), (PENDING,), {})
    assert not restarted_well(acting(fake, told), ()), "not before it has restarted"
    monkeypatch.setattr(acts, "boot_id", lambda: "b2")
    assert not restarted_well(acting(fake, told), (PENDING,))
    assert restarted_well(acting(fake, told), ())
    assert back(acting(fake, told))
    assert out_of(GPU.instance, fake.state) is None
    assert not [call for call in fake.calls("aws") if "--health-status" in call], "its group never heard of it"
    assert open_in(InFolder(fake.folder / "past").past(acts.time.time())) == {}


def test_a_busy_node_waits_for_its_job_before_it_restarts(fake: FakeNode, told: Told):
    members(fake, *well(16))
    assert act(acting(fake, told, busy=True), (PENDING,), {})
    assert fake.calls("systemctl") == []
    assert told.said[-1] == "planner-health: not restarted while a process computes on its GPUs"
    act(acting(fake, told), (PENDING,), {})
    assert fake.calls("systemctl") == ["systemctl reboot"]


def test_a_replacement_that_aws_refuses_leaves_the_node_drained_and_pages(fake: FakeNode, told: Told):
    members(fake, *well(16))
    body = (fake.bin / "aws").read_text()
    fake.script("aws", f'{body}case "$2" in set-*) echo "AccessDenied"; exit 254 ;; esac\n')
    assert act(acting(fake, told), (XID,), {})
    assert "drained, but not replaced" in told.pages[0]
    assert "AccessDenied" in told.pages[0]


def test_a_node_that_its_group_has_not_counted_yet_is_abandoned(fake: FakeNode, told: Told, in_service: Path):
    in_service.unlink()
    members(fake, *((name, "Pending:Wait", "Healthy") for name, *_ in well(16)))
    out = act(acting(fake, told), (XID,), {})
    assert out
    assert not [call for call in fake.calls("aws") if "set-instance-health" in call]
    assert told.said[-1] == "planner-health: its launch is abandoned by planner-ready, and the group launches another"
    with pytest.raises(ready.Broken, match="xid 79"):
        ready.health(GPU, fake.state)


def test_a_replaced_node_that_a_person_brings_back_is_healthy_for_its_group(fake: FakeNode, told: Told):
    members(fake, *well(16))
    act(acting(fake, told), (XID,), {})
    assert back(acting(fake, told))
    assert "--health-status Healthy" in fake.calls("aws")[-1]


def test_a_group_that_falls_silent_after_the_record_leaves_no_record_that_counts(fake: FakeNode, told: Told):
    members(fake, *well(16))
    answers = (fake.bin / "aws").read_text()
    fake.script("aws", f"{answers}mv {fake.folder}/group.json {fake.folder}/gone\n")  # the second question fails
    assert act(acting(fake, told), (XID,), {}) is None
    assert "not drained" in told.pages[0]
    assert out_of(GPU.instance, fake.state) is None
    assert open_in(InFolder(fake.folder / "past").past(acts.time.time())) == {}


def test_a_record_of_another_instance_is_not_this_nodes(fake: FakeNode, told: Told):
    members(fake, *well(16))
    act(acting(fake, told), (XID,), {})
    assert out_of("i-0fedcba9876543210", fake.state) is None, "an image that was made of a drained node"


def test_alone_it_drains_and_says_what_a_person_does(tmp_path: Path, told: Told):
    one = Acting(
        doer=Alone("host"),
        records=InFolder(tmp_path / "past"),
        place=lambda _: "host",
        usd_per_hour=None,
        page=told.pages.append,
        ship=told.shipped.append,
        state=tmp_path,
        settle_s=0.0,
        say=told.said.append,
    )
    out = act(one, (XID,), {})
    assert out
    assert out.reason == "xid: xid 79 on 0000:53:00; gang of 1 waits (no price on this node)"
    assert told.said[-1] == "planner-health: replace it by hand: nobody else manages this node"
    assert back(one)
    assert not back(one)
