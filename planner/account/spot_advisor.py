"""Spot Advisor's data, which AWS publishes as a file without an API."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from planner.errors import AwsProblem

ADDRESS = "https://spot-bid-advisor.s3.amazonaws.com/spot-advisor-data.json"


def spot_advisor(opened: Callable[..., Any] = urlopen) -> Any:
    """The parsed file. Raises AwsProblem."""
    try:
        with opened(ADDRESS, timeout=30) as answer:
            return json.load(answer)
    except (URLError, OSError, ValueError) as error:
        raise AwsProblem(f"Spot Advisor's data could not be read from {ADDRESS}: {error}") from None
