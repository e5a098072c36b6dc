"""What a preview by Pulumi says it would replace or delete: bucket, key, file system, volume."""

from __future__ import annotations

import copy

from tests.lint.graphs import Document
from tests.lint.mistakes.edits import Edit, Mistake


def step(op: str, type_: str, **more: object) -> Edit:
    """One more step of a preview, over a resource that stands."""

    def edit(document: Document) -> None:
        urn = f"urn:pulumi:dev::p::{type_}::held"
        state = {"urn": urn, "type": type_, "custom": True, "id": "held-1", "inputs": {}, **more}
        made = {} if op == "delete" else {"newState": copy.deepcopy(state)}
        document["steps"].append({"op": op, "urn": urn, "oldState": state, **made})

    return edit


BUCKET, KEY, VOLUME = "aws:s3/bucket:Bucket", "aws:kms/key:Key", "aws:ebs/volume:Volume"
LUSTRE, EFS = "aws:fsx/lustreFileSystem:LustreFileSystem", "aws:efs/fileSystem:FileSystem"

# edits of a preview, not of a graph
ENDING = (
    Mistake("replaced file system", "DATA-ENDS", step("replace", LUSTRE)),
    Mistake("replaced volume, with its steps shown", "DATA-ENDS", step("create-replacement", VOLUME)),
    Mistake("replaced bucket that is kept", "DATA-ENDS", step("replace", BUCKET, retainOnDelete=True)),
    Mistake("deleted bucket", "DATA-ENDS", step("delete", BUCKET)),
    Mistake("deleted key", "DATA-ENDS", step("delete", KEY)),
    Mistake("deleted EFS", "DATA-ENDS", step("delete", EFS)),
    Mistake("deleted table", "DATA-ENDS", step("delete", "aws:dynamodb/table:Table")),
)
