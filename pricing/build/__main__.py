"""`python -m pricing.build SOURCE_DIR --as-of DATE --out pricing/data`: build a dated price folder."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from pricing import snapshot
from pricing.build.assemble import Assembly

STANDARD_DATES = (date(2023, 12, 31), date(2025, 5, 31), date(2026, 9, 1), date(2026, 10, 10))


def build(source: Path, as_of: date, out: Path) -> Path:
    """Write the folder of one date below `out` and return its path.

    Raises FileExistsError if the folder exists: a dated folder is never edited.
    """
    folder = out / as_of.isoformat()
    if (folder / "manifest.json").exists():
        raise FileExistsError(f"{folder} exists; a dated folder is never edited: choose another --as-of")
    assembly = Assembly(source, as_of)
    tables = assembly.tables()
    snapshot.write(folder, tables, assembly.facts())
    return folder


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the given folders; 0, or 2 if one exists already or a source is not readable."""
    parser = argparse.ArgumentParser(prog="python -m pricing.build", description=__doc__)
    parser.add_argument("source", type=Path, metavar="SOURCE_DIR", help="folder with the source CSV files")
    parser.add_argument("--as-of", type=date.fromisoformat, action="append", help="default: the standard dates")
    parser.add_argument("--out", type=Path, default=snapshot.DATA, help="default: the package's data folder")
    options = parser.parse_args(arguments)
    for as_of in options.as_of or STANDARD_DATES:
        try:
            folder = build(options.source, as_of, options.out)
        except (OSError, ValueError) as error:
            print(f"pricing.build: {error}", file=sys.stderr)
            return 2
        print(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
