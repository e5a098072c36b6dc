"""Physical names: what AWS knows a stack's things by, and what they are found by where AWS lists no tags.

AWS refuses a second resource of the same name, so everything with a unique name has one that follows from the stack
alone.
"""

from __future__ import annotations

import hashlib
import re

LONGEST = 17  # characters of the stack in a name: then a bucket's 63 hold it with part, account and any Region


def slug(text: str) -> str:
    """The text as part of any AWS name: lower case, digits and single hyphens; a mark where something was lost."""
    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    if plain == text and len(plain) <= LONGEST:
        return plain
    mark = hashlib.sha256(text.encode()).hexdigest()[:6]
    return f"{plain[: LONGEST - 7].strip('-')}-{mark}".strip("-")


def physical(stack: str, part: str) -> str:
    """A name that is unique in the account and Region: planner-dev-fleet. No part: what all of them begin with."""
    return f"planner-{slug(stack)}-{part}"
