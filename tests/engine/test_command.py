"""The command line of Pulumi over a stack file that `planner stack` wrote: its settings, and a preview."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from planner.cli import main
from planner.lint.read.graph import NotAGraph, parse
from planner.lint.rules import lint
from planner.stack.file import read
from tests.engine.cloud.store import Cloud
from tests.engine.driver import PROJECT, Engine, provider_folder
from tests.engine.specs import AMI, CONTROL_AMI, GIVEN, ZONE
from tools.docs import ROOT

pytestmark = pytest.mark.usefixtures("engine_built")
SCENARIO = "converged/p4d.24xlarge/on-demand"


@pytest.fixture
def written(tmp_path, monkeypatch) -> Path:
    """The file of a stack called dev, as `planner stack` writes it of an example."""
    shutil.copy(ROOT / "Pulumi.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    given = ["--ami", AMI, "--control-ami", CONTROL_AMI, "--zone-id", ZONE, "--notify", "gpu@example.org"]
    with pytest.raises(SystemExit) as done:
        main.run(["stack", str(ROOT / "examples" / "small.yaml"), "--scenario", SCENARIO, "--stack", "dev", *given])
    assert done.value.code == 0
    return tmp_path / "Pulumi.dev.yaml"


def test_pulumi_s_own_settings_leave_ours_as_they_are(written, tmp_path):
    spec, before = read(written), written.read_text()
    engine = _engine(tmp_path / "engine", written)
    path = engine.work / written.name
    for words in (
        ("config", "set", "team", "vision", "--stack", "dev"),
        ("config", "set", "--secret", "other:token", "not-a-real-one", "--stack", "dev"),
        ("config", "set", "--path", f"{PROJECT}:unused.key", "1", "--stack", "dev"),
        ("config", "rm", "--path", f"{PROJECT}:unused.key", "--stack", "dev"),
        ("config", "rm", f"{PROJECT}:unused", "--stack", "dev"),
        ("config", "rm", "team", "--stack", "dev"),
    ):
        engine.plain(*words).well()
    after = path.read_text()
    assert "encryptionsalt" in after
    assert "not-a-real-one" not in after
    assert read(path) == spec
    # the words above the cluster and the ones between its keys
    comments = [line.strip() for line in before.splitlines() if line.strip().startswith("#")]
    assert comments
    assert [line.strip() for line in after.splitlines() if line.strip().startswith("#")] == comments


def test_a_preview_by_the_command(written, tmp_path):
    """Pulumi's own host of Python where it is installed, else the Automation API's behind the same port."""
    engine = _engine(tmp_path / "engine", written)
    run = engine.plain("preview", "--stack", "dev", "--non-interactive").well()
    assert "88.6288 $/hour" in run.stdout
    assert "fleet-group" in run.stdout
    assert "error" not in run.stderr


def test_lint_reads_what_the_engine_prints(written, tmp_path):
    engine = _engine(tmp_path / "engine", written)
    preview = ("preview", "--json", "--stack", "dev", "--non-interactive")
    planned = engine.plain(*preview).well().stdout
    engine.up().well()
    for printed in (planned, engine.state(), engine.plain(*preview, "--show-sames").well().stdout):
        graph = parse(printed)
        assert len(graph.resources) > 80
        assert lint(graph) == []
    with pytest.raises(NotAGraph, match="--show-sames"):
        parse(engine.plain(*preview).well().stdout)


def _engine(folder: Path, written: Path) -> Engine:
    """An engine whose stack has that file and no other."""
    spec = read(written)
    home = folder / "cloud"
    Cloud.new(home / "cloud.json", region=spec.region, zones=(ZONE,), given=GIVEN)
    provider = provider_folder(folder / "provider", "tests.engine.cloud.provider")
    engine = Engine(folder, spec, provider=provider, env={"STAND_IN_CLOUD": str(home)})
    shutil.copy(written, engine.work / written.name)
    return engine
