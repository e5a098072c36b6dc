"""Which tests need real programs, which share a worker; golden files (`pytest tests/report --update-golden`)."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings

from planner import clock
from planner.report.data.provenance import model_sha256

GOLDEN = Path(__file__).parent / "golden"
settings.register_profile("busy", parent=settings(), deadline=None)  # a machine that does other work breaks no law
settings.load_profile("busy")
os.environ["PLANNER_DATA"] = "/nonexistent"  # price books of whoever runs the tests change no result
# Fixture -> xdist group of the tests that use it. A group runs on one worker: a machine carries one pool well, and a
# second worker would wait minutes for what the first one makes for both.
ONE_WORKER = {"pool_machine": "pool", "lives": "bridge"}
# Tests marked `real`, which `make test-real` runs: those with a fixture that needs a program from .tools/, or root,
# network namespaces and systemd, and all tests in the folders of the real engine and of its bridge to the AWS provider.
REAL_FIXTURES = {"pool_machine", "daemon"}
REAL_FOLDERS = ("tests/engine/", "tests/bridge/")
# What is tested with every example is tested with these in `make test`, with the others in `make test-real`.
FIRST_EXAMPLES = ("multimodal-p5", "small", "standing-fleet", "llama-70b-p5")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="Replace tests/golden with the current output.")


@pytest.hookimpl(tryfirst=True)  # xdist reads the marks in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if fixtures & REAL_FIXTURES or item.nodeid.startswith(REAL_FOLDERS):
            item.add_marker(pytest.mark.real)
        path = getattr(getattr(item, "callspec", None), "params", {}).get("path")
        if isinstance(path, Path) and path.parent.name == "examples" and path.stem not in FIRST_EXAMPLES:
            item.add_marker(pytest.mark.thorough)
        for group in {ONE_WORKER[name] for name in fixtures & ONE_WORKER.keys()}:
            item.add_marker(pytest.mark.xdist_group(group))
        if not any(item.get_closest_marker(name) for name in ("real", "xdist_group")):
            # tests of one file compare the same plans, and keep what they compared
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: the garbage collector need not look through it again."""
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fails a test whose group xdist does not keep together, as under pytest 9.2."""
    mark = item.get_closest_marker("xdist_group")
    if mark is not None and item.config.getoption("loadgroup", False) and not item.nodeid.endswith(f"@{mark.args[0]}"):
        pytest.fail(f"xdist has not grouped this with {mark.args[0]!r}: is this pytest newer than the locked one?")


@pytest.fixture(autouse=True)
def clock_of_the_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """A day before the Capacity Blocks of the tests, so that they are not over next month."""
    monkeypatch.setattr(clock, "now", lambda: datetime(2026, 11, 21, 12, tzinfo=UTC))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """golden(name, text): fails unless tests/golden/<name> holds exactly `text`.

    The hash of the model, which changes with any edit of the model, is compared as zeros."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        text = text.replace(model_sha256(), "0" * 64).replace(model_sha256()[:12], "0" * 12)
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8"))
            return
        assert path.exists(), f"no golden file {name}: run pytest tests/report --update-golden and review it"
        kept = path.read_bytes().decode("utf-8")
        if kept != text:
            pairs = enumerate(zip(kept.splitlines(), text.splitlines(), strict=False), 1)
            first = next((f"line {n}:\n  kept: {a}\n  now:  {b}" for n, (a, b) in pairs if a != b), "its length")
            pytest.fail(f"{name} differs in {first}\nif the change is intended: pytest tests/report --update-golden")

    return check
