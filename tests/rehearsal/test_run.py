"""examples/rehearsal/run.py to its end: the real engine over the stand-in cloud, a real pool, real launchers.

What stands in: AWS's API, `planner-ready` (tests/infra/node boots nodes that look at themselves), and the drives.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.engine.cloud.store import ACCOUNT, Cloud
from tests.engine.driver import SETTINGS, program_folder, provider_folder
from tests.pool.cluster import Shape, standing
from tests.pool.s3 import KEYS
from tests.rehearsal.account import IMAGES, Account, Machines, NoMachines
from tests.rehearsal.nodes import Nodes
from tools.docs import ROOT
from tools.gotools import BUILT

pytestmark = [pytest.mark.real, pytest.mark.usefixtures("engine_built")]
BUCKET = f"planner-rehearsal-data-{ACCOUNT}-us-east-1"
KEPT = ("aws:s3/", "aws:kms/")
STEPS = ("check", "up", "ready", "canary", "acceptance", "job", "loss", "resume", "destroy", "teardown")


class Walk:
    """One person's machine: PATH, state and account. What the program said is in `said` when it has ended."""

    def __init__(self, folder: Path, machines: Machines | NoMachines, s3: str = "http://127.0.0.1:1") -> None:
        self.folder, home = folder, folder / "cloud"
        zones = ("use1-az4", "use1-az6")
        self.cloud = Cloud.new(home / "cloud.json", region="us-east-1", zones=zones, given=tuple(IMAGES.values()))
        self.account = Account(self.cloud, machines)
        programs = program_folder(folder / "bin", "planner", "tests.rehearsal.planner_program")
        program_folder(programs, "aws", "tests.rehearsal.aws_program")
        provider = provider_folder(folder / "provider", "tests.engine.cloud.provider")
        language = program_folder(folder / "language", "pulumi-language-python", "tests.engine.language")
        for made in (folder / "backend", folder / "home"):
            made.mkdir()
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "PULUMI_"))},
            **SETTINGS,
            "PATH": os.pathsep.join(map(str, (programs, provider, BUILT, os.environ["PATH"], language))),
            "PULUMI_BACKEND_URL": f"file://{folder}/backend",
            "PULUMI_HOME": str(folder / "home"),
            "STAND_IN_CLOUD": str(home),
            "STAND_IN_ACCOUNT": self.account.url,
            "STAND_IN_S3": s3,
            "REAL_AWS": str(shutil.which("aws")),
            "AWS_ACCESS_KEY_ID": KEYS["key"],
            "AWS_SECRET_ACCESS_KEY": KEYS["secret"],
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        program = [sys.executable, str(ROOT / "examples" / "rehearsal" / "run.py"), "--notify", "gpu@example.org"]
        return subprocess.Popen(
            [*program, "--pace-s", "0.3", *words],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def standing(self) -> list[str]:
        """Types that still bill or stand, without what is kept on purpose."""
        return [thing["type"] for thing in self.cloud.standing() if not thing["type"].startswith(KEPT)]


@contextmanager
def on(folder: Path, machines: Machines | NoMachines, s3: str = "http://127.0.0.1:1") -> Iterator[Walk]:
    walk = Walk(folder, machines, s3)
    try:
        yield walk
    finally:
        walk.account.close()


def test_the_whole_rehearsal(pool_machine: None, tmp_path: Path) -> None:
    with standing(Shape(nodes=3, drives=1, drive_gib=1.0), registered=False) as cluster:
        cluster.s3.client().create_bucket(Bucket=BUCKET)
        nodes = Nodes(cluster, BUCKET)
        try:
            with on(tmp_path, nodes, cluster.s3.endpoint) as walk:
                process = walk.start("--steps", "150")
                said, _ = process.communicate(timeout=900)
                (tmp_path / "said").write_text(said)
                logs = "".join(agent.tail() for agent in nodes.agents.values())
                last = said.rpartition("\n== ")[2]  # the step that failed, and the removal after it
                assert process.returncode == 0, f"{last[:6000]}\n{logs[-3000:]}"
                asked = [words[1] for words in walk.account.asked if words[0] != "ssm"]
                kept = cluster.s3.client().list_objects_v2(Bucket=BUCKET, Prefix="acceptance/")["Contents"]
        finally:
            nodes.close()
    for step in STEPS:
        assert f"\n== {step}: " in said
    assert "the sum after step 150 is that of an undisturbed run" in said
    assert asked.count("terminate-instances") == 1
    # the dead man's switch before the nodes are waited for; replacements are allowed for the lost node alone
    assert asked.index("put-scheduled-update-group-action") < asked.index("terminate-instances")
    assert [word for word in asked if word.endswith("-processes")] == ["resume-processes", "suspend-processes"]
    assert walk.standing() == []
    assert len(kept) == 1, "the result of the acceptance"
    seen = json.loads((tmp_path / "rehearsal-stack" / "evidence.json").read_text())
    assert [entry["step"] for entry in seen["steps"] if not entry["problem"]] == list(STEPS)
    assert seen["steps"][-1]["usd"] < seen["budget_usd"]
    assert seen["left"] == []
    lines = {line["id"]: line for line in seen["acceptance"]["lines"]}
    assert lines["ready"]["state"] == "pass"
    assert lines["read.10000000"]["measured"] > 0
    assert lines["checkpoint-save"]["measured"] > 0
    assert {line["state"] for line in seen["check"]["lines"]} >= {"not known"}


def test_the_budget_a_signal_and_what_fails_remove_what_stands(tmp_path: Path) -> None:
    with on(tmp_path, NoMachines()) as walk:
        said, _ = walk.start("--budget", "2").communicate(timeout=300)
        assert "give a larger --budget" in said
        assert walk.standing() == [], "nothing was made yet"

        up = walk.start("--to", "up")
        said, _ = up.communicate(timeout=300)
        assert up.returncode == 0, said
        assert walk.account.ends
        assert not walk.account.protected
        assert "aws:autoscaling/group:Group" in walk.standing()

        waits = walk.start("--from", "ready")
        time.sleep(5)
        waits.send_signal(signal.SIGHUP)  # the terminal is closed; Ctrl-C is the same
        said, _ = waits.communicate(timeout=300)
        assert waits.returncode == 130, said
        assert walk.standing() == [], said

        # a second rehearsal in the same folder; what nobody foresaw removes it too
        walk.account.broken = "describe-auto-scaling-groups"
        again = walk.start("--from", "up")
        said, _ = again.communicate(timeout=300)
        assert again.returncode == 1, said
        assert "could not be set" in said
        assert "Removing it" in said
        assert walk.standing() == [], said


def test_hours_that_passed_count(tmp_path: Path) -> None:
    with on(tmp_path, NoMachines()) as walk:
        walk.start("--to", "up").communicate(timeout=300)
        notes = tmp_path / "rehearsal-stack" / "rehearsal.json"
        begun = json.loads(notes.read_text())
        notes.write_text(json.dumps({**begun, "begun": begun["begun"] - 2 * 3600}))
        late = walk.start("--from", "ready")
        said, _ = late.communicate(timeout=300)
        assert late.returncode == 10, said
        assert "the rest is for the removal" in said
        assert walk.standing() == [], said
