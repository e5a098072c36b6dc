"""One signed GET to S3 itself, bypassing the pool, with a node's role and the standard library.

The signature is AWS's Signature Version 4 (IAM User Guide, "Create a signed AWS API request"). The check that S3 has
an object must not depend on a tool that a node may lack.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import shutil
import subprocess
from collections.abc import Mapping
from datetime import datetime, timezone
from urllib.parse import quote, urlsplit

from fleet_pool.compat import frozen
from fleet_pool.http_request import send
from fleet_pool.operate.imds import DISABLED_VARIABLE, Metadata
from fleet_pool.problems import NoCredentials, PoolProblem, Refused, Unreachable, UsageProblem

# Amazon ECS Developer Guide, "Task IAM role": the agent answers containers at this address
CONTAINER_VARIABLE, CONTAINER_ENDPOINT = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "http://169.254.170.2"
# AWS SDKs and Tools Reference Guide, "Container credential provider": any other URL, with what to show there
URL_VARIABLE, SHOWN_VARIABLE = "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_AUTHORIZATION_TOKEN"
ROLE_PATH = "meta-data/iam/security-credentials/"
REGION_PATH = "meta-data/placement/region"
CLI_LIMIT_S = 30.0
TASK_LIMIT_S = 5.0


@frozen
class Credentials:
    """token: "" for a key that is not temporary."""

    key_id: str
    secret: str
    token: str

    def __repr__(self) -> str:
        return f"Credentials({self.key_id[:4]}...)"  # so that a secret is never printed by mistake


@frozen
class Place:
    """Where S3 is. endpoint: "" for AWS; any other is used path-style (http://host/bucket/key)."""

    region: str
    endpoint: str


def credentials(environment: Mapping[str, str], metadata: Metadata) -> Credentials:
    """From the environment, else from AWS_PROFILE by the AWS CLI, else from the role of the container's task or of a
    node's jobs, else from the instance's.

    Raises NoCredentials.
    """
    if environment.get("AWS_ACCESS_KEY_ID") and environment.get("AWS_SECRET_ACCESS_KEY"):
        return Credentials(
            key_id=environment["AWS_ACCESS_KEY_ID"],
            secret=environment["AWS_SECRET_ACCESS_KEY"],
            token=environment.get("AWS_SESSION_TOKEN", ""),
        )
    if environment.get("AWS_PROFILE"):
        return _of_profile(environment["AWS_PROFILE"])
    if environment.get(CONTAINER_VARIABLE):
        return _of_task(CONTAINER_ENDPOINT + environment[CONTAINER_VARIABLE], "")
    if environment.get(URL_VARIABLE):
        return _of_task(environment[URL_VARIABLE], environment.get(SHOWN_VARIABLE, ""))
    if environment.get(DISABLED_VARIABLE, "").lower() != "true":
        try:
            return _of_role(metadata)
        except PoolProblem as error:
            raise NoCredentials(f"no AWS credentials: no AWS_ACCESS_KEY_ID, no AWS_PROFILE, and {error}") from None
    raise NoCredentials("no AWS credentials: no AWS_ACCESS_KEY_ID, no AWS_PROFILE, and IMDS is disabled")


def place(environment: Mapping[str, str], metadata: Metadata) -> Place:
    """Region and endpoint, as the AWS SDKs find them. Raises UsageProblem."""
    endpoint = environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL") or ""
    region = environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION") or ""
    if not region and environment.get(DISABLED_VARIABLE, "").lower() != "true":
        try:
            region = metadata.get(REGION_PATH) or ""
        except PoolProblem:
            region = ""
    if not region:
        raise UsageProblem("unknown Region: set AWS_REGION to the bucket's, such as us-east-1")
    return Place(region=region, endpoint=endpoint.rstrip("/"))


def get(where: Place, who: Credentials, bucket: str, key: str, *, limit_s: float) -> bytes:
    """An object's bytes from S3 itself. Raises NoCredentials, Refused (404: S3 has no such object) or Unreachable."""
    url = object_url(where, bucket, key)
    headers = signed("GET", url, where.region, who, datetime.now(timezone.utc))
    answer = send("GET", url, headers=headers, limit_s=limit_s)
    if answer.status == 200:
        return answer.body
    said = " ".join(answer.body[:300].decode("utf-8", "replace").split())
    if answer.status in (401, 403):
        raise NoCredentials(f"S3 denies {who.key_id[:4]}... access to {bucket}/{key}: {said or answer.status}")
    if answer.status in (301, 307):
        raise Refused(f"bucket {bucket} is not in {where.region}: set AWS_REGION to its Region", answer.status)
    raise Refused(f"S3 refused GET {bucket}/{key}: HTTP {answer.status} {said}", answer.status)


def object_url(where: Place, bucket: str, key: str) -> str:
    """With the bucket in the host name at AWS; path-style elsewhere, and if a dot in the name would break TLS."""
    path = quote(key, safe="/-_.~")
    if where.endpoint:
        return f"{where.endpoint}/{bucket}/{path}"
    suffix = "amazonaws.com.cn" if where.region.startswith("cn-") else "amazonaws.com"
    if "." in bucket:
        return f"https://s3.{where.region}.{suffix}/{bucket}/{path}"
    return f"https://{bucket}.s3.{where.region}.{suffix}/{path}"


def signed(
    method: str,
    url: str,
    region: str,
    who: Credentials,
    at: datetime,
    more: Mapping[str, str] | None = None,
    body: bytes = b"",
    service: str = "s3",
) -> dict[str, str]:
    """Headers that sign a request. more: other headers to sign. A query must be encoded and sorted already. Pure."""
    parts = urlsplit(url)
    stamp, day = at.strftime("%Y%m%dT%H%M%SZ"), at.strftime("%Y%m%d")
    payload = hashlib.sha256(body).hexdigest()
    headers = {"host": parts.netloc, "x-amz-content-sha256": payload, "x-amz-date": stamp}
    headers.update({name.lower(): value.strip() for name, value in (more or {}).items()})
    if who.token:
        headers["x-amz-security-token"] = who.token
    names = ";".join(sorted(headers))
    listed = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    request = "\n".join((method, parts.path or "/", parts.query, listed, names, payload))
    scope = f"{day}/{region}/{service}/aws4_request"
    text = "\n".join(("AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(request.encode()).hexdigest()))
    key = f"AWS4{who.secret}".encode()
    for word in (day, region, service, "aws4_request"):
        key = hmac.new(key, word.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    proof = f"AWS4-HMAC-SHA256 Credential={who.key_id}/{scope}, SignedHeaders={names}, Signature={signature}"
    return {**headers, "authorization": proof}


def _of_task(url: str, shown: str) -> Credentials:
    """Never the instance's instead: a task's role is the narrower one."""
    try:
        answer = send("GET", url, headers={"Authorization": shown} if shown else {}, limit_s=TASK_LIMIT_S)
    except Unreachable as error:
        raise NoCredentials(f"no AWS credentials: the role of this job is not to be had: {error}") from None
    said = " ".join(answer.body[:300].decode("utf-8", "replace").split()) if answer.status != 200 else ""
    otherwise = f"the IAM role of this job gives no key: {said or f'HTTP {answer.status}'}"
    return _keys(answer.body.decode("utf-8", "replace"), otherwise)


def _of_role(metadata: Metadata) -> Credentials:
    role = (metadata.get(ROLE_PATH) or "").splitlines()
    text = metadata.get(ROLE_PATH + role[0]) if role else None
    if text is None:
        raise NoCredentials("the instance has no IAM role")
    return _keys(text, "the instance's IAM role gives no key")


def _keys(text: str, otherwise: str) -> Credentials:
    try:
        found = json.loads(text)
        return Credentials(key_id=found["AccessKeyId"], secret=found["SecretAccessKey"], token=found["Token"])
    except (ValueError, KeyError, TypeError):
        raise NoCredentials(otherwise) from None


def _of_profile(profile: str) -> Credentials:
    if shutil.which("aws") is None:
        raise NoCredentials(f"AWS_PROFILE is {profile}, but the AWS CLI, which reads it, is not installed")
    words = ["aws", "configure", "export-credentials", "--format", "process"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=CLI_LIMIT_S, check=False)
        found = json.loads(done.stdout)
        return Credentials(
            key_id=found["AccessKeyId"], secret=found["SecretAccessKey"], token=found.get("SessionToken") or ""
        )
    except subprocess.TimeoutExpired:
        raise NoCredentials(f"the AWS CLI gave no credentials for profile {profile} within {CLI_LIMIT_S:g} s") from None
    except (ValueError, KeyError, TypeError):
        raise NoCredentials(f"the AWS CLI has no credentials for profile {profile}: try `aws sso login`") from None
