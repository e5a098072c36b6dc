"""What the rehearsal asks of an AWS account, by the AWS CLI; and the budget that ends it."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

NO_INVOCATION = "InvocationDoesNotExist"  # Systems Manager knows a new command a moment later
NO_AGENT = "InvalidInstanceId"  # and a new node some minutes later
AGENT_MIN = 10
RUNNING = ("Pending", "InProgress", "Delayed")
DOCUMENT = "AWS-RunShellScript"
LONGEST_S = 300.0  # of a command whose answer is needed; programs that wait longer are run, not asked
LEAVE_MIN = 20  # for `pulumi destroy`, which has to fit into the budget


class Stop(Exception):
    """The rehearsal cannot go on: what happened, and what to do."""


class OverBudget(Stop):
    """The budget is spent, but for what the removal costs."""


class Budget:
    """Dollars from the moment at which `pulumi up` began. What is billed by use is some cents and not counted."""

    def __init__(self, limit_usd: float, usd_per_hour: float, begun: float | None = None) -> None:
        self.limit_usd, self.usd_per_hour, self.begun = limit_usd, usd_per_hour, begun

    @property
    def spent_usd(self) -> float:
        return 0.0 if self.begun is None else (time.time() - self.begun) / 3600 * self.usd_per_hour

    @property
    def ends(self) -> float:
        """When the removal has to begin, as seconds since 1970. Raises Stop before the price is known."""
        if self.usd_per_hour <= 0:
            raise Stop("the price is not known yet: begin with the step `check`")
        return (self.begun or time.time()) + self.limit_usd / self.usd_per_hour * 3600 - LEAVE_MIN * 60

    def check(self) -> None:
        """Raises OverBudget."""
        if self.begun is not None and time.time() > self.ends:
            raise OverBudget(f"${self.spent_usd:.2f} of ${self.limit_usd:.2f} are spent: the rest is for the removal")


def run(
    words: Sequence[str],
    *,
    check: Callable[[], None] = lambda: None,
    pace_s: float = 1.0,
    accepted: Sequence[int] = (0,),
) -> None:
    """A command with its output for the person. check: asked while it runs; what it raises ends the command by SIGINT,
    by which Pulumi finishes what it has begun and writes its state. Raises Stop if the command fails."""
    print("+", *words, flush=True)
    # a session of its own: Ctrl-C must reach it once, not once from the terminal and once from here
    process = subprocess.Popen(words, start_new_session=True)
    try:
        while process.poll() is None:
            check()
            time.sleep(min(pace_s, 1.0))
    except BaseException:
        process.send_signal(signal.SIGINT)
        print(f"waiting for {words[0]}, which has to write what it knows", flush=True)
        while process.poll() is None:
            with suppress(KeyboardInterrupt):  # a second Ctrl-C does not change that
                process.wait()
        raise
    if process.returncode not in accepted:
        raise Stop(f"`{words[0]} {words[1]}` failed with exit code {process.returncode}: the lines above say why")


def output(words: Sequence[str], *, accepted: Sequence[int] = (0,)) -> str:
    """Standard output of a command. Raises Stop with its last line."""
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=LONGEST_S
        )
    except FileNotFoundError:
        raise Stop(f"{words[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise Stop(f"`{' '.join(words[:3])}` did not answer within {LONGEST_S:g} s") from None
    if done.returncode not in accepted:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise Stop(f"`{' '.join(words[:3])}` failed: {last}")
    return done.stdout


class Account:
    """One Region of an account. patience: called while something is waited for; pace_s: between two looks."""

    def __init__(self, region: str, patience: Callable[[], None], pace_s: float) -> None:
        self.region, self.patience, self.pace_s = region, patience, pace_s

    def aws(self, *words: str) -> Any:
        """An answer of the AWS CLI; None if it says nothing. Raises Stop."""
        said = output(["aws", *words, "--region", self.region, "--output", "json"])
        try:
            return json.loads(said) if said.strip() else None
        except ValueError:
            raise Stop(f"`aws {' '.join(words[:2])}` answered what is no JSON: {said.strip()[:80]!r}") from None

    def wait(self, what: str, limit_min: float, look: Callable[[], str]) -> None:
        """Until `look` says nothing more; what it says is shown when it changes. Raises Stop after the limit."""
        until, shown = time.monotonic() + limit_min * 60, ""
        while said := look():
            if said.strip() and said != shown:
                print(f"  {said}", flush=True)
                shown = said
            if time.monotonic() > until:
                raise Stop(f"{what}: not after {limit_min:g} minutes ({said})")
            self.patience()
            time.sleep(self.pace_s)

    def image(self, parameter: str) -> str:
        return str(self.aws("ssm", "get-parameter", "--name", parameter)["Parameter"]["Value"])

    def zone_with(self, instance_type: str) -> str:
        where = ("--location-type", "availability-zone-id", "--filters", f"Name=instance-type,Values={instance_type}")
        found = self.aws("ec2", "describe-instance-type-offerings", *where)["InstanceTypeOfferings"]
        if not found:
            raise Stop(f"{self.region} does not offer {instance_type}: choose another Region with --region")
        return min(str(each["Location"]) for each in found)

    def exists(self, group: str) -> bool:
        found = self.aws("autoscaling", "describe-auto-scaling-groups", "--auto-scaling-group-names", group)
        return bool(found["AutoScalingGroups"])

    def one_in_service(self, group: str) -> str:
        """Raises Stop if there is none."""
        found = self.in_service(group)
        if not found:
            raise Stop(f"{group} has no node in service: --from ready waits for them")
        return found[0]

    def in_service(self, group: str) -> list[str]:
        """Instances that the group counts, sorted."""
        return sorted(id for id, state in self.members(group).items() if state == "InService")

    def control_node(self, stack: str) -> str:
        """One that runs: it alone may change the pool. Raises Stop if there is none."""
        wanted = {"tag:planner:stack": stack, "tag:planner:component": "pool", "instance-state-name": "running"}
        filters = json.dumps([{"Name": name, "Values": [value]} for name, value in wanted.items()])
        found = self.aws("ec2", "describe-instances", "--filters", filters)["Reservations"]
        if not found:
            raise Stop(f"no control node of {stack} runs")
        return str(found[0]["Instances"][0]["InstanceId"])

    def members(self, group: str) -> dict[str, str]:
        """Instance -> lifecycle state."""
        found = self.aws("autoscaling", "describe-auto-scaling-groups", "--auto-scaling-group-names", group)
        [described] = found["AutoScalingGroups"] or [{"Instances": []}]
        return {each["InstanceId"]: each["LifecycleState"] for each in described["Instances"]}

    def unprotect(self, group: str, instances: Sequence[str]) -> None:
        """Scale-in protection off, of what starts later and of these instances, which must be in service: else the dead
        man's switch would end nothing."""
        named = ("--auto-scaling-group-name", group)
        self.aws("autoscaling", "update-auto-scaling-group", *named, "--no-new-instances-protected-from-scale-in")
        if instances:
            ids = ("--instance-ids", *instances)
            self.aws("autoscaling", "set-instance-protection", *ids, *named, "--no-protected-from-scale-in")

    def end_at(self, group: str, moment: float) -> None:
        """The dead man's switch: the group goes to zero then, also if nobody runs this program any more."""
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
        action = ("--auto-scaling-group-name", group, "--scheduled-action-name", "rehearsal-ends", "--start-time", at)
        sizes = ("--min-size", "0", "--max-size", "0", "--desired-capacity", "0")
        self.aws("autoscaling", "put-scheduled-update-group-action", *action, *sizes)

    def upload(self, files: Sequence[Path], bucket: str, prefix: str) -> None:
        for path in files:
            copy = ["aws", "s3", "cp", "--only-show-errors", "--region", self.region]
            output([*copy, str(path), f"s3://{bucket}/{prefix}"])

    def keys(self, bucket: str, prefix: str) -> list[str]:
        found = self.aws("s3api", "list-objects-v2", "--bucket", bucket, "--prefix", prefix) or {}
        return [str(each["Key"]) for each in found.get("Contents") or ()]

    def on_node(self, instance: str, command: str, *, limit_min: float = 10) -> str:
        """What a command printed on a node, run as root by Systems Manager. Raises Stop if it fails."""
        given = json.dumps({"commands": [command], "executionTimeout": [str(int(limit_min * 60))]})
        words = ("--instance-ids", instance, "--document-name", DOCUMENT, "--parameters", given)
        sent: list[str] = []

        def send() -> str:
            try:
                sent.append(str(self.aws("ssm", "send-command", *words)["Command"]["CommandId"]))
            except Stop as problem:
                if NO_AGENT not in str(problem):
                    raise
                return f"Systems Manager does not know {instance} yet"
            return ""

        self.wait(f"Systems Manager's agent on {instance}", AGENT_MIN, send)
        [id] = sent
        found: dict[str, Any] = {}

        def look() -> str:
            with suppress(_Unknown):
                found.update(self._invocation(id, instance))
            return "" if found and found["Status"] not in RUNNING else " "

        self.wait(f"{command} on {instance}", limit_min + 1, look)
        if found["Status"] != "Success":
            raise Stop(f"on {instance}: {command}\n{found['StandardOutputContent']}{found['StandardErrorContent']}")
        return str(found["StandardOutputContent"])

    def _invocation(self, id: str, instance: str) -> dict[str, Any]:
        try:
            found: dict[str, Any] = self.aws(
                "ssm", "get-command-invocation", "--command-id", id, "--instance-id", instance
            )
        except Stop as problem:
            raise (_Unknown() if NO_INVOCATION in str(problem) else problem) from None
        return found


class _Unknown(Exception):
    pass
