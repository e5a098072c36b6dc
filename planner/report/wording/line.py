"""A line of a report, with its relation to the line above."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    SENTENCE = "sentence"  # stands alone
    CAUTION = "caution"  # such a sentence that calls for attention
    DETAIL = "detail"  # about the sentence above
    SETTING = "setting"  # an option to type, and what it does
    ITEM = "item"  # of the list that the sentence above begins
    WARNING = "warning"  # such an item that calls for attention


CALLS_FOR_ATTENTION = (Kind.CAUTION, Kind.WARNING)


@dataclass(frozen=True)
class Line:
    text: str
    kind: Kind = Kind.SENTENCE
