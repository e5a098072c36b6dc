"""Where an equation is used: the bill lines that name it, found by pricing plans, and the modules that import it."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

from planner.cli.options import Asked
from planner.decide.compare import compare
from planner.models.catalogue import FAMILIES, all_equations

ROOT = Path(__file__).resolve().parent.parent

# (example, overrides): together, the bills of these plans have every line that exists
OTHER_KINDS = ("worker-pool", "case-study-year", "fleet-from-sacct")
PLANS: tuple[tuple[str, ...], ...] = (
    *((path.stem,) for path in sorted((ROOT / "examples").glob("*.yaml")) if path.stem not in OTHER_KINDS),
    *(("stability-converged", f"data.kept_class={name}") for name in ("STANDARD_IA", "GLACIER_IR")),
    ("stability-converged", "data.kept_class=INTELLIGENT_TIERING", "storage.retention=200d"),
    ("small", "data.ingest={source: other-region, from_region: us-east-2, rate: 1GB/s}"),
    ("small", "data.kept_in_s3=20TB", "data.kept_class=STANDARD_IA", "data.ingest={source: upload, rate: 1GB/s}"),
    ("small", "storage.s3_gateway_endpoint=false"),
    ("small", "storage.layouts=[fsx-lustre]", "storage.fsx-lustre={deployment: INTELLIGENT_TIERING}"),
    ("small", "storage.layouts=[fsx-lustre]", "storage.fsx-lustre={metadata_iops: 24000}"),
)


def asked(example: str, overrides: tuple[str, ...], draws: int = 0) -> Asked:
    """An example with changes, at the newest prices."""
    return Asked(
        plan=str(ROOT / "examples" / f"{example}.yaml"),
        overrides=overrides,
        draws=draws,
        seed=0,
        prices=None,
        as_of=None,
        max_price_age=None,
    )


@cache
def bill_lines() -> dict[str, list[str]]:
    """Equation number -> the bill lines that name it, in the plans above."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for example, *overrides in PLANS:
        for scenario in compare(asked(example, tuple(overrides)).request()).scenarios:
            for line in scenario.bill:
                found[line.equation].add(line.line)
    return {number: sorted(lines) for number, lines in found.items()}


def named_in_source() -> set[str]:
    """Every equation number that the planner's source can put on a bill line."""
    numbers = {entry.number for entry in all_equations()}
    found = set()
    for path in _sources():
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.keyword) and node.arg == "equation":
                found |= {c.value for c in ast.walk(node.value) if isinstance(c, ast.Constant) and c.value in numbers}
    return found


def users() -> dict[str, list[str]]:
    """Equation name -> modules of the planner that import its function."""
    families = {family.__name__ for family in FAMILIES}
    functions = {(entry.function.__module__, entry.function.__name__): entry.name for entry in all_equations()}
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in _sources():
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.ImportFrom) and node.module in families:
                for alias in node.names:
                    if (node.module, alias.name) in functions:
                        found[functions[node.module, alias.name]].add(path.relative_to(ROOT).as_posix())
    return {name: sorted(modules) for name, modules in found.items()}


def _sources() -> list[Path]:
    return sorted((ROOT / "planner").rglob("*.py"))


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))
