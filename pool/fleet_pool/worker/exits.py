"""Why a try of a job ended, what that counts for, and what the batch service does next. Pure.

The service sees an exit code or a reason of its own, never more: `RULES` are its retry strategy, and an exit code here
is the message to it.
"""

from __future__ import annotations

from fleet_pool.compat import frozen
from fleet_pool.problems import Code

DONE, FAILED, STALLED, HANDED_OVER, SUPERSEDED, REFUSED, DEAD = (
    "done",
    "failed",
    "stalled",
    "handed-over",
    "superseded",
    "refused",
    "dead",
)
# 70, 75 as sysexits.h has them: internal software error, temporary failure
CODES = {DONE: 0, FAILED: 1, STALLED: 1, HANDED_OVER: 75, SUPERSEDED: 75, REFUSED: 76, DEAD: 70}

RETRY, EXIT = "RETRY", "EXIT"
MOST_TRIES = 10  # of one submission, whatever the reasons (AWS Batch User Guide, "Automated job retries")


@frozen
class Rule:
    """One entry of a retry strategy; of the three conditions one is given. Texts may end in `*`."""

    action: str
    on_status_reason: str = ""
    on_exit_code: str = ""
    on_reason: str = ""


# the first that matches counts; at most 5 (AWS Batch API reference, RetryStrategy)
RULES = (
    Rule(action=RETRY, on_status_reason="Host EC2*"),  # the machine was interrupted or has failed
    Rule(action=EXIT, on_exit_code=str(CODES[DEAD])),
    Rule(action=EXIT, on_exit_code=str(int(Code.USAGE))),  # a wrong list or index is wrong on every machine
    Rule(action=RETRY, on_reason="*"),
)


@frozen
class Verdict:
    """kind: why the try ended. counts: whether it counts against the job and the machine. why: for people."""

    kind: str
    counts: bool
    why: str

    @property
    def code(self) -> int:
        return CODES[self.kind]


def verdict(
    *,
    code: int,
    stopped: bool,
    notice: str = "",
    superseded: bool = False,
    stalled_s: float = 0.0,
    trouble: str = "",
    failures: int,
    most_failures: int,
) -> Verdict:
    """How a try ended whose command has exited.

    code: of the command, as a shell reports it. stopped: the worker ended it: many commands exit with 0 then, done or
    not. notice: why the machine goes, "" if it stays. stalled_s: how long there was no progress when the command was
    ended for it, else 0. trouble: what went wrong beside the command, so that the job is not done; it says more than
    an exit code. failures: earlier tries of the job that count.
    """
    if superseded:
        return Verdict(kind=SUPERSEDED, counts=False, why="a newer try of this job runs elsewhere")
    if code == 0 and not stopped and not trouble:
        return Verdict(kind=DONE, counts=False, why="the command succeeded")
    if notice:
        return Verdict(kind=HANDED_OVER, counts=False, why=notice)
    why = f"no progress for {stalled_s:.0f} s" if stalled_s else f"the command ended with exit code {code}"
    if code == 137 and not stalled_s:
        why += " (killed; out of memory?)"
    if trouble:
        why = trouble if code == 0 and not stopped else f"{why}; {trouble}"
    if failures + 1 >= most_failures:
        return Verdict(kind=DEAD, counts=True, why=f"failed {failures + 1} times; at last: {why}")
    return Verdict(kind=STALLED if stalled_s else FAILED, counts=True, why=why)


def action_of(*, exit_code: int | None, status_reason: str = "", reason: str = "") -> str:
    """What the service does after a try that did not succeed, by RULES. exit_code: None if the container has none."""

    def matches(pattern: str, text: str) -> bool:
        return text.startswith(pattern[:-1]) if pattern.endswith("*") else text == pattern

    for rule in RULES:
        if rule.on_status_reason and not matches(rule.on_status_reason, status_reason):
            continue
        if rule.on_exit_code and (exit_code is None or not matches(rule.on_exit_code, str(exit_code))):
            continue
        if rule.on_reason and not matches(rule.on_reason, reason):
            continue
        return rule.action
    return RETRY
