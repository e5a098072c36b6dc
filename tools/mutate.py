"""Mutation run: changes the code a little, many times, and names every change that no test notices.

    python -m tools.mutate [--count 60] [--seed 0] [--only planner/models/metered.py]

Each mutant is one change (an operator, a comparison, a constant, min for max, a `not` dropped) in one module of TESTS,
made in a temporary copy of the repository; the tests named beside that module run on it. Survivors are printed with
file, line and change. Exit code 1 when there are any, 2 when tests fail without any change, since then every mutant
would seem to be noticed. A generic library is no simpler: mutmut and cosmic-ray run the
whole suite for each mutant, or need a configuration and a database for each module.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPIED = ("planner", "pricing", "infra", "pool", "tests", "tools", "templates", "examples", "docs")
_PURCHASE = ("tests/decide/test_compare.py", "tests/models/test_derivations.py")
# module or folder -> the tests that are about it, the quick ones first
TESTS = {
    "planner/models": (
        "tests/models/test_worked_examples.py",
        "tests/models/test_goodput.py",
        "tests/models/test_derived.py",
        "tests/models",
        "tests/estimate/test_constraints.py",
        "tests/decide/test_published_stories.py",
        "tests/decide/test_second_route.py",
    ),
    "planner/estimate/purchase.py": _PURCHASE,
    "planner/estimate/node_purchase.py": _PURCHASE,
    "planner/estimate/committed_purchase.py": _PURCHASE,
    "planner/estimate/uncommitted_purchase.py": _PURCHASE,
    "infra": ("tests/infra/test_parts.py", "tests/infra"),
}
TIMEOUT_S = 600
SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
NAMES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "floor": "ceil", "ceil": "floor"}


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One change: the file relative to the root, its line, what was changed into what, and the whole changed source."""

    path: Path
    line: int
    change: str
    source: str


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every mutant of a module."""
    tree = ast.parse((ROOT / path).read_text())
    for index, node in enumerate(ast.walk(tree)):
        if _changed(node) is None:
            continue
        other = copy.deepcopy(tree)
        twin = next(entry for n, entry in enumerate(ast.walk(other)) if n == index)
        replacement = _changed(twin)
        assert replacement is not None
        new = _Replace(twin, replacement).visit(other)
        line = getattr(node, "lineno", 0)
        change = f"{ast.unparse(node)}  ->  {ast.unparse(replacement)}"
        yield Mutant(path=path, line=line, change=change, source=ast.unparse(ast.fix_missing_locations(new)))


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def _changed(node: ast.AST) -> ast.AST | None:
    """Another node in place of this one; None where there is nothing to change."""
    if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPPED:
        return _with(node, op=SWAPPED[type(node.op)]())
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
        return _with(node, ops=[SWAPPED[type(node.ops[0])](), *node.ops[1:]])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    if isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value:
        return _with(node, value=node.value * 2)
    if isinstance(node, ast.Name) and node.id in NAMES:
        return _with(node, id=NAMES[node.id])
    if isinstance(node, ast.Attribute) and node.attr in NAMES:
        return _with(node, attr=NAMES[node.attr])
    return None


def _with(node: ast.AST, **fields: object) -> ast.AST:
    found = copy.copy(node)
    for name, value in fields.items():
        setattr(found, name, value)
    return found


def passes(copied: Path, tests: tuple[str, ...]) -> bool:
    """Whether these tests pass in the copy; tests that run longer than TIMEOUT_S do not."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": f"{copied}:{copied / 'pool'}", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=copied, env=environment, capture_output=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def survives(mutant: Mutant, copied: Path, tests: tuple[str, ...]) -> bool:
    """Whether the tests pass in the copy with this change."""
    file = copied / mutant.path
    original = file.read_text()
    file.write_text(mutant.source)
    try:
        return passes(copied, tests)
    finally:
        file.write_text(original)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.mutate", description="Name changes that no test notices.")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="paths that begin so")
    asked = parser.parse_args()
    every: list[tuple[Mutant, tuple[str, ...]]] = []
    for place, tests in TESTS.items():
        files = sorted((ROOT / place).rglob("*.py")) if (ROOT / place).is_dir() else [ROOT / place]
        for file in files:
            if str(file.relative_to(ROOT)).startswith(asked.only):
                every += [(mutant, tests) for mutant in mutants_of(file.relative_to(ROOT))]
    chosen = random.Random(asked.seed).sample(every, min(asked.count, len(every)))
    print(
        f"{len(chosen)} of {len(every)} mutants, seed {asked.seed}; each runs the tests beside its module", flush=True
    )
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder)
        for name in COPIED:
            shutil.copytree(ROOT / name, copied / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "README.md", "Pulumi.yaml", "Makefile"):
            shutil.copy(ROOT / name, copied / name)
        for tests in dict.fromkeys(tests for _, tests in chosen):
            if not passes(copied, tests):
                print(f"without any change these tests fail: {' '.join(tests)}", file=sys.stderr)
                return 2
        for mutant, tests in chosen:
            if survives(mutant, copied, tests):
                survivors += 1
                print(f"survived: {mutant.path}:{mutant.line}: {mutant.change}", flush=True)
    print(f"{survivors} of {len(chosen)} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    raise SystemExit(main())
