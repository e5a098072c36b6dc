"""Types that the cloud behind the provider lacks: the real code checks and plans them, and they are only written down.

What they would be called at AWS is made of their URN, so that it is the same at every attempt.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from google.protobuf.empty_pb2 import Empty
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Struct
from pulumi.runtime.proto import provider_pb2 as messages

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"  # how the engine writes text that is not known before it is there
PREFIX = {
    "aws:fsx/lustreFileSystem:LustreFileSystem": "fs-",
    "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation": "dra-",
}


def answer(name: str, request: Any, asked: Callable[..., Any]) -> Any:
    """asked: the real answer, with some fields of the request changed."""
    if name in ("Create", "Update"):
        planned = asked(preview=True)
        if not request.preview:
            planned.properties.CopyFrom(_known(request.urn, planned.properties))
        if not request.preview and name == "Create":
            planned.id = _id(request.urn)
        return planned
    if name == "Read":
        return messages.ReadResponse(id=request.id, properties=request.properties, inputs=request.inputs)
    if name == "Delete":
        return Empty()
    if name == "Diff":
        return _differs(request, asked)
    return asked()


def _differs(request: Any, asked: Callable[..., Any]) -> Any:
    """By the inputs alone: the state holds no more. Which of them make it anew says the real plan."""
    before, now = MessageToDict(request.old_inputs), MessageToDict(request.news)
    changed = sorted(key for key in {*before, *now} if before.get(key) != now.get(key))
    kinds = messages.DiffResponse
    if not changed:
        return kinds(changes=kinds.DIFF_NONE)
    anew = [key for key in asked().replaces if key in changed]
    return kinds(changes=kinds.DIFF_SOME, diffs=changed, replaces=anew)


def _id(urn: str) -> str:
    token = urn.split("::", 3)[2].rpartition("$")[2]
    return PREFIX.get(token, "made-up-") + hashlib.sha256(urn.encode()).hexdigest()[:17]


def _known(urn: str, planned: Struct) -> Struct:
    """What was planned, and for what only AWS could say, what others refer to: the rest is left out."""
    id_ = _id(urn)
    made_up = {
        "id": id_,
        "arn": f"arn:aws:made-up:us-east-1:123456789012:{id_}",
        "dnsName": f"{id_}.example.org",
        "mountName": id_[-8:],
        # where one of these is missing, the next plan makes it anew whatever else is asked
        "batchComputeEnvironmentId": id_,
        "exportPath": "",
        "importedFileChunkSize": 0,
        "efaEnabled": False,
        "fsxLustreFileSystemId": id_,
    }
    return ParseDict(_filled(MessageToDict(planned), made_up), Struct())


def _filled(value: Any, made_up: Mapping[str, Any]) -> Any:
    if isinstance(value, dict):
        known = {key: made_up.get(key) if entry == UNKNOWN else _filled(entry, made_up) for key, entry in value.items()}
        return {key: entry for key, entry in known.items() if entry is not None or value[key] is None}
    return [_filled(entry, made_up) for entry in value] if isinstance(value, list) else value
