"""The deployer's policies: every type that the program makes, every action spelt as AWS spells it, nothing too wide."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache

import pytest
from botocore.session import Session

from infra import operate
from infra.deployer import FOLDER, LIMIT, policies, text_of
from infra.deployer_actions import ACTIONS, SCHEDULER_ACTIONS
from planner.stack.spec import LAYOUTS
from tests.infra.aws_schemas import schema
from tests.infra.specs import BUYING, GANGS, graph_of, spec_of, with_files

FILES = sorted(
    path.name for pattern in ("deployer-policy-*", "operator-policy") for path in FOLDER.glob(f"{pattern}.json")
)
UP = [name for name in FILES if name.startswith("deployer") and name != "deployer-policy-reserve.json"]
# IAM names that are no operations of the API (Service Authorization Reference)
OWN_NAMES = {
    "s3:GetBucketCORS",
    "s3:ListBucket",
    "s3:ListBucketVersions",
    "s3:DeleteObjectVersion",
    "s3:GetObjectVersion",
    "s3:GetLifecycleConfiguration",
    "s3:PutLifecycleConfiguration",
    "s3:GetEncryptionConfiguration",
    "s3:PutEncryptionConfiguration",
    "s3:GetAccelerateConfiguration",
    "s3:GetReplicationConfiguration",
    "s3:GetBucketObjectLockConfiguration",
    "s3:GetBucketPublicAccessBlock",
    "s3:PutBucketPublicAccessBlock",
    "s3:TagResource",
    "s3:UntagResource",
    "s3:ListTagsForResource",
    "budgets:ViewBudget",
    "budgets:ModifyBudget",
    "iam:PassRole",
    "ssmmessages:OpenDataChannel",
}
CLIENTS = {"tag": "resourcegroupstaggingapi", "cloudformation": "cloudcontrol"}


@cache
def operations(service: str) -> frozenset[str]:
    return frozenset(map(str, list(Session().get_service_model(service).operation_names)))  # type: ignore[arg-type]


def written(name: str) -> dict:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def allowed(names: list[str] = UP) -> dict[str, list[dict]]:
    """Action -> the statements that allow it."""
    found: dict[str, list[dict]] = {}
    for name in names:
        for statement in written(name)["Statement"]:
            for action in statement["Action"]:
                found.setdefault(action, []).append(statement)
    return found


@cache
def graphs() -> list[dict]:
    """A graph of every layout, one of every way to buy, and one with files over the pool."""
    found = []
    found = [graph_of(layout) for layout in LAYOUTS]
    for kind, buying in BUYING.items():
        purchase = "on-demand" if kind == "reservation" else kind
        layout = LAYOUTS[len(found) % len(LAYOUTS)]
        found.append(graph_of(replace(spec_of(layout), buying=buying, scenario=f"{layout}/p5.48xlarge/{purchase}")))
    found.append(graph_of(with_files(spec_of("converged"))))
    return found


@pytest.mark.parametrize("name", FILES)
def test_the_file_is_what_the_table_gives(name):
    assert (FOLDER / name).read_text(encoding="utf-8") == text_of(name), "run python -m infra.deployer"


def test_all_files_are_there():
    assert set(FILES) == set(policies())


@pytest.mark.thorough
def test_every_type_of_the_program_is_in_the_table_and_no_other():
    made = {entry["type"] for graph in graphs() for entry in graph["resources"] if entry["type"].startswith("aws:")}
    assert made == set(ACTIONS)


@pytest.mark.parametrize("type_", sorted(ACTIONS))
def test_every_action_of_a_type_is_allowed(type_):
    assert set(ACTIONS[type_]) <= set(allowed())
    verbs = {re.split("(?<=[a-z])(?=[A-Z])", action.split(":")[1])[0] for action in ACTIONS[type_]}
    making = {"Create", "Put", "Allocate", "Authorize", "Associate", "Attach", "Register", "Rotate", "Run"} | {
        "Subscribe",
        "Set",
    }
    assert verbs & making or (
        type_ in ("aws:ec2/defaultSecurityGroup:DefaultSecurityGroup", "aws:budgets/budget:Budget")
    )
    assert verbs & {"Get", "Describe", "List", "View"}, "a type that cannot be read cannot be refreshed"


@pytest.mark.thorough
def test_what_carries_our_tags_can_be_tagged():
    """A second route: types whose inputs have tags, from the graphs, against the actions of their service."""
    for graph in graphs():
        for entry in graph["resources"]:
            if not entry["type"].startswith("aws:") or "tags" not in entry["inputs"]:
                continue
            found = {action.split(":")[1] for action in ACTIONS[entry["type"]]}
            assert any("Tag" in action and not action.startswith(("Get", "List", "Describe")) for action in found), (
                entry
            )


@pytest.mark.parametrize("action", sorted({*allowed(FILES)}))
def test_every_action_is_an_operation_of_its_service(action):
    assert re.fullmatch(r"[a-z0-9]+:[A-Z][A-Za-z0-9]+", action), "no wildcard among actions"
    service, name = action.split(":")
    if action not in OWN_NAMES:
        assert name in operations(CLIENTS.get(service, service))


@pytest.mark.parametrize("name", FILES)
def test_it_fits_into_a_managed_policy(name):
    text = re.sub(r"\s", "", (FOLDER / name).read_text(encoding="utf-8"))
    assert len(text) <= LIMIT
    sids = [statement["Sid"] for statement in written(name)["Statement"]]
    assert len(set(sids)) == len(sids)
    assert all(sid.isalnum() for sid in sids)


@pytest.mark.parametrize("kind", ["Cluster", "ComputeNodeGroup", "Queue"])
def test_a_slurm_cluster_s_policy_has_what_aws_s_handlers_call(kind):
    handlers = schema(f"AWS::PCS::{kind}")["handlers"]
    called = {action for handler in handlers.values() for action in handler["permissions"]}
    assert called <= set(SCHEDULER_ACTIONS)
    assert set(SCHEDULER_ACTIONS) <= set(allowed(["deployer-policy-scheduler.json"]))


def test_what_is_kept_cannot_be_deleted_by_the_deployer():
    found = allowed(FILES)
    assert not {"kms:ScheduleKeyDeletion", "kms:DisableKey", "kms:DeleteAlias"} & set(found)
    data = "arn:aws:s3:::planner-dev-data-111122223333-us-east-1"
    for action in ("s3:DeleteBucket", "s3:DeleteObject", "s3:DeleteObjectVersion", "s3:DeleteBucketPolicy"):
        patterns = [pattern for statement in found[action] for pattern in statement["Resource"]]
        assert patterns
        assert not any(re.fullmatch(pattern.replace("*", ".*"), data) for pattern in patterns), action


def test_roles_are_passed_and_given_policies_within_bounds():
    found = allowed()
    for action, condition in (
        ("iam:PassRole", "iam:PassedToService"),
        ("iam:CreateServiceLinkedRole", "iam:AWSServiceName"),
    ):
        for statement in found[action]:
            assert any(condition in test for test in statement["Condition"].values())
    for statement in found["iam:AttachRolePolicy"]:
        ours = any("role/planner-" in where for where in statement["Resource"])
        assert not ours or "iam:PolicyARN" in statement["Condition"]["ArnEquals"]
    lists = {"iam:ListInstanceProfiles", "iam:ListPolicies", "iam:ListRoles"}  # these show names, and know no resource
    for action, statements in found.items():
        if action.startswith("iam:") and action not in lists:
            assert all("*" not in statement["Resource"] for statement in statements), action


# what planner/account asks by name, as botocore calls it
ASKED = {
    "budgets": ("DescribeBudgetActionsForBudget", "ListTagsForResource", "ViewBudget"),
    "ce": ("GetAnomalyMonitors", "GetAnomalySubscriptions", "ListTagsForResource"),
    "iam": (
        *("ListRoles", "ListInstanceProfiles", "ListPolicies"),
        *("ListRoleTags", "ListInstanceProfileTags", "ListPolicyTags"),
    ),
    "tag": ("GetResources",),
}


@pytest.mark.parametrize("service", ASKED)
def test_whoever_deploys_may_see_what_is_left(service):
    assert {f"{service}:{name}" for name in ASKED[service]} <= set(allowed())


# commands of the documents that neither the deployer nor the operator may run, and who may
OF_OTHERS = {
    # before there is a stack, and who belongs to it
    "s3api:create-bucket": "whoever owns the account's state",
    "s3api:put-bucket-versioning": "whoever owns the account's state",
    "ec2:create-placement-group": "whoever buys",
    "iam:add-user-to-group": "an administrator",
    "budgets:execute-budget-action": "an administrator",
    "kms:schedule-key-deletion": "an administrator",
    "ssm:describe-sessions": "an administrator",
}
# the operations behind the CLI's own words
BEHIND = {"s3:cp": ("GetObject", "PutObject"), "s3:sync": ("GetObject", "ListBucket", "PutObject")}
BEHIND |= {
    "s3api:list-objects-v2": ("ListBucket",),
    "s3api:list-object-versions": ("ListBucketVersions",),
    "s3api:copy-object": ("GetObjectVersion", "PutObject"),
}


def commands() -> set[str]:
    """service:verb of every `aws` command that an operator reads or the rehearsal runs."""
    documents = ("docs/operations.md", "docs/rehearsal-on-an-account.md", "docs/workers.md", "docs/day-2.md")
    typed = "\n".join((FOLDER.parent / name).read_text(encoding="utf-8") for name in documents)
    found = {":".join(words) for words in re.findall(r"\baws ([a-z0-9]+) ([a-z0-9-]+)", typed)}
    program = (FOLDER.parent / "examples" / "rehearsal" / "account.py").read_text(encoding="utf-8")
    return found | {":".join(words) for words in re.findall(r'self\.aws\(\s*"([a-z0-9]+)", "([a-z0-9-]+)"', program)}


@pytest.mark.parametrize("command", sorted(commands() - set(OF_OTHERS)))
def test_the_published_policies_allow_every_command_of_the_documents(command):
    service, verb = command.split(":")
    named = BEHIND.get(command, ("".join(word.capitalize() for word in verb.split("-")),))
    found = {action.lower() for action in allowed(FILES)}
    assert {f"{service.removesuffix('api')}:{name}".lower() for name in named} <= found


def test_commands_of_others_are_in_the_documents():
    assert set(OF_OTHERS) <= commands()


def test_whoever_operates_reaches_nodes_of_stacks_alone():
    for action in ("ec2:TerminateInstances", "ssm:SendCommand", "ssm:StartSession"):
        for statement in allowed(["operator-policy.json"])[action]:
            nodes = any(":instance/" in where for where in statement["Resource"])
            assert nodes == ("Condition" in statement), "a node without its tag in the condition is any machine"
            assert "*" not in statement["Resource"]


def test_the_operator_of_a_stack_reaches_no_other():
    """What knows a tag is of the stack by it, and what has a name by its name."""
    text = json.dumps(operate.policy("prod"))
    assert "planner-*" not in text
    assert "dev" not in text
    for statement in operate.policy("prod")["Statement"]:
        for where in statement["Resource"]:
            if ":instance/" in where or ":file-system/" in where or ":autoScalingGroup" in where:
                assert set(statement["Condition"]["StringEquals"].values()) == {"prod"}
    assert "planner-prod-data-*" in text


def test_nodes_reach_systems_manager_and_no_parameter_of_the_account():
    actions = {
        action
        for layout in GANGS
        for entry in graph_of(layout)["resources"]
        if entry["type"] == "aws:iam/rolePolicy:RolePolicy"
        for statement in json.loads(entry["inputs"]["policy"])["Statement"]
        for action in [statement["Action"]] * isinstance(statement["Action"], str)
        + list(statement["Action"]) * (not isinstance(statement["Action"], str))
    }
    assert {"ssm:UpdateInstanceInformation", "ssmmessages:OpenDataChannel", "ec2messages:GetMessages"} <= actions
    assert [action for action in actions if action.startswith("ssm:")] == ["ssm:UpdateInstanceInformation"]
    assert not [entry for entry in graph_of("converged")["resources"] if "Attachment" in entry["type"]]


def test_nothing_irrevocable_is_allowed_to_whoever_only_deploys():
    bought = {"ec2:PurchaseCapacityBlock", "ec2:PurchaseCapacityBlockExtension", "ec2:CreateCapacityReservation"}
    assert not bought & set(allowed())
    assert bought <= set(allowed(["deployer-policy-reserve.json"]))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_names_of_the_program_are_those_that_the_policies_allow(layout):
    """A bucket, role, group, topic, alarm or log group named otherwise would be refused at AWS, not before."""
    for entry in graph_of(layout)["resources"]:
        kind, inputs = entry["type"].rpartition(":")[2], entry["inputs"]
        name = str(inputs.get("bucket") if kind == "Bucket" else inputs.get("name", ""))
        if kind == "LogGroup":
            assert name.startswith("/planner/")
        elif kind in ("Bucket", "Role", "InstanceProfile", "Policy", "Group", "Topic", "MetricAlarm", "Budget"):
            assert name.startswith("planner-"), entry["name"]
        if entry["type"] == "aws:iam/group:Group":
            assert inputs["path"] == "/planner/"
        if kind == "Bucket" and not entry["retain_on_delete"]:
            assert "-artefacts-" in name
