"""`planner`, whose questions to AWS the stand-in cloud answers; of nodes and groups, the test's own account."""

from __future__ import annotations

import json
import os
import re
import sys
import urllib.request
from pathlib import Path
from typing import Any

import boto3
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ClientError

from planner.account import aws_client
from planner.cli import main
from tests.engine.cloud.api import ANSWERS, Api
from tests.engine.cloud.store import Cloud


class Denying(Api):
    """What the stand-in cloud does not know, it may not say: `planner check` is not told."""

    def _answer(self, service: str, region: str, model: Any, context: dict[str, Any], **more: Any) -> Any:
        if (service, model.name) not in ANSWERS:
            return AWSResponse("", 403, {}, None), {"Error": {"Code": "AccessDenied", "Message": "a stand-in"}}
        return super()._answer(service, region, model, context, **more)


TOLD = {
    "describe_auto_scaling_groups": "AutoScalingGroupNames",
    "describe_instances": "InstanceIds",
    "get_command_invocation": "CommandId",
    "resume_processes": "ScalingProcesses",
    "send_command": "InstanceIds",
    "suspend_processes": "ScalingProcesses",
    "terminate_instances": "InstanceIds",
}  # method -> an argument without which it is the stand-in cloud's after all


class Told:
    """A client some of whose calls go to the test's account, in the words of the AWS CLI."""

    def __init__(self, service: str, others: Any) -> None:
        self._service, self._others = service, others

    def __getattr__(self, method: str) -> Any:
        other = getattr(self._others, method)
        if method not in TOLD:
            return other

        def call(**given: Any) -> Any:
            if TOLD[method] not in given:
                return other(**given)
            words = [self._service, method.replace("_", "-")]
            for name, value in given.items():
                words.append("--" + re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower())
                words += value if isinstance(value, list) else [json.dumps(value) if isinstance(value, dict) else value]
            asked = urllib.request.Request(os.environ["STAND_IN_ACCOUNT"], json.dumps(words).encode())
            with urllib.request.urlopen(asked, timeout=300) as answer:
                said = json.load(answer)
            if said["error"]:
                code = re.search(r"\((\w+)\)", said["error"])
                raise ClientError({"Error": {"Code": code[1] if code else "", "Message": said["error"]}}, method)
            return said["found"] or {}

        return call


def client(service: str, region: str, *, attempts: int = 4) -> Any:
    if service == "s3":
        return boto3.client("s3", region_name=region, endpoint_url=os.environ["STAND_IN_S3"])
    found = api.client(service, region)
    return Told(service, found) if service in ("ssm", "ec2", "autoscaling") else found


api = Denying(Cloud(Path(os.environ["STAND_IN_CLOUD"]) / "cloud.json"))
aws_client.client = client
main.run(sys.argv[1:])
