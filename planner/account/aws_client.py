"""The only use of boto3 apart from prices: clients with time limits, and AWS's errors as the planner's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from planner.account.masking import masked
from planner.errors import AwsProblem, CredentialsProblem, UsageProblem
from planner.extras import how_to_install

GLOBAL_REGION = "us-east-1"  # the Region of services without one: budgets, cost anomalies, IAM
MakeClient = Callable[[str, str], Any]  # (service, Region) -> a client

# error codes for unknown credentials and missing permissions
DENIED = (
    "AccessDenied",
    "AccessDeniedException",
    "AuthFailure",
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidClientTokenId",
    "OptInRequired",
    "RequestExpired",
    "SignatureDoesNotMatch",
    "UnauthorizedOperation",
    "UnrecognizedClientException",
)


# error codes of an identity that AWS knows and that may not make this call
NOT_ALLOWED = ("AccessDenied", "AccessDeniedException", "OptInRequired", "UnauthorizedOperation")


class NotAllowed(CredentialsProblem):
    """The identity is known and lacks the permission of one call."""


class RefusedRequest(AwsProblem):
    """AWS answered with an error. code: AWS's word for it, as InvalidParameterValue."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


def client(service: str, region: str, *, attempts: int = 4) -> Any:
    """A client with time limits. Raises UsageProblem where boto3 is not installed, or CredentialsProblem."""
    try:
        import boto3
        from botocore.config import Config
    except ModuleNotFoundError as error:
        missing = f"this command calls AWS, but {error.name} is not installed"
        raise UsageProblem(f"{missing}: {how_to_install('aws')}") from None
    retries = {"total_max_attempts": attempts, "mode": "standard"}
    with aws_errors(f"{service} in {region}"):
        return boto3.client(
            service,
            region_name=region,
            config=Config(connect_timeout=5, read_timeout=30, retries=retries),  # type: ignore[arg-type]
        )


@contextmanager
def aws_errors(what: str, policies: str = "infra/deployer-policy-*.json") -> Iterator[None]:
    """Turn errors of AWS into the planner's. what: named in their text. policies: that list the calls it needs.
    Raises CredentialsProblem or AwsProblem."""
    from botocore.exceptions import (
        BotoCoreError,
        ClientError,
        CredentialRetrievalError,
        NoAuthTokenError,
        NoCredentialsError,
        PartialCredentialsError,
        ProfileNotFound,
        SSOError,
        TokenRetrievalError,
        UnauthorizedSSOTokenError,
    )
    from botocore.parsers import ResponseParserError  # no BotoCoreError: an answer of a proxy, such as a page

    unknown = (
        NoCredentialsError,
        PartialCredentialsError,
        CredentialRetrievalError,
        ProfileNotFound,
        NoAuthTokenError,
        TokenRetrievalError,
        SSOError,
        UnauthorizedSSOTokenError,
    )
    try:
        yield
    except ClientError as error:
        said = error.response.get("Error", {})
        code, message = said.get("Code", "no code"), masked(said.get("Message", "no message"))
        if code in DENIED:
            hint = f"`aws sts get-caller-identity` shows the identity; {policies} lists what it needs"
            problem = NotAllowed if code in NOT_ALLOWED else CredentialsProblem
            raise problem(f"AWS refuses {what}: {code}: {message}; {hint}") from None
        raise RefusedRequest(f"AWS failed at {what}: {code}: {message}", code) from None
    except unknown as error:
        hint = "`aws configure` or `aws sso login`, then `aws sts get-caller-identity`"
        raise CredentialsProblem(f"no credentials for {what}: {masked(str(error))}; {hint}") from None
    except BotoCoreError as error:
        raise AwsProblem(f"AWS could not be reached for {what}: {masked(str(error))}") from None
    except ResponseParserError:
        raise AwsProblem(f"AWS could not be reached for {what}: the answer did not come from AWS (a proxy?)") from None
