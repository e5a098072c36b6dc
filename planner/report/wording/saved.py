"""Messages about a saved comparison that cannot be used."""

from __future__ import annotations

SAVE = "`planner compare PLAN -f json -o before.json` writes a saved comparison"
SAVE_AGAIN = "save it again: `planner compare PLAN -f json -o before.json`"
OF_POOL = "this is a saved result of a worker pool, which diff cannot compare"
NAME_ITS_PLAN = "name its plan instead, as in planner diff A.yaml B.yaml"
EMPTY = "the file is empty"
TRUNCATED = "the file is incomplete"
NO_VERSION = "not a saved comparison: schema_version is missing"
NO_SCENARIOS = "JSON of planner, but not of `compare`: scenarios are missing"
_TYPES = {
    str: "text",
    bool: "true or false",
    float: "a number",
    int: "a whole number",
    dict: "a mapping",
    list: "a list",
}


def too_large(max_bytes: int) -> str:
    return f"larger than {max_bytes // 1_000_000} MB, so not a comparison saved by planner"


def not_utf8(byte: int, at: int) -> str:
    return f"not UTF-8 text: byte 0x{byte:02x} at {at:,}"


def not_json(why: str) -> str:
    return f"not valid JSON: {why}"


def not_a_number(name: str) -> str:
    return f"{name} is not a number"


def other_version(found: str, supported: str) -> str:
    return f"schema_version is {found}, but this version of planner reads '{supported}'"


def wrong_type(path: str, found: str, wanted: type) -> str:
    return f"{path} must be {_TYPES[wanted]}; got {found}"


def overflow(path: str) -> str:
    return f"{path} is too large for a number"


def missing(path: str) -> str:
    return f"{path} is missing"


def same_id(name: str) -> str:
    return f"two scenarios have the id {name}"


def wrong_total(name: str, bill_usd: float, total_usd: float) -> str:
    return (
        f"the bill of {name} adds up to {bill_usd:,.2f} USD, but its total is {total_usd:,.2f}: "
        "the file was edited after it was saved"
    )
