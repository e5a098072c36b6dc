"""The real Pulumi engine, driven over its Automation API: our program in line, a folder as backend, events as values.

The provider is whatever is called `pulumi-resource-aws` in the folder that is given: the stand-in cloud, or another.
Nothing is asked of the network, and nothing is written outside the folder of the engine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml
from pulumi import automation as auto
from pulumi.automation._cmd import CommandResult, PulumiCommand, create_command_error
from pulumi.automation.events import EngineEvent
from pulumi.runtime._grpc_settings import _GRPC_CHANNEL_OPTIONS
from semver import VersionInfo

from infra.__main__ import main as program_of_the_stack
from infra.node.built import FOLDER
from planner.stack.file import PROJECT, rendered
from planner.stack.spec import ClusterSpec
from tests.engine.processes import LATEST_S, Loops, kill_session
from tests.engine.steps import FAILED, errors_of, said_of, steps_of
from tests.engine.steps import Run as Run
from tests.engine.steps import Step as Step
from tools import bundle
from tools.gotools import BUILT, TOOLS, CannotBuild

MISSING = "the Pulumi engine is not built here: `python -m tools.gotools pulumi` builds it, three minutes when cold"
# Channels of one process share what they know of an address, for up to two minutes also that nobody answers. An engine
# may get the port of one that has ended, so each channel finds out for itself.
_GRPC_CHANNEL_OPTIONS.append(("grpc.use_local_subchannel_pool", 1))
FILE_SYSTEM = (
    "urn:pulumi:{stack}::gpu-fleet-planner::planner:infra:Lustre$aws:fsx/lustreFileSystem:LustreFileSystem"
    "::lustre-file-system"
)
DATABASE = "urn:pulumi:{stack}::gpu-fleet-planner::planner:infra:Files$aws:rds/instance:Instance::files-database"
VERBS = ("preview", "up", "refresh", "destroy")  # what has steps; the workspace asks for more between them

# nothing is fetched, nothing is asked; a folder is the backend, and its secrets are nobody's
SETTINGS = {
    "PULUMI_CONFIG_PASSPHRASE": "test",
    "PULUMI_SKIP_UPDATE_CHECK": "true",
    "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
    "PULUMI_DISABLE_CHECKPOINT_BACKUPS": "true",
    "PULUMI_SKIP_CHECKPOINTS": "false",
    "NO_PROXY": "*",
}


def need_engine() -> None:
    """Skips a test where the engine is not built; with NEED_ENGINE in the environment it fails instead.

    Makes the bundle that `pulumi up` wants, as `make bundle` does.
    """
    if not TOOLS["pulumi"].built:
        (pytest.fail if os.environ.get("NEED_ENGINE") else pytest.skip)(MISSING)
    try:
        bundle.ensure(FOLDER)
    except CannotBuild as error:
        (pytest.fail if os.environ.get("NEED_ENGINE") else pytest.skip)(str(error))


class _Command(PulumiCommand):
    """The pinned `pulumi`, in a session of its own, so that a test can kill it with its provider and nothing else."""

    def __init__(self, path: Path) -> None:
        # not the parent's own start, which looks for a `pulumi` on PATH; engine and package are pinned to one version
        self.version = VersionInfo.parse(metadata.version("pulumi"))
        self.command = str(path)
        self.more: tuple[str, ...] = ()
        self.process: subprocess.Popen[str] | None = None
        self.ended = CommandResult(stdout="", stderr="", code=0)

    def run(
        self,
        args: list[str],
        cwd: str,
        additional_env: Mapping[str, str],
        on_output: Callable[[str], Any] | None = None,
        on_error: Callable[[str], Any] | None = None,
    ) -> CommandResult:
        env = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "PULUMI_"))}
        env |= {**additional_env, "PULUMI_AUTOMATION_API": "true"}
        asked = args[0] in VERBS
        with subprocess.Popen(
            [self.command, "--non-interactive", *args, *(self.more if asked else ())],
            cwd=cwd,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        ) as process:
            self.process = process if asked else self.process
            try:
                out, err = process.communicate(timeout=LATEST_S)
            except subprocess.TimeoutExpired:
                kill_session(process)
                raise
        result = CommandResult(stdout=out, stderr=err, code=process.returncode)
        if asked:
            self.ended = result
        if result.code:
            raise create_command_error(result)
        return result


class _Stack(auto.Stack):
    """A stack that asks for nothing besides: each look at outputs and history is another start of the command."""

    def outputs(self) -> Any:
        return {}

    def info(self, show_secrets: bool = True) -> Any:
        return ()


class Engine:
    """One stack of the real engine, in a folder of its own.

    folder: state, settings and workspace. provider: the folder that holds `pulumi-resource-aws`. env: besides ours,
    what the provider wants to know. config: keys of the stack's file besides the cluster, `aws:maxRetries` and such.
    """

    def __init__(
        self,
        folder: Path,
        spec: ClusterSpec,
        *,
        provider: Path,
        env: Mapping[str, str] | None = None,
        config: Mapping[str, str] | None = None,
        program: Callable[[], None] = program_of_the_stack,
    ) -> None:
        self.folder, self.provider, self.name = folder, provider, spec.stack
        self.config = dict(config or {})
        self.loops = Loops()
        self.operations = 0  # at the provider, of all runs: creates, updates, deletes, reads
        self.work, self.backend = folder / "work", folder / "backend"
        language = program_folder(folder / "language", "pulumi-language-python", "tests.engine.language")
        for made in (self.work, self.backend, folder / "home"):
            made.mkdir(parents=True, exist_ok=True)
        self.env = {
            **SETTINGS,
            "PULUMI_BACKEND_URL": f"file://{self.backend}",
            "PULUMI_HOME": str(folder / "home"),
            "PATH": os.pathsep.join([str(provider), str(BUILT), os.environ.get("PATH", os.defpath), str(language)]),
            **(env or {}),
        }
        self.command = _Command(TOOLS["pulumi"].path)
        (self.work / "Pulumi.yaml").write_text(f"name: {PROJECT}\nruntime: python\n")
        self.write(spec)
        workspace = auto.LocalWorkspace(
            work_dir=str(self.work), env_vars=self.env, pulumi_command=self.command, program=self.loops.around(program)
        )
        self.stack = _Stack.create_or_select(spec.stack, workspace)

    def write(self, spec: ClusterSpec) -> None:
        """The stack file of a spec, as `planner stack` writes it; what Pulumi put into it stays."""
        self.spec = spec
        path = self.work / f"Pulumi.{spec.stack}.yaml"
        before = path.read_text() if path.exists() else ""
        text = rendered(spec, before)
        if not before and self.config:
            # a scalar is a scalar of JSON too
            text += "".join(f"  {key}: {yaml.safe_dump(value).splitlines()[0]}\n" for key, value in self.config.items())
        path.write_text(text)

    def preview(self, *flags: str) -> Run:
        return self._run("preview", flags, lambda hear: self.stack.preview(on_event=hear))

    def up(self, *flags: str) -> Run:
        return self._run("up", flags, lambda hear: self.stack.up(on_event=hear))

    def refresh(self, *flags: str, program: bool = False) -> Run:
        """program: `--run-program`, as operations.md has it."""
        return self._run("refresh", flags, lambda hear: self.stack.refresh(on_event=hear, run_program=program or None))

    def destroy(self, *flags: str) -> Run:
        """With --exclude-protected the file system goes too, as operations.md has it: its protection is taken away."""
        if "--exclude-protected" in flags:
            self.unprotect()
        return self._run("destroy", flags, lambda hear: self.stack.destroy(on_event=hear))

    def unprotect(self) -> None:
        """Of the file system or of the files' database, before it is replaced or deleted."""
        for given, urn in ((self.spec.lustre, FILE_SYSTEM), (self.spec.files, DATABASE)):
            if given is not None:
                self.plain("state", "unprotect", urn.format(stack=self.name), "--yes", "--stack", self.name)

    def cancel(self) -> Run:
        return self.plain("cancel", "--yes", "--stack", self.name)

    def plain(self, *words: str) -> Run:
        """A command that has no steps: `stack export`, `import`, `cancel`."""
        try:
            done = self.command.run(list(words), str(self.work), self.env)
            code, out, err = done.code, done.stdout, done.stderr
        except auto.errors.CommandError as error:
            code, out, err = 1, "", str(error)
        return Run(command=" ".join(words), code=code, stdout=out, stderr=err, steps=())

    def state(self) -> str:
        """The state as `pulumi stack export` writes it."""
        return self.plain("stack", "export", "--stack", self.name).well().stdout

    def _run(self, verb: str, flags: Sequence[str], run: Callable[[Callable[[EngineEvent], None]], Any]) -> Run:
        heard: list[EngineEvent] = []
        self.command.more = tuple(flags)
        try:
            with suppress(auto.errors.CommandError):
                run(heard.append)
        finally:
            self.command.more = ()
            self.loops.close()
        done = self.command.ended
        steps = tuple(steps_of(heard))
        self.operations += sum(step.operation not in ("same", FAILED) and not step.planned for step in steps)
        return Run(
            command=" ".join((verb, *flags)),
            code=done.code,
            stdout=done.stdout,
            stderr=done.stderr,
            steps=steps,
            said=tuple(said_of(heard)),
            errors=errors_of(heard),
        )

    @contextmanager
    def in_background(self, run: Callable[[], Run]) -> Iterator[list[Run]]:
        """A command that goes on while the test does something to it; the list holds its run once it has ended."""
        ended: list[Run] = []
        thread = threading.Thread(target=lambda: ended.append(run()))
        thread.start()
        try:
            yield ended
        except BaseException:
            self.kill()  # a test that fails leaves nothing that hangs
            raise
        finally:
            thread.join(LATEST_S)

    def kill(self, *, provider: bool = True) -> None:
        """SIGKILL of the command, and of the provider that it started: without that the provider goes on for a while,
        as it does on a person's machine."""
        if self.command.process is None:
            return
        if provider:
            kill_session(self.command.process)
        else:
            self.command.process.kill()


def provider_folder(folder: Path, module: str) -> Path:
    """A folder with a `pulumi-resource-aws` that runs a module of ours by this Python."""
    return program_folder(folder, "pulumi-resource-aws", module)


def program_folder(folder: Path, name: str, module: str) -> Path:
    """A folder with a program of that name, which is a module of ours."""
    folder.mkdir(parents=True, exist_ok=True)
    root = Path(__file__).resolve().parents[2]
    path = folder / name
    path.write_text(f'#!/bin/sh\nPYTHONPATH="{root}:{root}/pool" exec "{sys.executable}" -m {module} "$@"\n')
    path.chmod(0o755)
    return folder
