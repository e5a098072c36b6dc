"""The door: every answer that is no whole answer is "not known", and the policy file is exactly what is called."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from botocore.exceptions import NoCredentialsError, ReadTimeoutError
from botocore.session import Session

from planner.account.patience import THROTTLED, Patience
from planner.check.calls import CALLS, asker, policy_text
from planner.check.line import POLICY, NotKnown
from planner.errors import CredentialsProblem
from tests.account.stubs import REGION, Cloud

ROOT = Path(__file__).resolve().parents[2]
QUICK = Patience(attempts=2, sleep=lambda _: None, say=lambda _: None)


# what IAM calls otherwise than the API does: Service Authorization Reference, "Actions defined by Amazon S3"
CALLED_OTHERWISE = {
    "s3:ListAllMyBuckets": "ListAllMyBuckets",
    "s3:GetAccountPublicAccessBlock": "GetAccountPublicAccessBlock",
    "s3:GetBucketPublicAccessBlock": "GetBucketPublicAccessBlock",
}


@pytest.fixture
def cloud() -> Cloud:
    return Cloud()


def asked(cloud: Cloud, action: str = "ec2:DescribeRegions", **arguments: object) -> object:
    return asker(cloud.client, REGION, QUICK)(action, **arguments)


def test_the_policy_file_is_what_the_table_gives():
    assert (ROOT / POLICY).read_text(encoding="utf-8") == policy_text(), "run python -m planner.check.calls"


def test_the_policy_allows_what_the_code_asks_and_nothing_else():
    """A second route: the actions written at each `ask(...)` of the source."""
    found = set()
    for path in (ROOT / "planner" / "check").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "ask":
                assert isinstance(node.args[0], ast.Constant), f"{path.name}:{node.lineno}: write the action out"
                found.add(node.args[0].value)
    allowed = json.loads((ROOT / POLICY).read_text(encoding="utf-8"))["Statement"][0]["Action"]
    assert found == set(allowed)


def test_no_other_file_of_the_room_reaches_aws():
    for path in (ROOT / "planner" / "check").glob("*.py"):
        if path.name != "calls.py":
            assert "aws_client" not in path.read_text(encoding="utf-8"), path.name


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.action)
def test_every_call_is_one_that_reads_with_a_key_of_its_response(call):
    """By botocore's own model: the operation is there, its answer has the key, its name says that it reads."""
    from botocore import xform_name

    model = Session().get_service_model(call.service)
    operation = next(name for name in model.operation_names if xform_name(name) == call.method)
    assert call.action.split(":")[1] == CALLED_OTHERWISE.get(call.action, operation)
    assert operation.startswith(("Get", "Describe", "List", "Simulate"))
    shape = model.operation_model(operation).output_shape
    assert shape is not None
    assert call.key in shape.members


def test_a_bucket_without_a_location_is_in_us_east_1(cloud):
    cloud.stub("s3").add_response("get_bucket_location", {}, {"Bucket": "corpus"})
    assert asked(cloud, "s3:GetBucketLocation", Bucket="corpus") == "us-east-1"


@pytest.mark.parametrize("code", sorted(THROTTLED))
def test_throttling_is_not_known(cloud, code):
    for _ in range(2):
        cloud.stub("ec2").add_client_error("describe_regions", code, "slowly")
    answer = asked(cloud)
    assert isinstance(answer, NotKnown)
    assert answer.may
    assert code in answer.why
    cloud.done()


@pytest.mark.parametrize("code", ["UnauthorizedOperation", "AccessDenied", "AccessDeniedException", "OptInRequired"])
def test_a_missing_right_is_not_known_and_says_which_policy(cloud, code):
    cloud.stub("ec2").add_client_error("describe_regions", code, "user of 111122223333 may not")
    answer = asked(cloud)
    assert isinstance(answer, NotKnown)
    assert not answer.may
    assert POLICY in answer.why
    assert "111122223333" not in answer.why


def test_half_an_answer_is_not_known(cloud):
    cloud.stub("ec2").add_response("describe_regions", {})
    answer = asked(cloud)
    assert isinstance(answer, NotKnown)
    assert "half an answer" in answer.why


def test_half_of_a_later_page_is_not_known(cloud):
    cloud.stub("ec2").add_response("describe_vpcs", {"Vpcs": [{"VpcId": "vpc-1"}], "NextToken": "more"})
    cloud.stub("ec2").add_response("describe_vpcs", {}, {"NextToken": "more"})
    assert isinstance(asked(cloud, "ec2:DescribeVpcs"), NotKnown)


def test_all_pages_are_one_answer(cloud):
    cloud.stub("ec2").add_response("describe_vpcs", {"Vpcs": [{"VpcId": "vpc-1"}], "NextToken": "more"})
    cloud.stub("ec2").add_response("describe_vpcs", {"Vpcs": [{"VpcId": "vpc-2"}]}, {"NextToken": "more"})
    assert asked(cloud, "ec2:DescribeVpcs") == [{"VpcId": "vpc-1"}, {"VpcId": "vpc-2"}]


def test_more_pages_of_a_call_without_pages_are_not_known(cloud):
    answer = {"CostAllocationTags": [], "NextToken": "more"}
    cloud.stub("ce").add_response("list_cost_allocation_tags", answer)
    found = asked(cloud, "ce:ListCostAllocationTags")
    assert found == [] or isinstance(found, NotKnown)
    if not cloud.stub("ce").client.can_paginate("list_cost_allocation_tags"):
        assert isinstance(found, NotKnown)


def test_expired_credentials_half_way_are_not_known_and_none_at_all_end_the_check(cloud):
    cloud.stub("ec2").add_client_error("describe_regions", "ExpiredToken", "expired")
    assert isinstance(asked(cloud), NotKnown)

    def nobody(service: str, region: str) -> object:
        raise CredentialsProblem(f"no credentials for {service} in {region}: {NoCredentialsError()}")

    with pytest.raises(CredentialsProblem):
        asker(nobody, REGION, QUICK)("sts:GetCallerIdentity")
    assert isinstance(asker(nobody, REGION, QUICK)("ec2:DescribeRegions"), NotKnown)


def test_silence_is_not_known(cloud, monkeypatch):
    client = cloud.stub("ec2").client

    def slow(**_: object) -> object:
        raise ReadTimeoutError(endpoint_url="https://example.invalid")

    monkeypatch.setattr(client, "describe_regions", slow)
    assert isinstance(asked(cloud), NotKnown)


def test_the_page_names_every_call_and_every_quota_code():
    import re

    from planner.check import quotas

    page = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    assert {call.action for call in CALLS} == set(re.findall(r"`([a-z0-9]+:[A-Z]\w+)`", page))
    code = (ROOT / "planner" / "check" / "quotas.py").read_text(encoding="utf-8")
    assert set(re.findall(r"L-[0-9A-F]{8}", code)) == set(re.findall(r"L-[0-9A-F]{8}", page))
    assert quotas.ADDRESSES.code in page
