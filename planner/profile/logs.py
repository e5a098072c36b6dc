"""Steps of training from a log, as the trainer wrote them."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planner.errors import UsageProblem
from planner.plan.textfile import label_of, read_bytes

SECONDS, SAMPLES, RATE = ("seconds", "step_seconds"), ("samples", "global_batch_size"), ("samples_per_second",)
NUMBER = r"([0-9][0-9,.]*(?:[eE][-+]?[0-9]+)?)"
# NVIDIA/Megatron-LM megatron/training/training.py
MEGATRON = re.compile(rf"iteration\s+(\d+)/.*elapsed time per iteration \(ms\): {NUMBER}")
MEGATRON_BATCH = re.compile(rf"global batch size:\s+{NUMBER}")
TITAN = re.compile(rf"step:\s*(\d+).*\btps: {NUMBER}")  # pytorch/torchtitan metrics.py: tokens a second and GPU
TITAN_MFU = re.compile(rf"mfu: {NUMBER}%")
TITAN_SAVED = re.compile(rf"Finished saving the checkpoint.*in {NUMBER} seconds")
NANO = re.compile(rf"iter (\d+): loss .*time {NUMBER}ms")  # karpathy/nanoGPT train.py
RANK = re.compile(r"^\[(?:default|rank)\d+\]:\s*")  # torchrun and torch's own loggers put it before each line
LARGEST = 64_000_000  # bytes of a log
KNOWN = "Megatron-LM, torchtitan, nanoGPT, or CSV and JSON lines with seconds and samples (or samples_per_second)"


@dataclass(frozen=True, kw_only=True)
class Step:
    """One line of a log: the seconds of one step, or of several on average, and the samples of the whole fleet in
    them."""

    seconds: float
    samples: float


@dataclass(frozen=True, kw_only=True)
class Log:
    """Steps in order. unit: what a sample is, if the log says so, else "". saves: seconds that training waited for each
    checkpoint. mfu: median share of the GPUs' peak that the trainer calculated; None if it did not."""

    steps: tuple[Step, ...]
    unit: str
    saves: tuple[float, ...]
    mfu: float | None


def read_log(path: str, *, gpus: int, batch: float | None) -> Log:
    """A file, or - for standard input. gpus: that trained. batch: samples of one step, of a log that does not say.

    A step that a log has twice counts once: every rank may print it, and a run that restarts repeats steps. Raises
    UsageProblem for a log without steps and for lines that cannot be right; PlanProblems if it cannot be read.
    """
    raw, where = read_bytes(path, LARGEST), label_of(path)
    if len(raw) > LARGEST:
        raise UsageProblem(f"{where}: larger than {LARGEST // 10**6} MB; a few hundred steps are enough: cut it")
    lines = [RANK.sub("", line) for line in raw.decode("utf-8", errors="replace").splitlines()]
    if any(_is_record(line) for line in lines):
        return _log(_of_records(_json(lines, where), where, batch), where)
    named = [name.strip() for name in lines[0].split(",")] if lines else []
    if set(named) & {*SECONDS, *RATE}:
        return _log(_of_records(enumerate(csv.DictReader(lines), 2), where, batch), where)
    titan = [found for line in lines if (found := TITAN.search(line))]
    if titan:
        # as many tokens in each line, so that their times add up
        steps = [(found[1], Step(seconds=1 / _number(found[2]), samples=gpus)) for found in titan]
        return _log(steps, where, "tokens", lines, titan)
    timed = [(found, line) for line in lines if (found := MEGATRON.search(line) or NANO.search(line))]
    if not timed:
        raise UsageProblem(f"{where}: no line is a step that is known; known are logs of {KNOWN}")
    return _log([(found[1], _timed(found[2], line, where, batch)) for found, line in timed], where)


def _timed(milliseconds: str, line: str, where: str, batch: float | None) -> Step:
    own = MEGATRON_BATCH.search(line)
    samples = _number(own[1]) if own else batch
    if samples is None:
        raise UsageProblem(f"{where}: the log does not say how many samples a step has: add --batch N")
    return Step(seconds=_number(milliseconds) / 1000, samples=samples)


def _log(
    steps: Iterable[tuple[str, Step]],
    where: str,
    unit: str = "",
    lines: Sequence[str] = (),
    found: Sequence[re.Match[str]] = (),
) -> Log:
    once: dict[str, Step] = {}
    for name, step in steps:
        if not (0 < step.seconds < math.inf and 0 < step.samples < math.inf):
            raise UsageProblem(f"{where}: step {name} has {step.seconds:g} seconds and {step.samples:g} samples")
        once.setdefault(name, step)
    shares = sorted(_number(one[1]) / 100 for match in found if (one := TITAN_MFU.search(match.string)))
    saves = tuple(dict.fromkeys(_number(one[1]) for line in lines if (one := TITAN_SAVED.search(line))))
    mfu = shares[len(shares) // 2] if shares else None
    return Log(steps=tuple(once.values()), unit=unit, saves=saves, mfu=mfu)


def _json(lines: Sequence[str], where: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects with a time; what else a trainer prints between them is passed over."""
    for number, line in enumerate(lines, 1):
        if not _is_record(line):
            continue
        try:
            record = json.loads(line)
        except ValueError:
            raise UsageProblem(f"{where}:{number}: not a line of JSON: {line[:60]}") from None
        if isinstance(record, dict):
            yield number, record


def _is_record(line: str) -> bool:
    return line.lstrip().startswith("{") and any(f'"{name}"' in line for name in (*SECONDS, *RATE))


def _of_records(
    records: Iterable[tuple[int, Mapping[str, Any]]], where: str, batch: float | None
) -> Iterator[tuple[str, Step]]:
    """Records without a time are something else, as an evaluation, and are passed over."""
    for number, record in records:
        seconds, samples, rate = (_value(record, names, f"{where}:{number}") for names in (SECONDS, SAMPLES, RATE))
        if seconds is None and rate is None:
            continue
        samples = samples or batch
        if samples is None and (seconds is None or rate is None):
            samples = rate if seconds is None else None
        if samples is None and rate is None:
            raise UsageProblem(f"{where}:{number}: no samples: add --batch N, or a column {SAMPLES[0]}")
        time = seconds if seconds is not None else (samples or 1.0) / (rate or 1.0)
        name = record.get("step")
        yield str(number if name in (None, "") else name), Step(seconds=time, samples=samples or (rate or 1.0) * time)


def _value(record: Mapping[str, Any], names: Sequence[str], where: str) -> float | None:
    for name in names:
        value = record.get(name)
        if value not in (None, ""):
            try:
                return float(str(value))
            except ValueError:
                raise UsageProblem(f"{where}: {name} is no number: {str(value)[:40]}") from None
    return None


def _number(text: str) -> float:
    return float(text.replace(",", "").rstrip("."))
