"""One choice in so many runs."""

from dataclasses import replace

from planner.kinds.asking import Look
from tests.kinds.toy import pages
from tests.kinds.toy.answers import compared


def replayed(ask, scenario, recordings, policies, starts, style, look: Look, watch):
    return pages.written(compared(replace(ask, draws=starts), watch), style, look, watch)
