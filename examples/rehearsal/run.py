"""The dress rehearsal: one small stack on an account, from the plan to its removal, within a budget.

    python examples/rehearsal/run.py --notify you@example.org

It stands three g6.8xlarge up with a converged pool, looks at them, measures them beside the plan, runs a job on all of
them, ends one by force, sees the job resume, and removes everything. Whatever fails, it removes what it made, unless
--keep is given; run again with `--from STEP` it goes on where it was. What it saw is in evidence.json at the end.
docs/rehearsal-on-an-account.md has what each step prints and costs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import job
from account import Account, Budget, OverBudget, Stop, output, run

HERE = Path(__file__).resolve().parent
PLAN = HERE.parent / "rehearsal.yaml"
SCENARIO, TYPE, NODES = "converged/g6.8xlarge/on-demand", "g6.8xlarge", 3
IMAGE = "/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-24.04/latest/ami-id"
CONTROL_IMAGE = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64"
CODE, NAME = "checkpoints/rehearsal-code/", "rehearsal"
POOL = "set -a; . /etc/planner/pool.env; set +a; python3 /opt/planner/planner-pool.pyz"
STEPS = ("check", "up", "ready", "canary", "acceptance", "job", "loss", "resume", "destroy", "teardown")
OVER, FAILED, INTERRUPTED, BLOCKED = 10, 1, 130, 13
CHECKED, ACCEPTED, EVIDENCE = "check.json", "acceptance.json", "evidence.json"
LOOK_S = 15.0  # between two looks for the group


class Walk:
    """One rehearsal. Its notes (what `up` cost and when it began) are in the stack's folder, for --from."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given, self.folder = given, given.folder.resolve()
        self.notes_file = self.folder / "rehearsal.json"
        self.notes = json.loads(self.notes_file.read_text()) if self.notes_file.is_file() else {}
        if "destroyed" in self.notes:  # an earlier rehearsal, which is over
            self.notes = {name: value for name, value in self.notes.items() if name == "usd_per_hour"}
        self.folder.mkdir(parents=True, exist_ok=True)
        os.chdir(self.folder)  # where `planner` looks for the stack file
        self.budget = Budget(given.budget, self.notes.get("usd_per_hour", 0.0), self.notes.get("begun"))
        self.account = Account(given.region, self.budget.check, given.pace_s)
        found = shutil.which("planner")
        self.planner = [found] if found else [sys.executable, "-m", "planner"]
        # Pulumi takes the python3 on PATH, which has to be the one with the planner
        os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        self._looked = 0.0

    def note(self, **more: object) -> None:
        self.notes.update(more)
        self.notes_file.write_text(json.dumps(self.notes, indent=2) + "\n")

    def evidence(self, step: str, seconds: float, problem: str = "") -> None:
        """One file for all that was seen, whole after each step; a second try of a step is another entry."""
        entry = {"step": step, "ended": _now(), "seconds": round(seconds, 1), "usd": round(self.budget.spent_usd, 4)}
        self.note(steps=[*self.notes.get("steps", ()), {**entry, "problem": problem}])
        found = {
            "schema_version": "1",
            "stack": self.given.stack,
            "region": self.given.region,
            "budget_usd": self.given.budget,
            **{name: self.notes.get(name) for name in ("usd_per_hour", "lost", "resumed", "left", "steps")},
            "check": self._json(CHECKED),
            "acceptance": self._json(ACCEPTED),
        }
        (self.folder / EVIDENCE).write_text(json.dumps(found, indent=2) + "\n")

    def _json(self, name: str) -> Any:
        path = self.folder / name
        return json.loads(path.read_text()) if path.is_file() else None

    @property
    def group(self) -> str:
        return f"planner-{self.given.stack}-fleet-group"

    @property
    def bucket(self) -> str:
        return str(json.loads(self.pulumi_says("stack", "output", "--json"))["data_bucket"])

    @property
    def plan(self) -> list[str]:
        return [str(PLAN), "--set", f"region={self.given.region}"]

    @property
    def where(self) -> list[str]:
        return ["--scenario", SCENARIO, "--stack", self.given.stack]

    def pulumi(self, *words: str) -> list[str]:
        return ["pulumi", "-C", str(self.folder), *words, "--stack", self.given.stack]

    def pulumi_says(self, *words: str) -> str:
        return output(self.pulumi(*words))

    # the steps, each named after what a person types

    def check(self) -> None:
        """Free: the plan, the price, the stack file against both, and lint."""
        for program in ("aws", "pulumi"):
            if not shutil.which(program):
                raise Stop(f"{program} is not on PATH: docs/operations.md says where it comes from")
        if not any(name in os.environ for name in ("PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE")):
            raise Stop("set PULUMI_CONFIG_PASSPHRASE, by which Pulumi encrypts secrets in the stack's state")
        output(["pulumi", "whoami", "--non-interactive"])  # logged in, to whatever backend
        output(["aws", "sts", "get-caller-identity"])
        if "begun" not in self.notes and self.account.exists(self.group):
            raise Stop(f"{self.group} stands already: go on in its folder, or take another --stack")
        for name in (CHECKED, ACCEPTED):  # of an earlier rehearsal
            (self.folder / name).unlink(missing_ok=True)
        given, plan = self.given, self.plan
        run([*self.planner, "compare", *plan])
        ids = {
            "--ami": given.ami or self.account.image(IMAGE),
            "--control-ami": given.control_ami or self.account.image(CONTROL_IMAGE),
            "--zone-id": given.zone_id or self.account.zone_with(TYPE),
            "--notify": given.notify,
        }
        words = [word for pair in ids.items() for word in pair]
        where = self.where
        # once a fleet was asked for, all of its nodes may stand already
        canary = [] if "begun" in self.notes else ["--canary"]
        run([*self.planner, "stack", *plan, *where, "--out", ".", *words, *canary])
        run([*self.planner, "stack", *plan, *where, "--out", ".", "--check"])
        run([*self.planner, "lint", *plan, *where])
        output([*self.planner, "check", *plan, *where, "-f", "json", "-o", CHECKED], accepted=(0, BLOCKED))
        for line in self._json(CHECKED)["lines"]:
            if line["state"] == "blocks":
                raise Stop(f"{line['asked']}: {line['said']} ({line['mends'] or line['means']})")
        usd = self.usd_per_hour()
        self.note(usd_per_hour=usd)
        self.budget.usd_per_hour = usd
        if self.budget.ends - time.time() < 30 * 60:
            raise Stop(
                f"${given.budget:.2f} at ${usd:.2f} an hour leave less than half an hour: give a larger --budget"
            )
        minutes = (self.budget.ends - time.time()) / 60
        print(f"  ${usd:.4f} an hour; ${given.budget:.2f} leave {minutes:.0f} minutes before the removal")

    def usd_per_hour(self) -> float:
        """Of everything that stands, from the resource graph of the stack file."""
        said = output([*self.planner, "preview", *self.plan, *self.where, "-f", "json"])
        return float(sum(each["usd_per_hour"] for each in json.loads(said)["resources"]))

    def up(self) -> None:
        """Billing starts."""
        output(self.pulumi("stack", "select", "--create"))
        self.note(begun=self.notes.get("begun", time.time()))  # a second try goes on with the same money
        self.budget.begun = self.notes["begun"]
        switched = False

        def watch() -> None:
            """The dead man's switch as soon as there is a group, while `pulumi up` still runs."""
            nonlocal switched
            self.budget.check()
            if not switched and time.monotonic() - self._looked > LOOK_S:
                self._looked = time.monotonic()
                with suppress(Stop):
                    switched = self.switch()

        try:
            run(self.pulumi("up", "--yes", "--skip-preview"), check=watch)
        finally:
            with suppress(Stop):
                switched = self.switch() or switched
        if not switched:
            raise Stop("the scheduled action that ends the nodes could not be set")
        print("  the group goes to zero with the budget; its nodes can end once `ready` has seen them in service")

    def switch(self) -> bool:
        """The group ends with the budget, and nodes that start from now on may end; whether there is a group."""
        if not self.account.exists(self.group):
            return False
        self.account.end_at(self.group, self.budget.ends)
        self.account.unprotect(self.group, ())
        return True

    def ready(self) -> None:
        """The canary has looked at itself and is in service; then all nodes."""

        free: set[str] = set()

        def look(wanted: int) -> str:
            members = self.account.members(self.group)
            there = {node for node, state in members.items() if state == "InService"}
            if there - free:  # the dead man's switch ends no protected node; AWS changes it in service alone
                self.account.unprotect(self.group, sorted(there - free))
                free.update(there)
            return "" if len(there) >= wanted else f"{len(there)} of {wanted} in service {sorted(members.values())}"

        try:
            self.account.wait("the canary", 30, lambda: look(1))
            run([*self.planner, "stack", *self.plan, *self.where, "--out", "."])
            run(self.pulumi("up", "--yes", "--skip-preview"), check=self.budget.check)
            self.account.unprotect(self.group, ())  # `pulumi up` says of the group that its new nodes are protected
            self.account.wait("the nodes", 30, lambda: look(NODES))
        finally:
            with suppress(Stop):  # what went wrong is said whether or not the logs can be listed
                for key in self.account.keys(self.bucket, "boot-logs/"):
                    print(f"  what a node said: aws s3 cp s3://{self.bucket}/{key} -")

    def canary(self) -> None:
        """An object through every part of the pool, from every node."""
        control = self.account.control_node(self.given.stack)
        print(self.account.on_node(control, f"{POOL} register $PLANNER_POOL_BUCKET --kind dataset"))
        for node in self.account.in_service(self.group):
            print(f"  {node}", flush=True)
            print(self.account.on_node(node, "planner-ready --wait-s 60"))
            print(self.account.on_node(node, f"{POOL} canary $PLANNER_POOL_BUCKET"))
        print(self.account.on_node(control, f"{POOL} status --targets {NODES}"))

    def acceptance(self) -> None:
        """What stands, beside its plan: a miss is said and does not end the rehearsal."""
        words = ["acceptance", *self.plan, *self.where, "-f", "json", "-o", ACCEPTED, "--measured", "measured.yaml"]
        run([*self.planner, *words], check=self.budget.check, accepted=(0, BLOCKED))
        for line in self._json(ACCEPTED)["lines"]:
            print("  " + f"{line['state']} {line['id']}: {line['said']}; {line['means']}".rstrip("; "))

    def job(self) -> None:
        """One command on all nodes; it runs until its last step."""
        node = self.account.one_in_service(self.group)
        version = self.account.on_node(node, 'python3 -c "import platform; print(platform.python_version())"')
        archive = self.packed(version.rpartition(".")[0])
        self.account.upload((archive, HERE / "job.py"), self.bucket, CODE)
        sync = f"aws s3 sync --only-show-errors s3://{self.bucket}/{CODE} ."
        fetch = f'cd "$(mktemp -d)" && {sync} && tar -xzf {archive.name}'
        start = f"PYTHONPATH=lib exec python3 job.py --steps {self.given.steps}"
        options = f"--nodes {NODES} --name {NAME} --node-s 20 --folder /tmp --detach"
        launch = f"planner-launch {options} -- sh -c '{fetch} && {start}'"
        print(self.account.on_node(node, f"{launch} 2>&1"))
        self.account.wait("the first COMMIT", 15, lambda: "" if self.committed() else "no COMMIT yet")
        print(f"  step {self.committed()[-1]} is committed")

    def packed(self, version: str) -> Path:
        """The pool's client with what it needs, for a node's Python: nodes install nothing themselves."""
        lib, pip = self.folder / "lib", [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        shutil.rmtree(lib, ignore_errors=True)
        run([*pip, "wheel", "--no-deps", "--wheel-dir", str(self.folder), str(HERE.parent.parent / "pool")])
        [wheel] = self.folder.glob("fleet_pool-*.whl")
        built = ["--only-binary=:all:", "--platform", "manylinux2014_x86_64", "--python-version", version]
        run([*pip, "install", "--target", str(lib), *built, f"{wheel}[client]"])
        return Path(shutil.make_archive(str(self.folder / "lib"), "gztar", self.folder, "lib"))

    def committed(self) -> list[int]:
        keys = self.account.keys(self.bucket, f"checkpoints/{NAME}/")
        return sorted(int(key.split("/")[-2].partition("-")[2]) for key in keys if key.endswith("/COMMIT"))

    def loss(self) -> None:
        """A node is ended by force while the job runs, and the group replaces it."""
        before, steps = self.account.in_service(self.group), self.committed()
        if not before or not steps:
            raise Stop("no node is in service, or no step is committed: --from job starts the job again")
        print(f"  {before[-1]} ends after step {steps[-1]}", flush=True)
        swap = ["node", "swap", "--stack", self.given.stack, "--node", before[-1], "--limit-min", "30"]
        run([*self.planner, *swap], check=self.budget.check)
        self.note(lost={"node": before[-1], "after_step": steps[-1]})
        self.account.unprotect(self.group, self.account.in_service(self.group))

    def resume(self) -> None:
        """The job ends where an undisturbed one would."""
        node = self.account.one_in_service(self.group)
        print(self.account.on_node(node, "planner-launch attach 2>&1", limit_min=40))
        last = max(self.committed(), default=0)
        if last != self.given.steps:
            raise Stop(f"the last COMMIT is of step {last}, not {self.given.steps}")
        commit = f"s3://{self.bucket}/checkpoints/{NAME}/step-{last:012d}/COMMIT"
        found = json.loads(output(["aws", "s3", "cp", "--region", self.given.region, commit, "-"]))["notes"]["checksum"]
        if found != job.final(self.given.steps, NODES):
            raise Stop(f"the sum after step {last} is not that of an undisturbed run: {found}")
        print(f"  the sum after step {last} is that of an undisturbed run")
        self.note(resumed={"last_step": last, "checksum": found})

    def destroy(self) -> None:
        """Everything but the data bucket and its key."""
        for again in (True, True, False):
            try:
                run(self.pulumi("destroy", "--yes", "--skip-preview", "--exclude-protected"))
                break
            except Stop as problem:  # a lock that `up` left, or something that AWS has not let go of yet
                if not again:
                    raise
                print(f"  {problem}; once more", flush=True)
                time.sleep(2 * self.given.pace_s)
                with suppress(Stop):
                    output(self.pulumi("cancel", "--yes"))
        self.note(destroyed=time.time())

    def teardown(self) -> None:
        """Nothing is left that nobody wants to keep. What has just ended may be listed for some minutes."""
        of = ["--stack", self.given.stack, "--from-tags", "--region", self.given.region]
        words = [*self.planner, "teardown-check", *of]

        def look() -> str:
            left = json.loads(output([*words, "-f", "json"], accepted=(0, 13)))["left"]
            names = sorted({row["name"] for row in left if not row["retained"]})
            return f"left: {', '.join(names)}" if names else ""

        self.account.patience = lambda: None
        self.account.wait("an empty account", 15, look)
        self.note(left=[])
        run(words)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notify", required=True, help="address for the notices of budget and alarms")
    parser.add_argument("--budget", type=float, default=15.0, help="USD after which everything is removed (15)")
    parser.add_argument("--region", default="us-east-1")
    parser.add_argument("--stack", default="rehearsal", help="name of the Pulumi stack (rehearsal)")
    parser.add_argument("--folder", type=Path, default=Path("rehearsal-stack"), help="for the stack (rehearsal-stack)")
    parser.add_argument("--ami", default="", help="image of the GPU nodes (AWS's newest Deep Learning Base image)")
    parser.add_argument("--control-ami", default="", help="image of the control nodes (AWS's newest Amazon Linux 2023)")
    parser.add_argument("--zone-id", default="", help=f"a zone that has {TYPE} (the first that offers it)")
    parser.add_argument("--from", dest="first", choices=STEPS, default=STEPS[0], help="go on with this step")
    parser.add_argument("--to", dest="last", choices=STEPS, default=STEPS[-1], help="stop after this step")
    parser.add_argument("--keep", action="store_true", help="leave the stack standing if a step fails; it bills")
    parser.add_argument("--steps", type=int, default=1500, help="of the job (1500: about six minutes)")
    parser.add_argument("--pace-s", type=float, default=10.0, help="between two looks (10)")
    for number in (signal.SIGTERM, signal.SIGHUP):  # a closed terminal removes what stands, as Ctrl-C does
        signal.signal(number, _interrupt)
    walk = Walk(parser.parse_args())
    names = STEPS[STEPS.index(walk.given.first) : STEPS.index(walk.given.last) + 1]
    for name in names:
        print(f"\n== {name}: {getattr(Walk, name).__doc__.strip()}  (${walk.budget.spent_usd:.2f} so far)", flush=True)
        begun = time.monotonic()
        try:
            getattr(walk, name)()
        except (Exception, KeyboardInterrupt) as problem:  # whatever it is, nodes must not stand unseen
            with suppress(Exception):
                walk.evidence(name, time.monotonic() - begun, str(problem) or type(problem).__name__)
            return ended(walk, name, problem)
        walk.evidence(name, time.monotonic() - begun)
    print(f"\nWhat was seen is in {walk.folder / EVIDENCE}.")
    print(f"Done: about ${walk.budget.spent_usd:.2f}. The data bucket and its key are kept: see docs/operations.md.")
    return 0


def ended(walk: Walk, step: str, problem: BaseException) -> int:
    """Says what happened, removes what stands unless it is to be kept, and gives the exit code."""
    why = str(problem) if isinstance(problem, Stop) else "interrupted" if _is_interrupt(problem) else repr(problem)
    tell(f"\n{step}: {why}")
    code = OVER if isinstance(problem, OverBudget) else INTERRUPTED if _is_interrupt(problem) else FAILED
    if walk.budget.begun is None or "destroyed" in walk.notes:
        return code
    rate = f"${walk.budget.usd_per_hour:.2f} an hour"
    if walk.given.keep:
        tell(f"It stands and bills {rate}: --from {step} goes on, --from destroy removes it.")
        return code
    rest = ("destroy", "teardown") if step != "destroy" else ()
    if rest:
        tell(f"Removing it. --from {step} --keep would have left it standing.")
    for name in rest:
        try:
            getattr(walk, name)()
        except (Exception, KeyboardInterrupt) as another:
            tell(f"{name}: {another or 'interrupted'}")
            break
    if "destroyed" not in walk.notes:
        tell(f"It still stands and bills {rate}: run again with --from destroy.")
    return code


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def tell(text: str) -> None:
    """To the person, also where the terminal has gone."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def _is_interrupt(problem: BaseException) -> bool:
    return isinstance(problem, KeyboardInterrupt)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
