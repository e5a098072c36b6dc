"""Checks of the section `data` of a plan, alone and against the run that reads it."""

from __future__ import annotations

from collections.abc import Iterator

from planner.plan.finding import Finding
from planner.plan.training_types import Data
from planner.plan.types import Plan
from planner.plan.wording import size_text
from planner.plan.yamlfile import Path


def data_findings(plan: Plan) -> Iterator[Finding]:
    """Findings that need only the plan."""
    yield from _sample_size(plan)
    yield from _data_of_phases(plan)
    yield from _shard(plan)
    yield from _data(plan.data, plan.region)


def _sample_size(plan: Plan) -> Iterator[Finding]:
    """A sample size gives a read rate only with a throughput table."""
    run, data = plan.run, plan.data
    tables = [phase.throughput for phase in run.phases] or [run.throughput]
    sizes = {"sample": data.sample_bytes, "samples": data.samples}
    given = [name for name, value in sizes.items() if value is not None]
    if len(given) == 1 and data.read_per_gpu_bytes_per_second is None and data.profile is None:
        for name in given if not any(tables) else ():
            message = f"{name} gives the read rate only together with a throughput table"
            yield ("data", name), message, "write read_per_gpu: 20MB/s instead"


def _data_of_phases(plan: Plan) -> Iterator[Finding]:
    """Data sets of phases are all kept in S3, beside data.hot_dataset where a phase reads it."""
    own = {i: phase.hot_dataset_bytes for i, phase in enumerate(plan.run.phases) if phase.hot_dataset_bytes is not None}
    if not own:
        return
    shared = plan.data.hot_dataset_bytes if len(own) < len(plan.run.phases) else 0.0
    kept, needed = plan.data.kept_in_s3_bytes, shared + sum(own.values())
    if kept is not None and kept < needed:
        message = f"kept_in_s3 is smaller than the data sets of the phases, {needed / 1e12:.6g} TB, which it includes"
        yield ("data", "kept_in_s3"), message, "write at least their sum, or remove the key"
    if plan.data.kept_class != "STANDARD":
        message = "kept_class is not used with data sets of phases: all of them stay in S3 Standard"
        yield ("data", "kept_class"), message, "remove it"


def _shard(plan: Plan) -> Iterator[Finding]:
    """A shard is a part of each data set that training reads."""
    shard = plan.data.shard_bytes
    if shard is None:
        return
    read = {f"run.phases[{i}].hot_dataset": phase.hot_dataset_bytes for i, phase in enumerate(plan.run.phases)}
    if not read or None in read.values():
        read["data.hot_dataset"] = plan.data.hot_dataset_bytes
    for name, size in read.items():
        if size is not None and shard > size:
            message = f"shard ({size_text(shard)}) is larger than {name} ({size_text(size)}), which consists of shards"
            yield ("data", "shard"), message, f"write the size of one object or file, such as 100MB, or correct {name}"


def _data(data: Data, region: str) -> Iterator[Finding]:
    rates = {
        "sample": data.sample_bytes,
        "samples": data.samples,
        "read_per_gpu": data.read_per_gpu_bytes_per_second,
        "profile": data.profile,
    }
    given = [name for name, value in rates.items() if value is not None]
    for name in given[1:]:
        message = f"{name} and {given[0]} are both set, and each of them gives the read rate"
        yield ("data", name), message, "keep one of them"
    if data.kept_in_s3_bytes is not None and data.kept_in_s3_bytes < data.hot_dataset_bytes:
        message = "kept_in_s3 is smaller than hot_dataset, which it includes"
        yield ("data", "kept_in_s3"), message, "write at least the hot data set, or remove the key"
    ingest = data.ingest
    if ingest.rate_bytes_per_second is not None and ingest.source == "in-s3":
        message = "rate is not used with source: in-s3, because no data is copied"
        yield ("data", "ingest", "rate"), message, "remove it, or write source: upload or source: other-region"
    if ingest.source == "other-region" and ingest.from_region is None:
        message = "source: other-region needs from_region"
        yield ("data", "ingest", "source"), message, "write from_region: us-west-2"
    if ingest.from_region is not None:
        at: Path = ("data", "ingest", "from_region")
        if ingest.source != "other-region":
            yield at, f"from_region is not used with source: {ingest.source}", "write source: other-region"
        elif ingest.from_region == region:
            yield at, f"from_region is the same as the plan's region, {region}", "write source: in-s3"
