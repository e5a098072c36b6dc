"""What a resource type takes and gives, read from pulumi_aws's own classes: names on the wire, required ones, shapes.

Reading the classes takes seconds, so that what was read is kept beside the cloud, for the next start of the provider.
"""

from __future__ import annotations

import inspect
import json
import os
import tempfile
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Shape = Any  # "string", "number", "bool", "any", ["list", Shape], ["map", Shape], ["object", {name: [required, Shape]}]
_PLAIN = {str: "string", int: "number", float: "number", bool: "bool"}
UNKNOWN = object()  # a value that a preview does not know yet


class Shapes:
    """Shapes of types, kept in a file. Raises LookupError for a type that pulumi_aws does not have."""

    def __init__(self, kept: Path) -> None:
        self.kept = kept
        self.known: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}

    def of(self, token: str) -> dict[str, Any]:
        """inputs: name -> [required, Shape]. outputs: names."""
        if token not in self.known:
            self.known[token] = shape_of(token)
            self._keep()
        return self.known[token]

    def faults(self, token: str, inputs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """(path, reason) of every input that the type does not take, needs, or takes otherwise."""
        yield from _faults(["object", self.of(token)["inputs"]], inputs, "")

    def _keep(self) -> None:
        with tempfile.NamedTemporaryFile("w", dir=self.kept.parent, delete=False) as out:
            json.dump(self.known, out)
        os.replace(out.name, self.kept)


def shape_of(token: str) -> dict[str, Any]:
    """Shape of one type, from its class and the class of its arguments."""
    import pulumi_aws
    from pulumi import _types

    module, _, name = token.removeprefix("aws:").partition(":")
    home = getattr(pulumi_aws, module.partition("/")[0], None)
    # where a block of another type has the name already, the arguments are called otherwise
    resource, arguments = (
        getattr(home, name, None),
        getattr(home, f"{name}InitArgs", getattr(home, f"{name}Args", None)),
    )
    if resource is None or arguments is None:
        raise LookupError(f"pulumi_aws has no resource {token}")
    outputs = sorted(_types.resource_py_to_pulumi_names(resource).values())
    return {"inputs": _object(arguments), "outputs": outputs}


def _object(of: type) -> dict[str, Any]:
    from pulumi import _types

    names, kinds = _types.input_type_py_to_pulumi_names(of), _types.input_type_types(of)
    wanted = inspect.signature(of.__init__).parameters
    return {
        wire: [wanted[own].default is inspect.Parameter.empty, _shape(kinds.get(wire, kinds.get(own)))]
        for own, wire in names.items()
        if own in wanted
    }


def _shape(kind: Any) -> Shape:
    """The shape behind an annotation: what may be awaited or absent is left out of it."""
    from pulumi import _types

    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind in _PLAIN:
        return _PLAIN[kind]
    if inspect.isclass(kind) and _types.is_input_type(kind):
        return ["object", _object(kind)]
    if origin is typing.Union:
        kept = [_shape(one) for one in inner if one is not type(None) and not _awaited(one)]
        kept = [one for one in kept if one != "any"]
        return kept[0] if kept and all(one == kept[0] for one in kept) else "any"
    if origin is not None and inner:
        if issubclass(origin, Mapping):
            return ["map", _shape(inner[1])]
        if issubclass(origin, typing.Sequence):
            return ["list", _shape(inner[0])]
    return "any"


def _awaited(kind: Any) -> bool:
    origin = typing.get_origin(kind)
    return "Output" in str(kind)[:24] or (origin is not None and "Awaitable" in str(origin))


def _faults(shape: Shape, value: Any, where: str) -> Iterator[tuple[str, str]]:
    if value is UNKNOWN or value is None or shape == "any":
        return
    if isinstance(shape, str):
        # as the real one: a number may come as text and the other way round
        fits = isinstance(value, str | int | float | bool)
        if not fits or (shape == "number" and isinstance(value, str) and not _number(value)):
            yield where, f"expected a {shape}, not {value!r}"
        return
    kind, inner = shape
    if kind == "list":
        if not isinstance(value, list):
            yield where, f"expected a list, not {value!r}"
            return
        for number, one in enumerate(value):
            yield from _faults(inner, one, f"{where}[{number}]")
        return
    if not isinstance(value, Mapping):
        yield where, f"expected a {'map' if kind == 'map' else 'block'}, not {value!r}"
        return
    if kind == "map":
        for name, one in value.items():
            yield from _faults(inner, one, f"{where}.{name}")
        return
    for name, one in value.items():
        path = f"{where}.{name}".lstrip(".")
        if name not in inner:
            yield path, f"An argument named {name!r} is not expected here"
        else:
            yield from _faults(inner[name][1], one, path)
    for name, (required, _) in inner.items():
        if required and value.get(name) is None:
            yield f"{where}.{name}".lstrip("."), "Missing required argument"


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
