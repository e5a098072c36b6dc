"""What the verbs of a stack share: the stack of a plan, where its file is, and a file that somebody named."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from planner.errors import UsageProblem

if TYPE_CHECKING:
    from planner.cli.options import Asked
    from planner.estimate.result import Scenario
    from planner.plan.load import LoadedPlan, LoadedPool
    from planner.stack.spec import ClusterSpec
    from pricing.book import PriceBook


def planned(
    asked: Asked,
    plans: tuple[LoadedPlan | None, LoadedPool | None],
    scenario: str,
    stack: str,
    *,
    nic_profile: str = "ip-saving",
    derivations: bool = True,
    quiet: bool,
) -> tuple[ClusterSpec, PriceBook, Scenario | None]:
    """The stack of a scenario as the plan has it, even if it cannot be deployed yet; its price book; the scenario,
    where the plan is of training. plans: of `worker_pool_in`. Raises UsageProblem or PlanProblems."""
    from planner.api.arguments import named
    from planner.api.parallel import in_processes
    from planner.cli.options import book_of
    from planner.decide.compare import compare
    from planner.stack.choose import spec_of

    loaded, pool = plans
    if pool is not None:
        from planner.cli import worker_stack

        return *worker_stack.planned(asked, pool, scenario, stack, quiet=quiet), None
    assert loaded is not None  # one of the two
    book = book_of(loaded, asked.prices, asked.as_of)
    comparison = compare(asked.request_of(loaded, book, derivations=derivations), in_processes)
    chosen = named(comparison, scenario)
    spec = spec_of(loaded, comparison, chosen, book, stack=stack, nic_profile=nic_profile, preview=True)
    return spec, book, chosen


def deployed(
    asked: Asked, scenario: str | None, stack: str | None, quiet: bool
) -> tuple[ClusterSpec, PriceBook, LoadedPlan | None]:
    """The stack as its file has it, else as the scenario would be written; and the plan, where it is of training.
    Raises UsageProblem for another's file."""
    from planner.cli.options import worker_pool_in
    from planner.stack.choose_workers import STACK as POOL_STACK
    from planner.stack.file import read

    plans = worker_pool_in(asked.plan, asked.overrides)
    name = stack or (plans[0].plan.deploy.stack if plans[0] else POOL_STACK)
    path = stack_path(name)
    kept = read(path) if path.is_file() else None
    scenario = scenario or (kept.scenario if kept else "best")
    spec, book, _ = planned(asked, plans, scenario, name, derivations=False, quiet=quiet)
    return (_same(kept, spec, path) if kept else spec), book, plans[0]


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
    path: Path, kept: ClusterSpec | None, spec: ClusterSpec, switch: bool, *, printed: bool = False
) -> ClusterSpec:
    """The spec as it may be written over a stack file: with the word for what goes, where that was given.

    printed: to standard output, which takes nothing away. Raises UsageProblem for another layout or purchase without
    the word.
    """
    from planner.stack.switching import needs_word, refusal, standing, switched

    if kept is None or printed or not needs_word(standing(kept), spec):
        return spec
    if not switch:
        raise UsageProblem(refusal(standing(kept), spec, str(path)))
    return switched(kept, spec)


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
