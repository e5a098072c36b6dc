"""Golden files: what a user sees, kept beside its input. `pytest tests/report --update-golden` writes them anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from planner.report.data.provenance import model_sha256

GOLDEN = Path(__file__).parent / "golden"
# Fixture -> group of the tests that use it, which run one after another on one worker: the machine carries one pool
# at a time well, and a second worker would wait minutes for what the first one makes for both.
ONE_WORKER = {"pool_machine": "pool", "lives": "bridge"}
# Fixtures of tests that need a program from .tools, or root, namespaces and systemd: their tests are marked `real`.
NEEDS_BUILT = {"pool_machine", "daemon"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="Write tests/golden anew from what is printed now.")


@pytest.hookimpl(tryfirst=True)  # xdist reads the marks in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if NEEDS_BUILT & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.real)
        for group in {ONE_WORKER[name] for name in getattr(item, "fixturenames", ()) if name in ONE_WORKER}:
            item.add_marker(pytest.mark.xdist_group(group))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A group that xdist does not keep together, as under pytest 9.2, is said rather than slow and crowded."""
    mark = item.get_closest_marker("xdist_group")
    if mark is not None and item.config.getoption("loadgroup", False) and not item.nodeid.endswith(f"@{mark.args[0]}"):
        pytest.fail(f"xdist has not grouped this with {mark.args[0]!r}: is this pytest newer than the locked one?")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """golden(name, text): `text` is byte for byte what tests/golden/<name> holds; but for the model's hash, which any
    change of it changes, and which stands there as zeros."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        text = text.replace(model_sha256(), "0" * 64).replace(model_sha256()[:12], "0" * 12)
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8"))
            return
        assert path.exists(), f"no golden file {name}: run pytest tests/report --update-golden, and read what it writes"
        kept = path.read_bytes().decode("utf-8")
        if kept != text:
            pairs = enumerate(zip(kept.splitlines(), text.splitlines(), strict=False), 1)
            first = next((f"line {n}:\n  kept: {a}\n  now:  {b}" for n, (a, b) in pairs if a != b), "its length")
            pytest.fail(f"{name} differs in {first}\nif that is right: pytest tests/report --update-golden")

    return check
