"""The house: who may import whom, and which library stands behind which door, read from the source."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = [path for top in ("pricing", "planner", "infra", "pool") for path in sorted((ROOT / top).rglob("*.py"))]

# package -> our packages that it may import, besides itself
ALLOWED = {
    "pricing": set(),
    "planner.errors": set(),
    "planner.extras": set(),
    "planner.templates": set(),
    "planner.whole_file": set(),
    "planner.junit_suite": set(),
    "planner.clock": set(),
    # on nodes and in jobs there is nothing else
    "fleet_pool": set(),
    "fleet_pool.node": {"fleet_pool"},
    "fleet_pool.operate": {"fleet_pool"},
    "fleet_pool.client": {
        "fleet_pool.problems",
        "fleet_pool.compat",
        "fleet_pool.digests",
        "fleet_pool.steps",
        "fleet_pool.tokens",
    },
    "fleet_pool.launch": {"fleet_pool"},
    "fleet_pool.health": {"fleet_pool"},
    "fleet_pool.slurm": {"fleet_pool"},
    # other libraries' interfaces, on top of the client
    "fleet_pool.doors": {"fleet_pool.client", "fleet_pool.compat", "fleet_pool.problems", "fleet_pool.tokens"},
    "fleet_pool.worker": {"fleet_pool"},
    # which layouts there are, and what each lets a plan say: nothing of it loads a model
    "planner.layouts.room": set(),
    "planner.layouts.registry": {"planner.layouts.room"},
    # which kinds of plans there are: every command loads their facts, and the rest of a room where it is asked
    "planner.kinds.kind": set(),
    "planner.kinds.registry": {"planner.kinds"},
    "planner.kinds.asking": {"pricing", "planner.answer", "planner.plan"},
    "planner.plan": {
        "pricing",
        "fleet_pool.settings",
        "planner.errors",
        "planner.layouts.registry",
        "planner.kinds.kind",
        "planner.kinds.registry",
    },
    # what infra and stack files know of a bill is names, not models
    "planner.models.bill_lines": set(),
    "planner.models.block_sizes": set(),
    "planner.models.controller_sizes": set(),
    "planner.models": {"pricing", "planner.plan", "fleet_pool.settings", "planner.errors"},
    "planner.layouts": {"pricing", "planner.plan", "planner.models", "fleet_pool.settings", "planner.errors"},
    # what every kind of plan shares: rows, draws, the rule that recommends one; it names no kind
    "planner.answer": {"pricing", "planner.plan", "planner.models", "planner.errors"},
    # one scenario
    "planner.estimate": {
        "pricing",
        "planner.plan",
        "planner.models",
        "planner.layouts",
        "planner.answer",
        "planner.errors",
    },
    # between scenarios
    "planner.decide": {
        "planner.answer",
        "pricing",
        "planner.plan",
        "planner.models",
        "planner.layouts",
        "planner.estimate",
        "planner.spot",
        "planner.errors",
    },
    # published figures, against equations and whole plans
    "planner.evidence": {
        "planner.answer",
        "pricing",
        "planner.plan",
        "planner.models",
        "planner.estimate",
        "planner.decide",
        "planner.fleet",
        "planner.errors",
    },
    # recordings of spot capacity and rules replayed on them: no plan, no price
    "planner.spot": {"planner.plan.textfile", "planner.errors", "fleet_pool.slurm.patient"},
    # logs of short runs, and the throughput table that they make: no price
    "planner.profile": {"planner.plan", "planner.models", "planner.errors"},
    # commitments over a horizon: arrays in, arrays out; what is sold at which price comes from the book
    "planner.mix": {"pricing", "planner.plan.textfile", "planner.errors", "planner.extras"},
    # past demand from files: what is in it, without a price
    "planner.demand": {"planner.mix", "planner.plan.textfile", "planner.bills.export_file", "planner.errors"},
    # pools of workers: the simulation knows numbers alone, the rest a plan and its prices
    "planner.worker_pool": {
        "planner.answer",
        "pricing",
        "planner.plan",
        "planner.models",
        "planner.estimate",
        "planner.errors",
    },
    "planner.worker_pool.model": set(),
    "planner.worker_pool.lives": {"planner.worker_pool.model"},
    "planner.worker_pool.run": set(),
    "planner.worker_pool.alone": {"planner.worker_pool.model"},
    "planner.worker_pool.simulation": {
        "planner.worker_pool.model",
        "planner.worker_pool.launches",
        "planner.worker_pool.lives",
        "planner.worker_pool.machine",
        "planner.worker_pool.run",
        "planner.worker_pool.tail",
    },
    # fleets: the queue knows jobs and nodes alone; the rest a plan, its prices and what commitments cost
    "planner.fleet": {
        "planner.answer",
        "pricing",
        "planner.plan",
        "planner.models",
        "planner.layouts",
        "planner.mix",
        "planner.demand",
        "planner.estimate.owned",
        "planner.errors",
    },
    "planner.fleet.model": set(),
    "planner.fleet.profile": set(),
    "planner.fleet.compiled": set(),
    "planner.fleet.state": {"planner.fleet.profile"},
    "planner.fleet.moves": {"planner.fleet.state"},
    "planner.fleet.passes": {"planner.fleet.moves", "planner.fleet.profile", "planner.fleet.state"},
    "planner.fleet.queue": {
        "planner.fleet.compiled",
        "planner.fleet.model",
        "planner.fleet.moves",
        "planner.fleet.passes",
        "planner.fleet.profile",
        "planner.fleet.state",
    },
    "planner.stack": {
        "planner.plan",
        "planner.layouts.registry",
        "planner.models.bill_lines",
        "planner.models.block_sizes",
        "planner.models.controller_sizes",
        "fleet_pool.settings",
        "fleet_pool.slurm",
        "planner.errors",
        "planner.whole_file",
    },
    # the one door between what was compared and what is deployed: infra reads the rest without any model
    "planner.stack.choose": {
        "planner.answer",
        "pricing",
        "planner.plan",
        "planner.models",
        "planner.layouts",
        "planner.estimate",
        "planner.decide",
        "planner.stack",
        "fleet_pool.settings",
        "planner.errors",
    },
    "planner.stack.choose_workers": {
        "planner.answer",
        "pricing",
        "planner.plan",
        "planner.models",
        "planner.worker_pool",
        "planner.stack",
        "planner.errors",
    },
    "planner.stack.choose_fleet": {
        "pricing",
        "planner.plan",
        "planner.models",
        "planner.layouts",
        "planner.fleet",
        "planner.stack",
        "fleet_pool.settings",
        "planner.errors",
    },
    "planner.stack.choose_shared": {
        "planner.models.values",
        "planner.layouts.deployment",
        "planner.stack",
        "planner.errors",
    },
    "planner.stack.kept": {"planner.answer", "planner.plan", "planner.estimate", "planner.stack", "planner.errors"},
    "infra": {
        "planner.stack.spec",
        "planner.stack.file",
        "planner.stack.component",
        "planner.stack.timestamps",
        "planner.stack.names",
        "planner.stack.block_dates",
        "planner.stack.switching",
        "planner.stack.slurm_settings",
        "planner.clock",
        "planner.models.bill_lines",
        "planner.models.controller_sizes",
        "fleet_pool",
        "planner.templates",
        "planner.errors",
    },
    # it reads a graph that anybody made
    "planner.lint": set(),
    # what rules read stands below all rules
    "planner.lint.known": {"planner.lint.read"},
    "planner.lint.read": set(),
    "planner.account.masking": set(),
    "planner.account": {"planner.stack", "planner.errors", "planner.extras"},
    # what an account says to a stack before it is deployed: `run` asks, the rest judges answers
    "planner.check": {"pricing", "planner.account", "planner.stack", "planner.junit_suite", "planner.errors"},
    # what stands beside its plan: `ask` says what nodes are asked, the rest judges answers
    "planner.acceptance": {
        "pricing",
        "planner.plan",
        "planner.models",
        "planner.layouts",
        "planner.estimate",
        "planner.decide",
        "planner.bills.measured",
        "planner.check.wanted",
        "planner.account",
        "planner.stack",
        "planner.junit_suite",
        "planner.errors",
        "fleet_pool",
    },
    # a new price book out of what an account and files say
    "planner.update": {"pricing", "planner.account", "planner.errors"},
    "planner.report": {
        "planner.answer",
        "planner.mix",
        "planner.demand",
        "pricing",
        "planner.plan",
        "planner.models",
        "planner.layouts.registry",
        "planner.estimate",
        "planner.decide",
        "planner.evidence",
        "planner.spot",
        "planner.bills",
        "planner.worker_pool",
        "planner.fleet",
        "planner.profile",
        "planner.templates",
        "planner.errors",
    },
    # what the command line and `import planner` share: one function for each answer, without the words of a command
    "planner.api": {
        "planner.answer",
        "pricing",
        "planner.worker_pool",
        "planner.fleet",
        "planner.mix",
        "planner.demand",
        "planner.plan",
        "planner.models",
        "planner.estimate",
        "planner.decide",
        "planner.report",
        "planner.stack",
        "planner.bills",
        "planner.spot",
        "planner.errors",
        "infra.graph",
        "planner.extras",
        "planner.kinds.registry",
    },
    # what was billed, beside what was planned
    "planner.bills": {
        "planner.answer",
        "pricing",
        "planner.plan",
        "planner.models",
        "planner.estimate",
        "planner.account.masking",
        "planner.errors",
        "planner.extras",
    },
    "planner.prices": {"pricing", "planner.api", "planner.plan", "planner.errors"},
    # what is left of a stack is a result of planner.stack, not of a comparison
    "planner.report.terminal.leftovers_text": {"planner.report", "planner.stack", "planner.errors"},
    "planner.report.terminal.spot_text": {"planner.report", "planner.stack", "planner.errors"},
}

# what is known of a layout before its models are loaded, and what planner.plan may load of it
for _room in sorted(path.parent.name for path in (ROOT / "planner" / "layouts").glob("*/layout.py")):
    _name = f"planner.layouts.{_room}"
    ALLOWED[f"{_name}.__init__"] = {"planner.layouts.room"}
    ALLOWED[f"{_name}.settings"] = {"planner.plan.forms"}
    ALLOWED[f"{_name}.checks"] = {f"{_name}.settings", "planner.plan.finding", "pricing.catalog"}

# a room of a kind stands above everything but the command line; nobody but the registry names one
for _room in sorted(path.parent.name for path in (ROOT / "planner" / "kinds").glob("*/plan.py")):
    _name = f"planner.kinds.{_room}"
    ALLOWED[f"{_name}.__init__"] = {"planner.kinds.kind"}
    ALLOWED[_name] = {
        "planner.kinds.asking",
        "planner.answer",
        "planner.plan",
        "planner.estimate",
        "planner.decide",
        "planner.worker_pool",
        "planner.fleet",
        "planner.spot",
        "planner.report",
        "planner.stack",
        "planner.api",
        "planner.errors",
        "pricing",
        "fleet_pool",
    }

# library -> the places that may import it
DOORS = {
    "aistore": ("pool/fleet_pool/client/pool.py",),
    "boto3": ("pricing/aws.py", "planner/account/aws_client.py", "pool/fleet_pool/client/s3.py"),
    "botocore": ("pricing/aws.py", "planner/account/aws_client.py", "pool/fleet_pool/client/s3.py"),
    "click": ("planner/cli/",),
    "highspy": ("planner/mix/linear.py",),
    "numba": ("planner/fleet/compiled.py",),
    "fsspec": ("pool/fleet_pool/doors/",),
    "torch": ("pool/fleet_pool/doors/", "pool/fleet_pool/health/collective.py"),
    "jinja2": ("planner/report/", "infra/"),
    "pyarrow": ("planner/bills/export_file.py",),
    "pulumi": ("infra/",),
    "pulumi_aws": ("infra/",),
}


@cache
def _imports(path: Path) -> set[str]:
    """Every module that a file imports, at its top or inside a function."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            module = node.module or ""
            folders = [top / module.replace(".", "/") for top in (ROOT, ROOT / "pool")]
            for alias in node.names:
                is_module = any(
                    (folder / f"{alias.name}.py").exists() or (folder / alias.name).is_dir() for folder in folders
                )
                found.add(f"{module}.{alias.name}" if is_module else module)
    return found


@cache
def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[1:] if parts[0] == "pool" else parts)


def _inside(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


@pytest.mark.parametrize("package", ALLOWED)
def test_each_package_imports_only_what_stands_below_it(package):
    for path in SOURCES:
        named = [other for other in ALLOWED if _inside(_module(path), other)]
        if package not in named or package != max(named, key=len):  # the entry that names a file most closely counts
            continue
        ours = {
            m
            for m in _imports(path)
            if m.split(".")[0] in ("planner", "pricing", "infra", "fleet_pool", "tests", "tools")
        }
        ours.discard("planner")  # the version, and nothing else
        wrong = {m for m in ours if not any(_inside(m, allowed) for allowed in {package, *ALLOWED[package]})}
        assert not wrong, f"{path.relative_to(ROOT)} imports {sorted(wrong)}"


def test_nobody_but_the_registry_names_a_kind():
    """Verbs, writers and the Python interface ask a plan for its kind. What only training has, names training."""
    of_training = {"options", "quote", "diff"}  # and there the functions that only it can answer
    for path in SOURCES:
        rooms = {m for m in _imports(path) if m.startswith("planner.kinds.") and m.count(".") >= 2}
        rooms -= {"planner.kinds.kind", "planner.kinds.registry", "planner.kinds.asking"}
        allowed = _inside(_module(path), "planner.kinds") or path.stem in of_training
        assert allowed or not rooms, f"{path.relative_to(ROOT)} names {sorted(rooms)}"


def test_nothing_imports_the_command_line():
    for path in SOURCES:
        if not _inside(_module(path), "planner.cli") and path.name != "__main__.py":
            assert not any(_inside(module, "planner.cli") for module in _imports(path)), path


@pytest.mark.parametrize("library", DOORS)
def test_one_door_for_each_library(library):
    for path in SOURCES:
        relative = path.relative_to(ROOT).as_posix()
        if not relative.startswith(DOORS[library]):
            assert not any(_inside(module, library) for module in _imports(path)), f"{relative} imports {library}"


def test_lint_needs_nothing_but_the_standard_library():
    for path in SOURCES:
        if _inside(_module(path), "planner.lint"):
            assert {m.split(".")[0] for m in _imports(path)} <= {"planner", *sys.stdlib_module_names}, path


def test_starting_the_command_line_loads_nothing_heavy():
    heavy = ("numpy", "pydantic", "yaml", "rich", "jinja2", "boto3", "pulumi", "planner.api")
    code = f"import sys, planner.cli.main; print([m for m in {heavy!r} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_a_plan_is_read_and_checked_without_any_model():
    heavy = ("numpy", "planner.models", "planner.layouts.base", "pulumi")
    code = (
        "import sys; from planner.plan.load import load_plan; load_plan('examples/small.yaml');"
        f"print([m for m in {heavy!r} if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
