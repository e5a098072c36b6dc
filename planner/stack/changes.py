"""The differences between two specs, value by value: what writing a stack file again would change."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from planner.stack.finding import Path
from planner.stack.plain_data import to_mapping
from planner.stack.spec import ClusterSpec
from planner.stack.switching import standing


@dataclass(frozen=True, kw_only=True)
class Change:
    """One value. before, after: None if the key is missing."""

    path: Path
    before: Any
    after: Any

    @property
    def name(self) -> str:
        return ".".join(map(str, self.path))


def changes(before: ClusterSpec, after: ClusterSpec) -> tuple[Change, ...]:
    """Every value that differs, in the order of the spec, apart from rounding."""
    old, new = dict(_values(to_mapping(before), ())), dict(_values(to_mapping(after), ()))
    every = dict.fromkeys((*old, *new))
    found = (Change(path=path, before=old.get(path), after=new.get(path)) for path in every)
    return tuple(change for change in found if not _same(change.before, change.after))


def by_hand(before: ClusterSpec, after: ClusterSpec) -> ClusterSpec:
    """`after` with the values of `before` that only a person sets: root devices, prefixes and roles; and of workers,
    whose plan has no `deploy` section, what the account may have."""
    spec = replace(
        after,
        fleet=replace(after.fleet, root_device=before.fleet.root_device),
        guard=replace(after.guard, roles=before.guard.roles),
        data=replace(
            after.data,
            dataset_prefix=before.data.dataset_prefix,
            checkpoint_prefix=before.data.checkpoint_prefix,
            kept_prefix=before.data.kept_prefix,
        ),
    )
    if after.scheduler and after.scheduler.others:
        devices = {one.fleet.instance_type: one.fleet.root_device for one in before.by_type}
        others = tuple(
            replace(one, fleet=replace(one.fleet, root_device=devices.get(one.fleet.instance_type, "/dev/sda1")))
            for one in after.scheduler.others
        )
        spec = replace(spec, scheduler=replace(after.scheduler, others=others))
    if before.control.count and after.control.count:
        spec = replace(spec, control=replace(after.control, root_device=before.control.root_device))
    if standing(before) == standing(after):
        spec = replace(spec, switched_from=before.switched_from)
    if after.workers is not None:
        guard = replace(spec.guard, more=before.guard.more)
        spec = replace(spec, guard=guard, permissions_boundary=before.permissions_boundary)
    return spec


def _values(data: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, Any]]:
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from _values(value, (*path, key))
        else:
            yield (*path, key), value


def _same(before: Any, after: Any) -> bool:
    if isinstance(before, float) and isinstance(after, float):
        return math.isclose(before, after, rel_tol=1e-9)
    return before == after
