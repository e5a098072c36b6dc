"""`planner teardown-check` as it is shipped, boto3's clients and all, over a stack in another Region."""

from __future__ import annotations

import json

import pytest

from planner.account import aws_client
from planner.cli import main
from planner.stack.file import rendered
from tests.engine.cloud.api import Api
from tests.engine.cloud.store import Cloud, Thing
from tests.engine.specs import ELSEWHERE, GIVEN, small

LAYOUT = "fsx-lustre"
REGION, ZONE_ID = ELSEWHERE[LAYOUT]
NAME = "planner-dev-guard-anomalies"


def tags(name: str, stack: str = "dev") -> dict[str, str]:
    return {"planner:stack": stack, "planner:name": name}


@pytest.fixture
def cloud(tmp_path, monkeypatch) -> Cloud:
    """A cloud in that Region, which every client of the door asks, and the stack's file."""
    (tmp_path / "Pulumi.dev.yaml").write_text(rendered(small(LAYOUT), ""), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    made = Cloud.new(tmp_path / "cloud" / "cloud.json", region=REGION, zones=(ZONE_ID,), given=GIVEN)
    monkeypatch.setattr(aws_client, "client", Api(made).client)
    return made


def monitor(cloud: Cloud, stack: str = "dev") -> Thing:
    name = NAME.replace("dev", stack)
    inputs = {"name": name, "monitorType": "CUSTOM", "tags": tags("guard-anomalies", stack)}
    return cloud.create("aws:costexplorer/anomalyMonitor:AnomalyMonitor", inputs)


def subscription(cloud: Cloud, of: Thing) -> Thing:
    inputs = {"name": NAME, "frequency": "IMMEDIATE", "monitorArnLists": [of["arn"]]}
    inputs["tags"] = tags("guard-anomaly-notice")
    return cloud.create("aws:costexplorer/anomalySubscription:AnomalySubscription", inputs)


def role(cloud: Cloud, part: str, stack: str = "dev") -> Thing:
    inputs = {"name": f"planner-{stack}-{part}", "assumeRolePolicy": "{}", "tags": tags(part, stack)}
    return cloud.create("aws:iam/role:Role", inputs)


def action(cloud: Cloud, role: Thing) -> Thing:
    inputs = {
        "budgetName": "planner-dev-guard-budget",
        "actionType": "APPLY_IAM_POLICY",
        "approvalModel": "AUTOMATIC",
        "notificationType": "ACTUAL",
        "executionRoleArn": role["arn"],
        "tags": tags("guard-action"),
    }
    return cloud.create("aws:budgets/budgetAction:BudgetAction", inputs)


def checked(capsys: pytest.CaptureFixture[str], code: int, *more: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """(Name, finding) -> the ids, of the verb's own JSON."""
    with pytest.raises(SystemExit) as done:
        main.run(["teardown-check", "--stack", "dev", "-f", "json", *more])
    assert done.value.code == code
    return {(row["name"], row["found"]): tuple(row["ids"]) for row in json.loads(capsys.readouterr().out)["left"]}


def test_what_has_no_region_is_found_from_a_stack_elsewhere(cloud, capsys):
    first, second = monitor(cloud), monitor(cloud)
    monitor(cloud, "dev-2")
    notice = subscription(cloud, first)
    cloud.create("aws:budgets/budget:Budget", {"name": "planner-dev-guard-budget", "tags": tags("guard-budget")})
    acting = role(cloud, "guard-action")
    role(cloud, "guard-action", "dev-2")
    actions = [action(cloud, acting) for _ in range(2)]
    found = checked(capsys, 13)
    assert {name: set(ids) for name, ids in found.items()} == {
        ("guard-anomalies", "doubled"): {one["arn"].rpartition("/")[2] for one in (first, second)},
        ("guard-anomaly-notice", "AWS"): {notice["arn"].rpartition("/")[2]},
        ("guard-budget", "AWS"): {"planner-dev-guard-budget"},
        ("guard-action", "doubled"): {one["arn"].partition(":budget/")[2] for one in actions},
        ("guard-action", "AWS"): {"planner-dev-guard-action"},
    }


def test_several_pages_are_read_to_the_end(cloud, capsys):
    for number in range(20):
        cloud.create("aws:ec2/eip:Eip", {"domain": "vpc", "tags": tags(f"address-{number}")})
        role(cloud, f"role-{number}")
        monitor(cloud)
    assert len(cloud.standing()) == 60
    assert sum(map(len, checked(capsys, 13).values())) == 60


def test_a_key_on_its_way_out_is_not_left(cloud, capsys):
    key = cloud.create("aws:kms/key:Key", {"description": "data", "tags": tags("tier-key")})
    second = cloud.create("aws:kms/key:Key", {"description": "data", "tags": tags("tier-key")})
    cloud.delete("aws:kms/key:Key", second["id"])
    assert checked(capsys, 0) == {("tier-key", "AWS"): (key["id"],)}


def test_a_stack_of_the_same_name_in_us_east_1_is_another(cloud, capsys):
    cloud.create("aws:ec2/eip:Eip", {"domain": "vpc", "tags": tags("network-nat-address")})
    assert set(checked(capsys, 13)) == {("network-nat-address", "AWS")}
    assert checked(capsys, 0, "--region", "us-east-1") == {}
