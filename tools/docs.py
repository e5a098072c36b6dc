"""Write every page and schema that is generated: python -m tools.docs. A test holds each to what it would be today."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# what is written -> the module whose text() it is, and what that is asked for
GENERATED: dict[str, tuple[str, ...]] = {
    "docs/cli.md": ("tools.cli_reference",),
    "docs/evidence.md": ("tools.evidence",),
    "docs/lint.md": ("tools.lint_rules",),
    "planner/lint/inputs/arguments.csv": ("tools.lint_inputs",),
    "planner/lint/inputs/values.csv": ("tools.lint_values",),
    "docs/model.md": ("tools.model",),
    "docs/nomenclature.md": ("tools.nomenclature",),
    "planner/report/data/schemas/compare.schema.json": ("tools.schema", "compare"),
    "planner/report/data/schemas/diff.schema.json": ("tools.schema", "diff"),
    "planner/report/data/schemas/explain.schema.json": ("tools.schema", "explain"),
    "planner/report/data/schemas/fleet.schema.json": ("tools.schema", "fleet"),
    "planner/report/data/schemas/optimize.schema.json": ("tools.schema", "optimize"),
    "planner/report/data/schemas/sensitivity.schema.json": ("tools.schema", "sensitivity"),
    "planner/report/data/schemas/worker-pool.schema.json": ("tools.schema", "worker-pool"),
}


def text_of(name: str) -> str:
    """What should stand in a generated file today."""
    module, *asked = GENERATED[name]
    return importlib.import_module(module).text(*asked)


def main() -> int:
    for name in GENERATED:
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text_of(name), encoding="utf-8", newline="\n")
        print(f"wrote {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
