"""The stack file: `Pulumi.<stack>.yaml`, written for people and read strictly.

The planner owns two of its keys: `aws:region`, and `gpu-fleet-planner:cluster` with the whole ClusterSpec. Everything
else (secrets, other namespaces, comments) belongs to the user and to Pulumi, and is not changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from planner.errors import PlanProblems, Problem, UsageProblem
from planner.plan.textfile import clean, decode, label_of, read_text, refuse
from planner.plan.wording import did_you_mean, shown
from planner.plan.yamlfile import Tree, Unreadable, read_yaml
from planner.stack.check import findings_of
from planner.stack.finding import Finding
from planner.stack.plain_data import InvalidSpec, from_mapping
from planner.stack.spec import ClusterSpec
from planner.stack.splice import put
from planner.stack.yaml_text import cluster_lines, scalar_text
from planner.whole_file import write_whole

PROJECT = "gpu-fleet-planner"  # the name in Pulumi.yaml, and so the namespace of our keys
CLUSTER = "cluster"
KEY = f"{PROJECT}:{CLUSTER}"
REGION = "aws:region"
AGAIN = "`planner stack PLAN --scenario ID` writes it"
TOP = ("config", "encryptionsalt", "encryptedkey", "secretsprovider", "environment")  # keys of Pulumi's stack settings

_HEAD = (
    "# Written by `planner stack` from a plan and its price book. Do not edit this part: change the plan and write it",
    "# again. `planner stack PLAN --check` compares it with the plan. Other keys of this file are not changed.",
)


@dataclass(frozen=True, kw_only=True)
class StackFile:
    """A stack file that was read. spec: None where it has no valid cluster. found: what is wrong with the cluster."""

    where: str
    text: str
    tree: Tree
    spec: ClusterSpec | None
    found: tuple[Finding, ...] = ()

    def problem(self, finding: Finding) -> Problem:
        """A finding with its line and column, or those of the nearest section around it."""
        path = ("config", KEY, *finding.path)
        inside = (path[:length] for length in range(len(path), -1, -1))
        line, column = next((self.tree.places[here] for here in inside if here in self.tree.places), (1, 1))
        return Problem(where=self.where, line=line, column=column, message=finding.message, remedy=finding.remedy)

    def problems(self, findings: Iterable[Finding] = ()) -> tuple[Problem, ...]:
        """The findings in the order of the file."""
        return tuple(sorted(map(self.problem, findings), key=lambda p: (p.line or 0, p.column or 0, p.message)))


def name_of(stack: str) -> str:
    """The file that Pulumi reads for a stack."""
    return f"Pulumi.{stack}.yaml"


def read(path: str | os.PathLike[str]) -> ClusterSpec:
    """The cluster of a stack file. Raises PlanProblems with everything that is wrong, and where."""
    found = open_file(path)
    if found.found:
        raise PlanProblems(found.problems(found.found))
    if found.spec is None:
        raise refuse(found.where, f"no {KEY} under config: `planner stack` did not write this file", AGAIN)
    return found.spec


def open_file(path: str | os.PathLike[str]) -> StackFile:
    """A stack file as it is; a cluster that is wrong is in `found`. Raises PlanProblems where it cannot be read."""
    file = parsed(read_text(path), where=label_of(path))
    name = Path(path).name
    if file.spec is not None and name.startswith("Pulumi.") and name != name_of(file.spec.stack):
        message = f"the cluster is of stack {shown(file.spec.stack)}, but the file is named for another"
        found = Finding(path=("stack",), message=message, remedy=f"write {name} with `planner stack`")
        return replace(file, spec=None, found=(found,))
    return file


def parsed(text: str | bytes, where: str) -> StackFile:
    """The same for text. Raises PlanProblems."""
    text = decode(text, where) if isinstance(text, bytes) else clean(text, where)
    try:
        tree = read_yaml(text, where)
    except Unreadable as error:
        raise PlanProblems((error.problem,)) from None
    if tree.problems:
        raise PlanProblems(tuple(tree.problems))
    config = _config(tree, where)
    file = StackFile(where=where, text=text, tree=tree, spec=None)
    _refuse_near_keys(config, tree, where)
    if KEY not in config:
        return file
    spec, found = checked(config[KEY])
    if spec is not None and config.get(REGION) != spec.region:
        region = shown(config[REGION]) if REGION in config else "missing"
        message = f"{REGION} is {region}, but the cluster is in {spec.region}"
        found = (*found, Finding(path=("region",), message=message, remedy=f"write {REGION}: {spec.region}"))
    return StackFile(where=where, text=text, tree=tree, spec=None if found else spec, found=found)


def checked(data: object) -> tuple[ClusterSpec | None, tuple[Finding, ...]]:
    """The spec from plain data, and every problem: its types, or else what cannot be deployed."""
    try:
        spec = from_mapping(data)
    except InvalidSpec as error:
        return None, error.findings
    return spec, findings_of(spec)


def from_config(data: object, *, stack: str, region: str | None) -> ClusterSpec:
    """The cluster as the engine hands its configuration to the program. Raises PlanProblems.

    stack, region: of the engine. Another stack's cluster must not be deployed under this name.
    """
    spec, found = checked(data)
    if spec is not None and spec.stack != stack:
        message = f"the cluster is of stack {shown(spec.stack)}, but this stack is {shown(stack)}"
        found = (*found, Finding(path=("stack",), message=message, remedy=f"planner stack PLAN --stack {stack}"))
    if spec is not None and region is not None and region != spec.region:
        message = f"{REGION} is {shown(region)}, but the cluster is in {spec.region}"
        found = (*found, Finding(path=("region",), message=message, remedy=f"write {REGION}: {spec.region}"))
    refuse_findings(found, stack)
    assert spec is not None  # else it has findings
    return spec


def refuse_findings(found: Iterable[Finding], stack: str) -> None:
    """Raises PlanProblems with the findings, if there are any, each at its key of the engine's configuration."""
    problems = tuple(
        Problem(
            where=f"{name_of(stack)}, {'.'.join((KEY, *map(str, finding.path)))}",
            line=None,
            column=None,
            message=finding.message,
            remedy=finding.remedy,
        )
        for finding in found
    )
    if problems:
        raise PlanProblems(problems)


def rendered(spec: ClusterSpec, before: str = "", where: str = "the stack file") -> str:
    """The text of a stack file with this cluster; everything else in `before` is kept. Raises PlanProblems."""
    cluster = cluster_lines(spec, KEY, 0)
    entries = {REGION: [f"{REGION}: {scalar_text(spec.region)}"], KEY: [cluster[0], *_head(2), *cluster[1:]]}
    return put(before, entries, where)


def _head(indent: int) -> list[str]:
    return [" " * indent + line for line in _HEAD]


def write(path: Path, text: str) -> None:
    """Replace the file in one step, so that a file with secrets is never half written. Raises UsageProblem."""
    try:
        write_whole(path, text)
    except (OSError, ValueError) as error:
        raise UsageProblem(f"cannot write {label_of(path)}: {getattr(error, 'strerror', None) or error}") from None


def _refuse_near_keys(config: Mapping[str, Any], tree: Tree, where: str) -> None:
    """Other namespaces may hold anything, but a misspelt key of the planner would be ignored silently."""
    for key in config:
        namespace, _, name = key.partition(":")
        misspelt = KEY not in config and name == CLUSTER and bool(did_you_mean(namespace, (PROJECT,)))
        if key != KEY and (namespace == PROJECT or misspelt):
            message, remedy = f"unknown key {shown(key)}", did_you_mean(key, (KEY,)) or f"known: {KEY}"
            raise refuse(where, message, remedy, tree.places[("config", key)])


def _config(tree: Tree, where: str) -> Mapping[str, Any]:
    if tree.data is None:
        return {}
    if not isinstance(tree.data, dict):
        raise refuse(where, "a stack file is a mapping, not " + shown(tree.data), "begin with config:")
    if "config" not in tree.data:
        near = [key for key in tree.data if key not in TOP and did_you_mean(key, ("config",))]
        if near:
            raise refuse(where, f"unknown key {shown(near[0])}", "did you mean config?", tree.places[(near[0],)])
    config = tree.data.get("config")
    if config is None:
        return {}
    if not isinstance(config, dict):
        raise refuse(where, f"config must be a mapping, not {shown(config)}", AGAIN, tree.places[("config",)])
    return config
