"""What a fault is: a generator that breaks before its `yield` and repairs after it, with what clients may see of it.

Between the two the pool has to come back by itself; after the second everything has to be whole again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from tests.pool.audit import Verdict
from tests.pool.cluster import Cluster

Breaking = Callable[..., AbstractContextManager[None]]


class Witness(Protocol):
    """More that clients were promised than `Load` asks for, while one fault lasts. door: by what it is read
    afterwards, in the words of the table."""

    door: str

    def __init__(self, cluster: Cluster, rng: random.Random) -> None: ...

    def running(self) -> AbstractContextManager[None]:
        """Clients that read and write as long as the context lasts."""
        ...

    def verdict(self) -> Verdict:
        """Also once more, at the end of a campaign."""
        ...


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One way to break a pool.

    name: what happens. group: of the list that the campaign must cover. limit_s: how long clients may see errors.
    reads_go_on: cached reads must not fail at all. no_errors: nothing at all may fail. holds_s: for how long the pool
    is left alone with it at least. witness: what else is promised under it; its breaking gets it as third argument.
    """

    name: str
    group: str
    breaking: Breaking
    limit_s: float = 60.0
    reads_go_on: bool = False
    no_errors: bool = False
    holds_s: float = 3.0
    witness: type[Witness] | None = None


FAULTS: dict[str, Fault] = {}


def fault(
    name: str,
    group: str,
    limit_s: float = 60.0,
    *,
    reads_go_on: bool = False,
    no_errors: bool = False,
    holds_s: float = 3.0,
    witness: type[Witness] | None = None,
) -> Callable[[Callable[..., Iterator[None]]], None]:
    def keep(generator: Any) -> None:
        FAULTS[generator.__name__] = Fault(
            name=name,
            group=group,
            breaking=contextmanager(generator),
            limit_s=limit_s,
            reads_go_on=reads_go_on,
            no_errors=no_errors,
            holds_s=holds_s,
            witness=witness,
        )

    return keep
