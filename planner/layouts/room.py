"""What is known of a layout before any of it is loaded: no models, no arrays, no prices."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Room:
    """One storage layout. Its folder has `layout`, `service`, `bill` and `spec`; `settings` and `checks` where a plan
    may say something of it.

    title: for people. brief: the same in two or three words, for a sentence. sections: those of the stack file that it
    has and not every layout has.
    is_default: whether plans that name no layouts compare it. has_settings: whether a plan may have `storage.<name>`.
    is_posix: whether jobs always have a POSIX file system on it.
    may_refuse: fields of its settings with which AWS may be unable to provide it.
    variant_unit: what the number of a variant counts, as in `fsx-lustre+125`.
    lustre_deployment: deployment type of its file system. not_deployed: why `planner stack` does not write it; empty
    where it does.
    """

    title: str
    brief: str
    sections: tuple[str, ...] = ()
    is_default: bool = True
    has_settings: bool = True
    is_posix: bool = False
    variant_unit: str = ""
    may_refuse: tuple[str, ...] = ()
    lustre_deployment: str = ""
    not_deployed: str = ""
