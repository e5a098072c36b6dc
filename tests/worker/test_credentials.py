"""Whose keys a container has, and how a request to EC2 is signed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as Keys
from fleet_pool.operate import s3
from fleet_pool.operate.imds import Metadata
from fleet_pool.operate.s3 import Credentials, credentials, signed
from fleet_pool.problems import NoCredentials
from fleet_pool.worker.give_back import terminate

from tests.pool.operate.answering import Say, answering, say_json

NOBODY = "http://127.0.0.1:9"  # the port "discard": nothing listens
ROLE = {"AccessKeyId": "AKIATASK", "SecretAccessKey": "x", "Token": "t", "Expiration": "2026-11-24T22:00:00Z"}


def test_a_container_has_the_keys_of_its_task_and_not_those_of_the_machine(monkeypatch):
    with answering(lambda asked: say_json(ROLE if asked.path == "/v2/credentials/1" else {})) as agent:
        monkeypatch.setattr(s3, "CONTAINER_ENDPOINT", agent.url)
        machine = Metadata(NOBODY)
        found = credentials({"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/credentials/1"}, machine)
        assert (found.key_id, found.token) == ("AKIATASK", "t")
        with pytest.raises(NoCredentials, match="IAM role of this job"):
            credentials({"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/other"}, machine)


def test_an_agent_that_does_not_answer_is_said(monkeypatch):
    monkeypatch.setattr(s3, "CONTAINER_ENDPOINT", NOBODY)
    with pytest.raises(NoCredentials, match="not to be had"):
        credentials({"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/x"}, Metadata(NOBODY))


def test_the_signature_of_a_request_to_ec2_is_botocores():
    url, body, at = "https://ec2.us-east-1.amazonaws.com/", b"Action=TerminateInstances", datetime.now(UTC)
    mine = signed(
        "POST", url, "us-east-1", Credentials(key_id="AKIAX", secret="s", token="t"), at, {"content-type": "a/b"}, body,
        "ec2",
    )  # fmt: skip
    request = AWSRequest(method="POST", url=url, data=body, headers={"content-type": "a/b"})
    request.headers["X-Amz-Content-SHA256"] = mine["x-amz-content-sha256"]
    auth = SigV4Auth(Keys("AKIAX", "s", "t"), "ec2", "us-east-1")
    request.context["timestamp"] = mine["x-amz-date"]
    request.headers["X-Amz-Date"] = mine["x-amz-date"]
    request.headers["X-Amz-Security-Token"] = "t"
    signature = auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)
    assert mine["authorization"].endswith(f"Signature={signature}")


@pytest.mark.parametrize(
    ("machine", "answer", "says"),
    [
        ("i-0a1", Say(), ""),
        ("i-0a1", Say(status=403, body=b"<Code>UnauthorizedOperation</Code>"), "UnauthorizedOperation"),
        ("some-host", Say(), "not an EC2 instance"),
    ],
)
def test_giving_a_machine_back(machine, answer, says):
    with answering(lambda asked: answer) as ec2:
        given = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1"}
        found = terminate(machine, {**given, "AWS_ENDPOINT_URL_EC2": ec2.url}, Metadata(NOBODY))
        assert says in found
        assert bool(found) is bool(says)
        sent = [asked.body.decode() for asked in ec2.asked]
        sent_by = [asked.headers["authorization"] for asked in ec2.asked]
    assert all("Credential=a/" in one for one in sent_by)
    assert sent == (
        [f"Action=TerminateInstances&InstanceId.1={machine}&Version=2016-11-15"] if machine == "i-0a1" else []
    )
