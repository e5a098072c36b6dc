"""The door to AWS: what it refuses and where it is silent as exit codes, and patience that ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from botocore.exceptions import EndpointConnectionError, NoCredentialsError, ReadTimeoutError
from botocore.parsers import ResponseParserError

from planner.account import aws_client
from planner.account.offers import zone_ids
from planner.errors import AwsProblem, CredentialsProblem, ExitCode, UsageProblem
from tests.account.stubs import REGION, Cloud


@pytest.fixture
def cloud() -> Cloud:
    return Cloud()


@pytest.mark.parametrize("code", aws_client.DENIED)
def test_who_may_not_gets_3(cloud, code):
    cloud.stub("ec2").add_client_error("describe_availability_zones", code, "no")
    with pytest.raises(CredentialsProblem, match=f"refuses its zones: {code}: no") as caught:
        zone_ids(cloud.stub("ec2").client)
    assert caught.value.exit_code == ExitCode.CREDENTIALS


def test_what_fails_gets_4(cloud):
    cloud.stub("ec2").add_client_error("describe_availability_zones", "Throttling", "slowly")
    with pytest.raises(AwsProblem, match="failed at its zones: Throttling: slowly") as caught:
        zone_ids(cloud.stub("ec2").client)
    assert caught.value.exit_code == ExitCode.AWS


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (NoCredentialsError(), CredentialsProblem),
        (EndpointConnectionError(endpoint_url="https://x"), AwsProblem),
        (ReadTimeoutError(endpoint_url="https://x"), AwsProblem),
        (ResponseParserError("Unable to parse response: <!doctype html>"), AwsProblem),
    ],
)
def test_errors_before_any_answer(raised, expected):
    with pytest.raises(expected), aws_client.aws_errors("anything"):
        raise raised


def test_patience_ends():
    config = aws_client.client("ec2", REGION, attempts=1).meta.config
    assert (config.connect_timeout, config.read_timeout) == (5, 30)
    assert config.retries["total_max_attempts"] == 1


def test_without_boto3_the_extra_to_install_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(UsageProblem, match="boto3 is not installed: "):
        aws_client.client("ec2", REGION)


def test_boto3_is_loaded_by_a_call_and_by_no_import():
    names = [f"planner.account.{path.stem}" for path in Path(aws_client.__file__).parent.glob("[!_]*.py")]
    assert "planner.account.stack_resources" in names
    code = f"import sys; import {', '.join(names)}; print([m for m in sys.modules if m.startswith('boto')])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
