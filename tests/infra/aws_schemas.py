"""AWS's own schemas of what Cloud Control makes, as cfn-lint ships them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import cfnlint.data.schemas

FOLDER = Path(next(iter(cfnlint.data.schemas.__path__)))


@cache
def schema(kind: str) -> dict[str, Any]:
    """Of a type like AWS::PCS::Cluster, in us-east-1."""
    table = json.loads((FOLDER / "providers/us-east-1.json").read_text(encoding="utf-8"))
    found: dict[str, Any] = json.loads((FOLDER / f"resources/{table[kind]}.json").read_text(encoding="utf-8"))
    return found
