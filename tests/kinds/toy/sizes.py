"""The hours that it has."""

from dataclasses import dataclass
from typing import Any

from tests.kinds.toy import pages
from tests.kinds.toy.answers import compared

FORMATS = ("table", "json", "md")


@dataclass
class Found:
    comparison: Any


def searched(ask, minimize, watch):
    return Found(compared(ask, watch))


def written(found, style, look):
    return pages.written(found.comparison, style, look, None)


def best(found):
    return found.comparison.best, ["run.hours=1"]
