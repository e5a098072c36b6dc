"""A resource graph: resources by URN, with references resolved.

A reference in `inputs` has the form "${urn.property}". Graphs of other programs may use plain ids instead: the `id`,
`arn` or physical name of a resource.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from planner.lint.read.pulumi_json import ending_of, entries_of, left_out
from planner.lint.read.values import Json, flag, leaves, literal, number, one, texts

REFERENCE = re.compile(r"\$\{([^{}]*)\}")
HOOK = "autoscaling:LifecycleHook"
# inputs that hold a resource's AWS name
PHYSICAL = ("bucket", "name", "groupName", "clusterName")


class NotAGraph(Exception):
    """The file is not a resource graph; the message says why and what to do."""


@dataclass(frozen=True)
class Resource:
    """One resource. kind: `ec2:LaunchTemplate` of `aws:ec2/launchTemplate:LaunchTemplate`.

    protect, retain, free: None if the file does not say.
    """

    type: str
    kind: str
    name: str
    urn: str
    inputs: Json
    depends_on: tuple[str, ...] = ()
    parent: str = ""
    protect: bool | None = None
    retain: bool | None = None
    bill_lines: tuple[str, ...] = ()
    free: bool | None = None
    usd_per_hour: float | None = None
    ids: tuple[str, ...] = ()
    place: int = field(default=0, compare=False)

    def __hash__(self) -> int:
        return hash((self.urn, self.place))

    @property
    def physical(self) -> str | None:
        """The resource's name in AWS, if the graph has it."""
        return next((name for key in PHYSICAL if (name := literal(self.inputs.get(key)))), None)


def kind_of(token: str) -> str:
    """`ec2:Subnet` of `aws:ec2/subnet:Subnet`; the second version of an S3 type is that type."""
    parts = token.split(":")
    if len(parts) < 3 or parts[0] != "aws":
        return token
    module, name = parts[1].split("/")[0], parts[-1]
    return f"{module}:{name.removesuffix('V2')}" if module == "s3" else f"{module}:{name}"


@dataclass(frozen=True)
class Graph:
    """The resources of one stack. stack: its properties in the file, which may be empty. ending: "replaced" or
    "deleted", and the resource as it stands: only a preview by Pulumi says so."""

    resources: tuple[Resource, ...]
    stack: Json
    ending: tuple[tuple[str, Resource], ...] = ()

    @cached_property
    def by_urn(self) -> dict[str, Resource]:
        return {resource.urn: resource for resource in reversed(self.resources)}

    @cached_property
    def _by_kind(self) -> dict[str, list[Resource]]:
        found: dict[str, list[Resource]] = defaultdict(list)
        for resource in self.resources:
            found[resource.kind].append(resource)
        return found

    @cached_property
    def _by_text(self) -> dict[str, list[Resource]]:
        """Resources by URN, id, ARN and physical name."""
        found: dict[str, list[Resource]] = defaultdict(list)
        for resource in self.resources:
            # a hook's id is a plain word, such as launch, which nothing refers to
            named = () if resource.kind == HOOK else (*resource.ids, resource.physical or "")
            for text in dict.fromkeys((resource.urn, *named)):
                if text:
                    found[text].append(resource)
        return found

    @cached_property
    def _children(self) -> dict[str, list[Resource]]:
        found: dict[str, list[Resource]] = defaultdict(list)
        for resource in self.resources:
            if resource.parent:
                found[resource.parent].append(resource)
        return found

    def of(self, *kinds: str) -> list[Resource]:
        """Resources of these kinds, sorted by name, so that findings do not depend on the file's order."""
        found = (resource for kind in kinds for resource in self._by_kind.get(kind, ()))
        return sorted(found, key=lambda resource: (resource.name, resource.urn))

    def split(self, body: str) -> tuple[Resource, str] | None:
        """The resource and the property of `urn.property`; names may hold dots."""
        at = len(body)
        while at > 0:
            if body[:at] in self.by_urn:
                return self.by_urn[body[:at]], body[at + 1 :]
            at = body.rfind(".", 0, at)
        return None

    def referred(self, value: object) -> Iterator[Resource]:
        """Every resource that a value refers to, anywhere inside it."""
        for _, leaf in leaves(value):
            if isinstance(leaf, str) and "${" in leaf:
                for body in REFERENCE.findall(leaf):
                    found = self.split(body)
                    if found:
                        yield found[0]

    def target(self, value: object, *kinds: str) -> Resource | None:
        """The resource that an argument refers to by reference, id, ARN or name; None if there is none."""
        for text in texts(value)[:1]:
            for resource in self.referred(text):
                if resource.kind in kinds or not kinds:
                    return resource
            for resource in self._by_text.get(text, ()):
                if resource.kind in kinds or not kinds:
                    return resource
        return None

    def targets(self, value: object, *kinds: str) -> list[Resource]:
        """The resources of the graph that a list of arguments refers to."""
        found = (self.target(text, *kinds) for text in texts(value))
        return list(dict.fromkeys(resource for resource in found if resource is not None))

    def pointing(self, at: Resource, kind: str, key: str) -> list[Resource]:
        """Resources of a kind whose argument `key` refers to this one."""
        return [r for r in self.of(kind) if any(found is at for found in self.targets(r.inputs.get(key), at.kind))]

    @cached_property
    def befores(self) -> dict[str, frozenset[str]]:
        """URN -> URNs of the resources that must be created before it."""
        return {urn: frozenset(self._directly_before(resource)) for urn, resource in self.by_urn.items()}

    def _directly_before(self, resource: Resource) -> set[str]:
        """URNs of its dependencies (with the children of components) and of the resources that it refers to."""
        found = {other.urn for other in self.referred(resource.inputs)}
        waiting = list(resource.depends_on)
        while waiting:
            urn = waiting.pop()
            if urn not in found:
                found.add(urn)
                waiting += [child.urn for child in self._children.get(urn, ())]
        own = (*resource.ids, resource.physical)
        for _, leaf in leaves(resource.inputs):
            # two hooks may share a name: a resource's own name is not a reference
            if isinstance(leaf, str) and leaf in self._by_text and leaf not in own:
                found |= {other.urn for other in self._by_text[leaf] if leaf in (other.urn, *other.ids)}
        return found - {resource.urn}

    def all_before(self, resource: Resource) -> set[str]:
        """URNs of all its direct and indirect dependencies."""
        found: set[str] = set()
        waiting = [resource.urn]
        while waiting:
            for urn in self.befores.get(waiting.pop(), ()):
                if urn not in found:
                    found.add(urn)
                    waiting.append(urn)
        return found


def parse(text: str) -> Graph:
    """The graph of a file's text. Raises NotAGraph."""
    try:
        document = json.loads(text)
    except RecursionError:
        raise NotAGraph("the JSON is nested too deeply for a resource graph") from None
    except ValueError as error:
        raise NotAGraph(f"this is not JSON: {error}") from None
    return graph_from(document)


def graph_from(document: object) -> Graph:
    """The graph of parsed JSON, including Pulumi's own formats. Raises NotAGraph."""
    own = entries_of(document) if isinstance(document, dict) and "resources" not in document else None
    ending: list[tuple[str, Json]] = []
    if own is not None and isinstance(document, dict):
        missing = left_out(document)
        if missing:
            message = f"this preview leaves out {missing} resources that do not change, which other resources refer to"
            raise NotAGraph(f"{message}; create it with --show-sames")
        ending = ending_of(document)
        document = {"resources": own}
    if not isinstance(document, dict) or not isinstance(document.get("resources"), list):
        got = "an object without it" if isinstance(document, dict) else _name(document)
        raise NotAGraph(f'a resource graph is an object with a list "resources", this is {got}')
    stack = document.get("stack")
    resources = tuple(_resource(entry, i) for i, entry in enumerate(document["resources"]))
    return Graph(
        resources=resources,
        stack=stack if isinstance(stack, dict) else {},
        ending=tuple((how, _resource(entry, i)) for i, (how, entry) in enumerate(ending)),
    )


def _resource(entry: object, place: int) -> Resource:
    where = f"resources[{place}]"
    if not isinstance(entry, dict):
        raise NotAGraph(f"{where} is {_name(entry)}; a resource is an object with type, name, urn and inputs")
    token = entry.get("type")
    if not isinstance(token, str) or not token:
        raise NotAGraph(f'{where} has no "type" such as "aws:ec2/vpc:Vpc"')
    for key, wanted in (("inputs", dict), ("depends_on", list), ("name", str), ("urn", str)):
        value = entry.get(key)
        if value is not None and not isinstance(value, wanted):
            raise NotAGraph(f'{where}: "{key}" is {_name(value)}, not {_name(wanted())}')
    urn, name = entry.get("urn") or "", entry.get("name") or ""
    if not urn and not name:
        raise NotAGraph(f'{where} has neither "urn" nor "name", so that no finding could name it')
    outputs = one(entry.get("outputs"))
    ids = [found for block in (entry, outputs) for key in ("id", "arn") if (found := literal(block.get(key)))]
    hourly = entry.get("usd_per_hour")
    free = entry.get("free")
    return Resource(
        type=token,
        kind=kind_of(token),
        name=name or urn.rpartition("::")[2],
        urn=urn or f"{token}::{name}",
        inputs=entry.get("inputs") or {},
        depends_on=tuple(texts(entry.get("depends_on"))),
        parent=entry["parent"] if isinstance(entry.get("parent"), str) else "",
        protect=flag(entry.get("protect")),
        retain=flag(entry.get("retain_on_delete")),
        bill_lines=tuple(texts(entry.get("bill_lines"))),
        free=free if isinstance(free, bool) else None,
        usd_per_hour=number(hourly) if not isinstance(hourly, str) else None,
        ids=tuple(ids),
        place=place,
    )


def _name(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", int: "a number"}
    return "null" if value is None else names.get(type(value), "a number")
