"""Progress on standard error: after a second, on a terminal, and gone at the end."""

from __future__ import annotations

import io
import re
import time

import pytest

from planner.cli.progress import Progress, progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _not_in_ci(monkeypatch) -> None:
    monkeypatch.delenv("CI", raising=False)


def shown(stream: io.StringIO, *, after_seconds: float = 0.0, quiet: bool = False) -> str:
    """What is written while two of three steps are done, within a twentieth of a second."""
    with progress("Pricing", total=3, quiet=quiet, stream=stream, after_seconds=after_seconds) as steps:
        steps.step(2)
        time.sleep(0.05)
    return stream.getvalue()


def test_a_step_counts() -> None:
    steps = Progress("Pricing", 3)
    steps.step()
    steps.step(1)
    assert steps.text() == "Pricing: 2 of 3, 0 s"
    assert Progress("Pricing").text() == "Pricing: 0 s"


def test_a_slow_step_is_shown_and_the_line_is_gone_at_the_end() -> None:
    text = shown(Terminal())
    assert re.match(r"\r\x1b\[KPricing: [02] of 3, 0 s", text)
    assert text.endswith("\r\x1b[K")


@pytest.mark.parametrize(
    ("stream", "more"),
    [(io.StringIO(), {}), (Terminal(), {"quiet": True}), (Terminal(), {"after_seconds": 60.0})],
    ids=["not a terminal", "quiet", "fast"],
)
def test_nothing_is_shown_otherwise(stream: io.StringIO, more: dict) -> None:
    assert shown(stream, **more) == ""


def test_a_log_of_ci_stays_clean(monkeypatch) -> None:
    monkeypatch.setenv("CI", "true")
    assert shown(Terminal()) == ""


def test_an_error_ends_it_too() -> None:
    stream = Terminal()
    with pytest.raises(ZeroDivisionError), progress("Pricing", stream=stream, after_seconds=60.0):
        raise ZeroDivisionError
    assert stream.getvalue() == ""
