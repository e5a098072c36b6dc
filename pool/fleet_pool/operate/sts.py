"""Two questions to AWS STS, with a node's role and the standard library: who am I, and the keys of another role."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from datetime import datetime, timezone
from urllib.parse import urlencode

from fleet_pool.compat import frozen
from fleet_pool.http_request import send
from fleet_pool.operate.s3 import Credentials, signed
from fleet_pool.problems import NoCredentials, Refused

ENDPOINT_VARIABLE = "AWS_ENDPOINT_URL_STS"  # the AWS SDKs' own
LIMIT_S = 10.0
VERSION = "2011-06-15"  # of the API
FORM = "application/x-www-form-urlencoded"


@frozen
class Assumed:
    """The keys of a role. ends: when they expire."""

    who: Credentials
    ends: datetime


class Sts:
    """STS of one Region, asked with `who`."""

    def __init__(self, environment: Mapping[str, str], region: str, who: Credentials) -> None:
        suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
        self._url = (environment.get(ENDPOINT_VARIABLE) or f"https://sts.{region}.{suffix}").rstrip("/") + "/"
        self._region, self._who = region, who

    def user_id(self) -> str:
        """ROLEID:INSTANCE for an instance's role: what IAM policies call aws:userid. Raises as `assume`."""
        return _text(self._ask({"Action": "GetCallerIdentity"}), "UserId")

    def assume(self, role: str, session: str, seconds: int) -> Assumed:
        """Keys of a role, by its ARN. Raises NoCredentials (STS refuses), Refused or Unreachable."""
        asked = {"Action": "AssumeRole", "RoleArn": role, "RoleSessionName": session, "DurationSeconds": str(seconds)}
        found = self._ask(asked)
        names = ("AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration")
        key_id, secret, token, ends = (_text(found, name) for name in names)
        at = datetime.strptime(ends[:19], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
        return Assumed(who=Credentials(key_id=key_id, secret=secret, token=token), ends=at)

    def _ask(self, question: Mapping[str, str]) -> ElementTree.Element:
        body = urlencode({**question, "Version": VERSION}).encode()
        more, now = {"content-type": FORM}, datetime.now(timezone.utc)
        headers = signed("POST", self._url, self._region, self._who, now, more, body, service="sts")
        answer = send("POST", self._url, headers=headers, body=body, limit_s=LIMIT_S)
        try:
            found = ElementTree.fromstring(answer.body)
        except ElementTree.ParseError:
            raise Refused(f"{self._url} is not STS: its answer is not XML", answer.status) from None
        if answer.status == 200:
            return found
        said = f"STS refuses {question['Action']}: {found.findtext('.//{*}Message') or f'HTTP {answer.status}'}"
        raise NoCredentials(said) if answer.status in (400, 401, 403) else Refused(said, answer.status)


def _text(found: ElementTree.Element, name: str) -> str:
    text = found.findtext(f".//{{*}}{name}")
    if not text:
        raise Refused(f"the answer of STS has no {name}", 200)
    return text
