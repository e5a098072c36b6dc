"""The house: who may import whom, and which library stands behind which door, read from the source."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = [path for top in ("pricing", "planner", "infra") for path in sorted((ROOT / top).rglob("*.py"))]

# package -> our packages that it may import, besides itself
ALLOWED = {
    "pricing": set(),
    "planner.errors": set(),
    "planner.plan": {"pricing", "planner.errors"},
    "planner.models": {"pricing", "planner.plan", "planner.errors"},
    "planner.layouts": {"pricing", "planner.plan", "planner.models", "planner.errors"},
    "planner.decide": {"pricing", "planner.plan", "planner.models", "planner.layouts", "planner.errors"},
    "planner.report": {"pricing", "planner.plan", "planner.models", "planner.decide", "planner.errors"},
}

# library -> the places that may import it
DOORS = {
    "boto3": ("pricing/aws.py", "planner/account.py"),
    "botocore": ("pricing/aws.py", "planner/account.py"),
    "click": ("planner/cli/",),
    "jinja2": ("planner/report/", "infra/"),
    "pulumi": ("infra/",),
    "pulumi_aws": ("infra/",),
}


def _imports(path: Path) -> set[str]:
    """Every module that a file imports, at its top or inside a function."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            found.add(node.module or "")
    return found


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def _inside(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


@pytest.mark.parametrize("package", ALLOWED)
def test_each_package_imports_only_what_stands_below_it(package):
    for path in SOURCES:
        if not _inside(_module(path), package):
            continue
        ours = {m for m in _imports(path) if m.split(".")[0] in ("planner", "pricing", "infra", "tests", "tools")}
        ours.discard("planner")  # the version, and nothing else
        wrong = {m for m in ours if not any(_inside(m, allowed) for allowed in {package, *ALLOWED[package]})}
        assert not wrong, f"{path.relative_to(ROOT)} imports {sorted(wrong)}"


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


def test_starting_the_command_line_loads_nothing_heavy():
    heavy = ("numpy", "pydantic", "yaml", "rich", "jinja2", "boto3", "pulumi")
    code = f"import sys, planner.cli.main; print([m for m in {heavy!r} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
