"""What the verbs of a stack share: the stack of a plan, where its file is, and a file that somebody named."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from planner.cli.progress import Watched
from planner.errors import UsageProblem

FILE_SYSTEM = "/fsx"  # on nodes: infra/node/render.py, LUSTRE_ROOT

if TYPE_CHECKING:
    from planner.account.commands import Fleet
    from planner.answer.row import Row
    from planner.cli.options import Asked
    from planner.kinds.asking import Ask
    from planner.stack.spec import ClusterSpec


def planned(
    ask: Ask, scenario: str, stack: str, *, nic_profile: str = "ip-saving", derivations: bool = True, quiet: bool
) -> tuple[ClusterSpec, Row]:
    """The stack of a scenario as the plan has it, even if it cannot be deployed yet, and the scenario. Raises
    UsageProblem or PlanProblems."""
    answers, deployed = ask.loaded.kind.part("answers"), ask.loaded.kind.part("deployed")
    found = answers.priced(ask, Watched(quiet), derivations=derivations)
    chosen = answers.named(found, scenario)
    return deployed.planned(ask, found, chosen, stack, nic_profile), chosen


def deployed(asked: Asked, scenario: str | None, stack: str | None, quiet: bool) -> tuple[ClusterSpec, Ask]:
    """The stack as its file has it, else as the scenario would be written; and what was asked. Raises UsageProblem for
    another's file."""
    from planner.stack.file import read

    ask = asked.ask()
    name = stack or ask.loaded.kind.part("deployed").stack_name(ask.loaded)
    path = stack_path(name)
    kept = read(path) if path.is_file() else None
    scenario = scenario or (kept.scenario if kept else "best")
    spec, _ = planned(ask, scenario, name, derivations=False, quiet=quiet)
    return (_same(kept, spec, path) if kept else spec), ask


def _same(kept: ClusterSpec, spec: ClusterSpec, path: Path) -> ClusterSpec:
    if kept.scenario != spec.scenario:
        raise UsageProblem(f"{path} is of {kept.scenario}, not {spec.scenario}: name that, or another --stack")
    if kept.plan_sha256 != spec.plan_sha256:
        raise UsageProblem(f"{path} is of another plan or other --set: `planner stack PLAN --check` lists what differs")
    return kept


def project_folder(out: str | None = None) -> Path:
    """Where the stack file belongs: beside the project file, here or above; here where there is none."""
    if out is not None:
        if Path(out).exists() and not Path(out).is_dir():
            raise UsageProblem(f"--out {out!r} is not a folder")
        return Path(out)
    here = Path.cwd()
    found = next((folder for folder in (here, *here.parents) if (folder / "Pulumi.yaml").is_file()), here)
    return Path() if found == here else found


def written_over(
    path: Path,
    kept: ClusterSpec | None,
    spec: ClusterSpec,
    switch: bool,
    *,
    printed: bool = False,
    force: bool = False,
) -> ClusterSpec:
    """The spec as it may be written over a stack file: with the word for what goes, where that was given, and once S3
    has every file of a file system that goes.

    printed: to standard output, which takes nothing away. force: without looking at the files. Raises UsageProblem for
    another layout or purchase without the word; AwsProblem, CredentialsProblem.
    """
    from planner.stack.switching import needs_word, refusal, standing, switched

    if kept is None or printed or not needs_word(standing(kept), spec):
        return spec
    if not switch:
        raise UsageProblem(refusal(standing(kept), spec, str(path)))
    if kept.lustre and kept.layout != spec.layout and not force:
        from planner.account.flush import flush

        own, read = (linked_folder(kept, exported=exported) for exported in (True, False))
        flush(nodes_of(kept), [FILE_SYSTEM, f"--exported={own}", f"--read={read}"])
    return switched(kept, spec)


def nodes_of(spec: ClusterSpec) -> Fleet:
    """The GPU nodes of a deployed stack. Raises UsageProblem for a pool of workers."""
    from planner.account import aws_client
    from planner.account.commands import Fleet
    from planner.stack.names import scaling_groups

    groups = () if spec.scheduler else scaling_groups(spec)
    return Fleet(groups=groups, stack=spec.stack, region=spec.region, make=aws_client.client)


def linked_folder(spec: ClusterSpec, *, exported: bool) -> str:
    """The folder of the file system of which S3 gets every file, or the one that it fills; "" for none."""
    from infra.layouts import LAYOUTS

    has_links = spec.lustre is not None and spec.lustre.deployment == "PERSISTENT_2"
    folders = LAYOUTS[spec.layout].directories if has_links else ()
    return next((one.name for one in folders if one.exported is exported), "")


def refuse_over(spec: ClusterSpec) -> None:
    """Raises PlanProblems for a Capacity Block that is over by now."""
    from planner import clock
    from planner.stack import block_dates
    from planner.stack.file import refuse_findings

    refuse_findings(block_dates.over(spec, clock.now()), spec.stack)


def stack_path(stack: str) -> Path:
    """The file of a stack, beside the project file."""
    from planner.stack.file import name_of

    return project_folder() / name_of(stack)


def text_of(file: str) -> str:
    """The text of a file, or of standard input for `-`. Raises UsageProblem."""
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UsageProblem(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageProblem(f"{file}: not UTF-8 at byte {error.start:,}") from None
