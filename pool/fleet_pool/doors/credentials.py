"""The job's token in the form in which AWS's SDKs ask a program for credentials (`credential_process`).

    python -m fleet_pool.doors.credentials

The engine's S3 door takes the token as an AWS session token (X-Amz-Security-Token), so a program that speaks S3 through
an SDK of AWS, such as JuiceFS, shows it to the pool. Nodes renew the token: the answer is valid for minutes, and the
program asks again.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import datetime, timedelta, timezone

from fleet_pool.problems import UsageProblem
from fleet_pool.tokens import FILE_VARIABLE, TOKEN_VARIABLE, job_token

VALID_MINUTES = 30  # nodes renew the token weeks before it ends


def answer(token: str, now: datetime) -> str:
    """What the SDK reads. The keys sign requests to the pool, which looks at the token alone."""
    expires = (now + timedelta(minutes=VALID_MINUTES)).astimezone(timezone.utc)
    return json.dumps(
        {
            "Version": 1,
            "AccessKeyId": "job",
            "SecretAccessKey": "unused",
            "SessionToken": token,
            "Expiration": expires.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
    )


def main() -> int:
    """The SDK shows what is on stderr where this fails."""
    try:
        token = job_token(os.environ)
    except UsageProblem as problem:
        print(f"credentials: {problem}", file=sys.stderr)
        return 1
    if not token:
        print(f"credentials: no token: set {FILE_VARIABLE} or {TOKEN_VARIABLE}", file=sys.stderr)
        return 1
    print(answer(token, datetime.now(timezone.utc)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
