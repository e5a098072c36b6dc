"""The JSON Schemas of every kind of plan file, generated from the types, for `planner schema` and for editors.

Written to schema.json, worker_pool_schema.json and fleet_schema.json beside this file by `python -m
planner.plan.schema`; a test checks that they are current.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from planner.plan.fleet_types import FleetPlan
from planner.plan.types import Plan, Section
from planner.plan.worker_pool_types import WorkerPoolPlan

SCHEMA_FILE = Path(__file__).with_name("schema.json")
POOL_SCHEMA_FILE = Path(__file__).with_name("worker_pool_schema.json")
FLEET_SCHEMA_FILE = Path(__file__).with_name("fleet_schema.json")
FLEET_SCHEMA_ID = "urn:gpu-fleet-planner:fleet-plan:v1"
SCHEMA_ID = "urn:gpu-fleet-planner:plan:v1"
POOL_SCHEMA_ID = "urn:gpu-fleet-planner:worker-pool-plan:v1"


def plan_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of one plan file.

    It checks each key on its own; `planner validate` also checks keys against each other.
    """
    return _schema(Plan, SCHEMA_ID, "Plan of a GPU training fleet (planner/v1)")


def pool_schema() -> dict[str, Any]:
    """The same of the plan of a worker pool."""
    return _schema(WorkerPoolPlan, POOL_SCHEMA_ID, "Plan of a worker pool (planner/v1)")


def fleet_schema() -> dict[str, Any]:
    """The same of the plan of a fleet that many projects share."""
    return _schema(FleetPlan, FLEET_SCHEMA_ID, "Plan of a fleet that projects share (planner/v1)")


def _schema(root: type[Section], name: str, title: str) -> dict[str, Any]:
    schema = root.model_json_schema(by_alias=True, mode="validation")
    _tidy(schema)
    for section in (schema, *schema["$defs"].values()):
        for value in section.get("properties", {}).values():
            # pydantic leaves out a description that the section behind the key has already; editors show the key's
            target = value.get("$ref", "").removeprefix("#/$defs/")
            if target:
                value.setdefault("description", schema["$defs"][target].get("description", ""))
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": name,
        "title": title,
    }
    return head | {key: value for key, value in schema.items() if key != "title"}


def schema_text() -> str:
    """The content of schema.json."""
    return json.dumps(plan_schema(), indent=2, ensure_ascii=False) + "\n"


def pool_schema_text() -> str:
    """The content of worker_pool_schema.json."""
    return json.dumps(pool_schema(), indent=2, ensure_ascii=False) + "\n"


def fleet_schema_text() -> str:
    """The content of fleet_schema.json."""
    return json.dumps(fleet_schema(), indent=2, ensure_ascii=False) + "\n"


def _tidy(node: Any) -> None:
    """Take the titles that pydantic derives from field names away: an editor would show them as facts.

    Only a schema's own title goes, a property may be called title.
    """
    if isinstance(node, list):
        for item in node:
            _tidy(item)
    elif isinstance(node, dict):
        if isinstance(node.get("title"), str):
            del node["title"]
        for value in node.values():
            _tidy(value)


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8", newline="\n")
    POOL_SCHEMA_FILE.write_text(pool_schema_text(), encoding="utf-8", newline="\n")
    FLEET_SCHEMA_FILE.write_text(fleet_schema_text(), encoding="utf-8", newline="\n")
