"""Calls that AWS throttles are made again, after longer and longer waits."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

THROTTLED = frozenset(
    {
        "EC2ThrottledException",
        "PriorRequestNotComplete",
        "RequestLimitExceeded",
        "ServiceUnavailable",
        "SlowDown",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
        "InternalErrorException",
        "InternalServerException",
        "RequestThrottledException",
    }
)
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 1.0, 60.0


@dataclass(frozen=True, kw_only=True)
class Patience:
    """attempts: calls of one request at most. sleep, say, spread: replaced in tests; spread gives 0 to 1."""

    attempts: int = 8
    sleep: Callable[[float], None] = time.sleep
    say: Callable[[str], None] = field(default=lambda _: None)
    spread: Callable[[], float] = random.random

    def call(self, what: str, operation: Callable[..., Any], **arguments: Any) -> Any:
        """The answer of an operation. Raises what it raises, once it is not throttling or the attempts are used up."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return operation(**arguments)
            except Exception as error:
                said = getattr(error, "response", None) or {}  # None: of a connection that broke
                code = said.get("Error", {}).get("Code", "")
                if code not in THROTTLED or attempt == self.attempts:
                    raise
                longest = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** (attempt - 1))
                wait = longest * (0.5 + self.spread() / 2)
                self.say(f"{what}: AWS answers {code}; asked again in {wait:.0f} s")
                self.sleep(wait)
