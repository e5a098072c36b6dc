"""docs/day-2.md: its commands as they are printed, and a shell of a login node that runs them."""

from __future__ import annotations

import json
import re
import subprocess
import sys

from fleet_pool.slurm.settings import Cluster as Settings
from fleet_pool.slurm.settings import written

from tests.cluster.cluster import ROOT, Cluster

PAGE = (ROOT / "docs/day-2.md").read_text(encoding="utf-8")
ELSEWHERE = ("aws ", "pulumi ", "planner ")  # what runs where the stack file is
OURS = ("sudo ", "scontrol ", "sinfo ", "squeue", "sprio ")
SET = re.compile(r"[A-Z]+=\S+$")


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def typed(title: str) -> list[str]:
    """The commands of a section that are typed on the login node, without those that only set a variable."""
    (block,) = re.findall(r"```console\n(.*?)```", section(title), flags=re.DOTALL)
    lines = [line.removeprefix("$ ") for line in block.splitlines()]
    return [line for line in lines if not line.startswith(ELSEWHERE) and not SET.match(line)]


def causes() -> dict[str, list[str]]:
    """What `planner-jobs` says of a stuck queue -> the commands of its row."""
    rows = [line.strip("| ").split(" | ") for line in section("The queue is stuck").splitlines() if line[:3] == "| `"]
    found = {}
    for says, _, todo in (row for row in rows if len(row) == 3 and row[0].startswith("`") and "says" not in row[0]):
        commands = [one for one in re.findall(r"`([^`]+)`", todo) if one.startswith(OURS)]
        found |= dict.fromkeys(re.findall(r"`([^`]+)`", says), commands)
    return found


class Shell:
    """bash on the login node of `slurm`; root is who runs the tests, so that sudo has nothing to do. settings: of
    planner-jobs."""

    def __init__(self, slurm: Cluster, settings: Settings) -> None:
        self.slurm = slurm
        bin_folder = slurm.folder / "bin"
        bin_folder.mkdir(exist_ok=True)
        path = slurm.folder / "settings.json"
        path.write_text(written(settings))
        jobs = f'PYTHONPATH={ROOT / "pool"} exec {sys.executable} -m fleet_pool.slurm.jobs --settings {path} "$@"'
        for name, line in (("sudo", 'exec "$@"'), ("planner-jobs", jobs)):
            (bin_folder / name).write_text(f"#!/bin/bash\n{line}\n")
            (bin_folder / name).chmod(0o755)
        self._environment = {**slurm.environment, "PATH": f"{bin_folder}:{slurm.environment['PATH']}"}

    def run(self, command: str, *, fails: bool = False, **values: str) -> str:
        """What it says. values: of the command's variables. fails: whether it has to."""
        environment = {**self._environment, **values}
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, env=environment, timeout=60, check=False
        )
        said = done.stdout + done.stderr
        assert (done.returncode != 0) == fails, f"{command}: {said}"
        return said

    def why(self, job: str) -> str:
        """Why it waits, as planner-jobs says it; "" if it does not wait."""
        waiting = json.loads(self.run("planner-jobs -f json"))["waiting"]
        return next((one["why"] for one in waiting if one["job"] == job), "")

    def says(self, job: str, words: str) -> None:
        """Waits until planner-jobs says it of the job, in its table too."""
        self.slurm.wait(f"{words}: {self.why(job)}", lambda: words in self.why(job), 60)
        assert words in self.run("planner-jobs")
