"""planner/lint/inputs/arguments.csv: the arguments of each type, their sorts, which are required: from pulumi_aws.

An argument that is not text says so: minSize:int, encrypted:bool, tags:map, securityGroups:texts, ebs:block.
"""

from __future__ import annotations

import csv
import importlib
import inspect
import io
import keyword
import re
from collections.abc import Iterator
from typing import Any

from planner.lint.inputs.arguments import REQUIRED
from planner.lint.rules import RULES

# types that no rule names, and that a fleet may hold
ALSO = (
    "cloudwatch:EventRule",
    "cloudwatch:EventTarget",
    "ec2:DefaultRouteTable",
    "ec2:InternetGateway",
    "ec2:RouteTable",
    "iam:Group",
    "kms:Alias",
    "s3:BucketObjectv2",
    "s3:BucketOwnershipControls",
)
NESTED = re.compile(r"'(\w+)Args'")


def text() -> str:
    """The file as it would be today."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("type", "block", "required", "optional"))
    kinds = {kind for rule in RULES for kind in rule.subjects} | set(REQUIRED) | set(ALSO)
    for kind in sorted(kinds):
        for block, names in sorted(_blocks(kind).items()):
            needed = sorted(word for word, must in names.items() if must)
            writer.writerow((kind, block, " ".join(needed), " ".join(sorted(names.keys() - set(needed)))))
    return out.getvalue()


def _blocks(kind: str) -> dict[str, dict[str, bool]]:
    """Block -> its arguments, each as name:sort, and whether it must be given."""
    module, name = kind.split(":")
    # lambda is a word of Python's
    service = importlib.import_module(f"pulumi_aws.{module}{'_' if keyword.iskeyword(module) else ''}")
    found: dict[str, dict[str, bool]] = {}
    for type_ in (name, f"{name}V2") if module == "s3" else (name,):
        args = getattr(service, f"{type_}Args", None)
        if args is not None:
            _walk(service, args, "", found, ())
    return found


def _walk(service: Any, args: type, path: str, found: dict[str, dict[str, bool]], above: tuple[type, ...]) -> None:
    """The arguments of a class, and of the blocks in them; blocks that hold themselves are followed twice.

    Policies are left out: IAM has its own words.
    """
    here = found.setdefault(path, {})
    must = inspect.signature(args.__init__).parameters
    for key, name, kind in _arguments(args):
        sort = _sort(kind)
        here[f"{name}:{sort}" if sort else name] = key in must and must[key].default is inspect.Parameter.empty
        nested = NESTED.search(kind)
        inner = getattr(service, f"{nested[1]}Args", None) if nested else None
        if inner is not None and nested and nested[1] != "PolicyDocument" and above.count(inner) < 2:
            _walk(service, inner, f"{path}.{name}" if path else name, found, (*above, inner))


# how the types of pulumi_aws write an argument, without what wraps it; enumerations are text
SORTS = (
    (re.compile(r"typing\.Sequence\[.*?ForwardRef\('\w+Args'\)"), "blocks"),
    (re.compile(r"typing\.Sequence\[(typing\.Union\[)?(str|ForwardRef\('\w+'\))"), "texts"),
    (re.compile(r"typing\.Mapping\["), "map"),
    (re.compile(r"ForwardRef\('\w+Args'\)"), "block"),
    (re.compile(r"int\b"), "int"),
    (re.compile(r"float\b"), "number"),
    (re.compile(r"bool\b"), "bool"),
    (re.compile(r"str\b"), ""),
)
WRAPPED = re.compile(r"^(typing\.(Union|Optional)\[)+")


def _sort(kind: str) -> str:
    """The sort of an argument: "" for text, any where it may be several things."""
    plain = WRAPPED.sub("", kind)
    return next((sort for pattern, sort in SORTS if pattern.match(plain)), "any")


def _arguments(args: type) -> Iterator[tuple[str, str, str]]:
    """The arguments of a class: its word in Python, on the wire, its type as written."""
    for name, member in vars(args).items():
        getter = getattr(member, "fget", None)
        if getter is not None and not name.startswith("_"):
            yield name, getattr(getter, "_pulumi_name", None) or name, str(getter.__annotations__.get("return"))
