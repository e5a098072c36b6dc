"""What nodes run, judged by the tools of others: shellcheck, systemd, cloud-init."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from infra.artefacts import bundle
from infra.userdata import text_of
from tests.pool.node.nodes import CASES, bundles_in_slurm, every_bundle

BUNDLES = {name: {**texts, **installed} for name, texts, installed in (*every_bundle(), *bundles_in_slurm())}


def need(program: str, package: str) -> str:
    """Path of a program of the distribution; skipped by name without it, failed with NEED_POOL=1."""
    found = shutil.which(program)
    if found is None:
        told = f"no {program} here (on Debian, apt-get install {package})"
        if os.environ.get("NEED_POOL"):
            pytest.fail(told)
        pytest.skip(told)
    return found


def passes(*command: str | Path) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", BUNDLES)
def test_shellcheck_finds_nothing_in_the_bundle(name, tmp_path):
    shellcheck = need("shellcheck", "shellcheck")
    scripts = [script for script in BUNDLES[name] if script.endswith(".sh")]
    assert len(scripts) > 1
    for script in scripts:
        (tmp_path / script).write_text(BUNDLES[name][script])
        words = ("--shell=sh", "--enable=all", "--exclude=SC2250,SC2310,SC2311,SC2312", tmp_path / script)
        assert passes(shellcheck, *words) == ""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_cloud_init_accepts_the_user_data_and_shellcheck_the_script_in_it(case, tmp_path):
    text = text_of(bundle(case.stack), case.environment)
    (tmp_path / "user-data").write_text(text)
    told = passes(need("cloud-init", "cloud-init"), "schema", "--config-file", tmp_path / "user-data")
    assert "Valid" in told
    script = text.partition("content: |\n")[2].partition("runcmd:")[0]
    (tmp_path / "fetch.sh").write_text(re.sub(r"^ {6}", "", script, flags=re.M))
    assert passes(need("shellcheck", "shellcheck"), "--shell=sh", tmp_path / "fetch.sh") == ""


@pytest.mark.parametrize("name", BUNDLES)
def test_systemd_accepts_every_unit(name, tmp_path):
    """In a root of its own, with empty programs where the units name them."""
    analyze = need("systemd-analyze", "systemd")
    units = tmp_path / "etc/systemd/system"
    units.mkdir(parents=True)
    for path in (
        "usr/bin/python3",
        "opt/planner/aisnode",
        "bin/sh",
        "bin/umount",
        "usr/bin/env",
        "usr/local/bin/planner-ready",
        "usr/local/bin/planner-health",
    ):
        program = tmp_path / path
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    shutil.copytree("/lib/systemd/system", tmp_path / "lib/systemd/system", symlinks=True)
    wanted = [file for file in BUNDLES[name] if file.endswith((".service", ".timer"))]
    for file in wanted:
        (units / file).write_text(BUNDLES[name][file])
    told = passes(analyze, "verify", "--man=no", "--recursive-errors=yes", f"--root={tmp_path}", *wanted)
    ours = [line for line in told.splitlines() if "planner-" in line]
    assert ours == []


def test_a_unit_that_is_wrong_is_seen(tmp_path):
    """The check above can fail."""
    analyze = need("systemd-analyze", "systemd")
    unit = tmp_path / "planner-wrong.service"
    unit.write_text("[Service]\nType=simple\nExecStart=/opt/nothing\nAllowedCPU=1\n")
    done = subprocess.run([analyze, "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False)
    assert done.returncode != 0 or "planner-wrong" in done.stderr


def test_leaving_tells_every_script_and_goes_on_after_one_that_fails(tmp_path):
    folder = tmp_path / "leave.d"
    folder.mkdir()
    for name, text in (("10-job", 'echo "kind $POOL_NOTICE_KIND"'), ("20-broken", "exit 3"), ("30-last", "echo last")):
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    (folder / "README").write_text("not to be run")
    (tmp_path / "leave.sh").write_text(BUNDLES["converged"]["leave.sh"])
    environment = {**os.environ, "PLANNER_LEAVE": str(folder), "POOL_NOTICE_KIND": "spot"}
    command = ["sh", str(tmp_path / "leave.sh")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "kind spot" in done.stdout
    assert "last" in done.stdout
    assert "20-broken failed with exit code 3" in done.stderr
    (folder / "20-broken").unlink()
    assert subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0


def test_no_script_at_all_is_no_failure(tmp_path):
    (tmp_path / "leave.sh").write_text(BUNDLES["converged"]["leave.sh"])
    environment = {**os.environ, "PLANNER_LEAVE": str(tmp_path / "none")}
    subprocess.run(["sh", str(tmp_path / "leave.sh")], env=environment, check=True)


@pytest.mark.parametrize("name", BUNDLES)
def test_a_node_stops_the_upgrades_of_its_image_before_anything_else(name, tmp_path):
    """The lines of the start, run with a systemctl that writes down what it is told."""
    text = BUNDLES[name]["start.sh"]
    begins = text.index("for unit in apt-daily.timer")
    lines = text[begins : text.index("done\n", begins) + 5]
    assert begins < text.index("PLANNER_INSTANCE=$(imds instance-id)")
    program = tmp_path / "systemctl"
    program.write_text(f'#!/bin/sh\necho "$*" >> {tmp_path}/told\nexit 1\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run(["sh", "-eu", "-c", lines], env=environment, check=True)
    told = (tmp_path / "told").read_text().splitlines()
    assert {"apt-daily.timer", "apt-daily-upgrade.timer", "unattended-upgrades.service"} < {s.split()[-1] for s in told}
    assert all(line.startswith("mask --now --quiet ") for line in told)
