"""Mutated plans by the thousand: a Plan or PlanProblems, never a traceback, each within a second.

PLAN_FUZZ=20 runs twenty times as many mutations as the suite does; PLAN_FUZZ_SEED starts another row of them.
"""

from __future__ import annotations

import copy
import json
import os
import random
import re
import time
from typing import Any

import pytest
import yaml

from planner.errors import PlanProblems
from planner.plan.load import LoadedPlan, load_text
from tests.plan.plans import EXAMPLES, FULL, SMALL

TIMES = int(os.environ.get("PLAN_FUZZ", "1"))
SEED = int(os.environ.get("PLAN_FUZZ_SEED", "0"))
BASES = [SMALL, FULL, *(path.read_text(encoding="utf-8") for path in EXAMPLES[::3])]
VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    10**18,
    10**300,
    -0.0,
    0.5,
    1e308,
    -1e308,
    float("inf"),
    float("-inf"),
    float("nan"),
    "",
    " ",
    "12",
    "no",
    "1:30",
    "2.2PB",
    "-5GB",
    "1e999GB",
    "600GiB",
    "0h",
    "93%",
    "1000%",
    "A100:256",
    "16..64",
    "64..16",
    "1..999999999",
    "p4d.24xlarge",
    "spot",
    "all",
    "none",
    "99+4",
    "2026-02-30",
    "<script>alert(1)</script>",
    "\u202e\u05d0\u05d1",
    "a\nb",
    "\U0001f680" * 50,
    "x" * 10_000,
    "x" * 10_001,
    "\u0661\u0662GB",
    "1\u212aB",
    [],
    {},
    [[]],
    [None],
    [1, "a", {}],
    {"": ""},
    {"value": 1},
    {"a": {"b": {"c": [1]}}},
    list(range(200)),
]
SNIPPETS = (
    b"\t- : [ ] { } & * ! | > ' \" % @ ` # \x00 \xff \xc3 \xe2\x80\xa8 \xe2\x80\xae \xf0\x9f\x9a\x80 "
    b"\r \r\n --- ... <<: &a *a !!python/object:x ? ~ 1e9999 .inf 0x 0o8 {{ }} \xef\xbb\xbf"
).split(b" ")


def judged(text: str | bytes, *overrides: str) -> LoadedPlan | PlanProblems:
    """What the loader answers; anything but its two answers fails the test."""
    begun = time.process_time()  # of this process: what else the machine does is no fault of the loader
    answer: LoadedPlan | PlanProblems
    try:
        answer = load_text(text, where="p.yaml", overrides=overrides)
    except PlanProblems as error:
        answer = error
    assert time.process_time() - begun < 2, "slow"
    if isinstance(answer, PlanProblems):
        assert answer.problems
        for problem in answer.problems:
            assert len(problem.message) < 500, problem
            assert len(problem.remedy) < 700, problem
            assert (problem.message + problem.remedy).isprintable(), problem
            assert (problem.line is None) == (problem.column is None)
            if problem.line is not None:
                assert problem.column is not None
                assert problem.line >= 1
                assert problem.column >= 1
        str(answer).encode("utf-8")
    else:
        again = json.dumps(answer.plan.canonical(), allow_nan=False)
        assert len(answer.sha256) == 64
        assert again
    return answer


def _spots(data: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Every (container, key) of a document."""
    for key in list(data) if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ():
        found.append((data, key))
        _spots(data[key], found)
    return found


def _mutate(data: Any, rng: random.Random) -> None:
    spots = _spots(data, [])
    if not spots:
        return
    holder, key = rng.choice(spots)
    other_holder, other_key = rng.choice(spots)
    action = rng.randrange(6)
    if action == 0:
        del holder[key]
    elif action == 1:
        holder[key] = copy.deepcopy(rng.choice(VALUES))  # a later change must not reach it elsewhere
    elif action == 2:
        holder[key] = json.loads(json.dumps(other_holder[other_key], default=str))
    elif action == 3 and isinstance(holder, dict):
        name = list(str(key))
        if name:
            name[rng.randrange(len(name))] = rng.choice("aeiou_-.A \u00e9")
        holder["".join(name)] = holder.pop(key)
    elif action == 4 and isinstance(holder, dict):
        holder[rng.choice(["x", "", "nodes", "hot_dataset", "\u202e", "a" * 300, "<<"])] = copy.deepcopy(
            rng.choice(VALUES)
        )
    else:
        holder[key] = [holder[key]] if rng.random() < 0.5 else {"value": holder[key]}


def _plain(text: str) -> Any:
    """The plan with its dates as strings, because JSON has no dates."""
    return yaml.safe_load(re.sub(r"\d{4}-\d\d-\d\d", r"'\g<0>'", text))


@pytest.mark.parametrize("base", range(len(BASES)))
def test_mutated_values_and_keys(base):
    rng = random.Random(f"values {base} {SEED}")
    data = _plain(BASES[base])
    taken = 0
    for _ in range(300 * TIMES):
        changed = json.loads(json.dumps(data))
        for _ in range(rng.choice((1, 1, 1, 2, 5))):
            _mutate(changed, rng)
        text = json.dumps(changed) if rng.random() < 0.3 else yaml.dump(changed, Dumper=_Dumper, width=10**6)
        taken += isinstance(judged(text), LoadedPlan)
    assert 0 < taken < 300 * TIMES, "mutations that are all taken, or none, test nothing"


@pytest.mark.parametrize("base", range(len(BASES)))
def test_mutated_bytes(base):
    rng = random.Random(f"bytes {base} {SEED}")
    raw = BASES[base].encode()
    refused = 0
    for _ in range(250 * TIMES):
        changed = bytearray(raw)
        for _ in range(rng.choice((1, 1, 2, 8))):
            at = rng.randrange(len(changed) + 1)
            action = rng.randrange(5)
            if action == 0:
                changed[at : at + rng.choice((1, 2, 20))] = b""
            elif action == 1:
                changed[at:at] = rng.choice(SNIPPETS)
            elif action == 2 and at < len(changed):
                changed[at] = rng.randrange(256)
            elif action == 3:
                changed = changed[:at]
            else:
                start = rng.randrange(len(changed) + 1)
                changed[at:at] = changed[start : start + 40]
        refused += isinstance(judged(bytes(changed)), PlanProblems)
    assert refused > 50


def test_random_bytes_and_random_text():
    rng = random.Random(f"random {SEED}")
    letters = "ab:-[]{}&*!|>'\"%@`#,? \n\t\u202e\u00e9\U0001f680"
    for _ in range(300 * TIMES):
        assert isinstance(judged(rng.randbytes(rng.randrange(1, 200))), PlanProblems)
        text = "".join(rng.choice(letters) for _ in range(rng.randrange(60)))
        assert isinstance(judged(text), PlanProblems)


def test_truncated_plans():
    raw = FULL.encode()
    for end in range(0, len(raw), max(1, 5 // TIMES)):
        judged(raw[:end])


def test_random_overrides():
    rng = random.Random(f"overrides {SEED}")
    words = [
        "run",
        "phases",
        "fleet",
        "nodes",
        "data",
        "hot_dataset",
        "[0]",
        ".",
        "0",
        "assumptions",
        "name",
        "\u202e",
        "",
    ]
    for _ in range(400 * TIMES):
        path = "".join(rng.choice([".", ""]) + rng.choice(words) for _ in range(rng.randrange(1, 5)))
        value = rng.choice(
            ["", "=", "=[1", "=1", "={a: 1}", "=null", "=*a", "=2TB", "=" + "9" * 5000, "=\x00", "=[" * 99]
        )
        judged(rng.choice(BASES[:3]), path.strip(".") + value)


@pytest.mark.parametrize("depth", [39, 41, 1000, 100_000])
@pytest.mark.parametrize("piece", ["[", "{a: ", "- ", "? "])
def test_nesting_of_any_depth_comes_back(piece, depth):
    assert isinstance(judged(f"name: x\nrun: {piece * depth}"[:1_000_000]), PlanProblems)
    assert isinstance(judged((piece * depth)[:1_000_000]), PlanProblems)


@pytest.mark.parametrize(
    "text",
    [
        "a: [" + "{b: 1}," * 100_000 + "]",
        "a: " + "*x " * 200_000,
        "&a " * 200_000,
        "a: '" + "''" * 450_000 + "'",
        'a: "' + "\\x41" * 200_000 + '"',
        "k: v\n" * 190_000,
        "".join(f"k{i}: {{" for i in range(100_000)),
        "# " + "c" * 900_000 + "\n" + SMALL,
        SMALL + "\n" * 900_000,
        " " * 900_000 + "a",
        "a: |\n" + " x\n" * 300_000,
        "a:\n" + "- - - -\n" * 100_000,
        "!" * 900_000,
        "%" * 900_000,
        "1" * 900_000,
        "-" * 900_000,
        "?\n" * 400_000,
        ",".join(f"a{i}" for i in range(150_000)),
    ],
    ids=range(18),
)
def test_a_megabyte_of_anything_is_answered_at_once(text):
    judged(text)


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True
