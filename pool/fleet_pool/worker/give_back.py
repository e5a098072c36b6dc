"""Gives a machine back to EC2. A machine that only refused jobs would stay free, so that the queue offers it the same
job again until that job's tries are used up (seen in the test with 200 jobs)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from urllib.parse import quote, urlencode

from fleet_pool.http_request import send
from fleet_pool.operate.imds import Metadata
from fleet_pool.operate.s3 import CONTAINER_VARIABLE, URL_VARIABLE, credentials, place, signed
from fleet_pool.problems import PoolProblem, Refused

ENDPOINT = "AWS_ENDPOINT_URL_EC2"  # the AWS SDKs' variable
VERSION = "2016-11-15"  # of the EC2 API
LIMIT_S = 20.0
OF_TASK = (CONTAINER_VARIABLE, URL_VARIABLE)


def terminate(machine: str, environment: Mapping[str, str], metadata: Metadata) -> str:
    """Terminates this instance; "" if EC2 has accepted it, else why not.

    By the instance's own role, which may end no other, and not by that of the jobs, which is the same on every node.
    """
    if not machine.startswith("i-"):
        return f"{machine} is not an EC2 instance"
    try:
        region = place(environment, metadata).region
        suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
        url = (environment.get(ENDPOINT) or f"https://ec2.{region}.{suffix}").rstrip("/") + "/"
        asked = {"Action": "TerminateInstances", "InstanceId.1": machine, "Version": VERSION}
        body = urlencode(sorted(asked.items()), quote_via=quote).encode()
        more = {"content-type": "application/x-www-form-urlencoded; charset=utf-8"}
        who = credentials({name: text for name, text in environment.items() if name not in OF_TASK}, metadata)
        headers = signed("POST", url, region, who, datetime.now(timezone.utc), more, body, "ec2")
        answer = send("POST", url, headers=headers, body=body, limit_s=LIMIT_S)
        if answer.status != 200:
            said = " ".join(answer.body[:300].decode("utf-8", "replace").split())
            raise Refused(f"EC2 refused TerminateInstances: HTTP {answer.status} {said}", answer.status)
    except PoolProblem as problem:
        return str(problem)
    return ""
