"""A line of a report, with its relation to the line above."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    SENTENCE = "sentence"  # stands alone
    DETAIL = "detail"  # about the sentence above
    SETTING = "setting"  # an option to type, and what it does
    ITEM = "item"  # of the list that the sentence above begins


@dataclass(frozen=True)
class Line:
    text: str
    kind: Kind = Kind.SENTENCE
