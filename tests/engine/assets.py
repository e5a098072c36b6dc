"""Files among a resource's properties, as Pulumi's wire has them: a struct with a signature."""

from __future__ import annotations

from google.protobuf.struct_pb2 import Struct, Value
from pulumi.runtime.rpc import _special_asset_sig, _special_sig_key


def asset_of(value: Value) -> Struct | None:
    """The struct of a file: its `path` where the program gave one, its `hash`. None where the value is no file."""
    if not value.HasField("struct_value"):
        return None
    fields = value.struct_value.fields
    signed = _special_sig_key in fields and fields[_special_sig_key].string_value == _special_asset_sig
    return value.struct_value if signed else None
