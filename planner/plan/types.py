"""The plan file's types: what a person may write, and the source of its JSON Schema.

Values are plain numbers after loading, with the unit in the name: sizes in bytes (`*_bytes`), durations
in hours (`*_hours`), shares as fractions. In the file they carry their unit (`2.2PB`, `12h`, `93%`);
the alias of each field is the key in the file.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from planner.plan.quantities import (
    Accelerators,
    parse_accelerator_list,
    parse_bytes,
    parse_bytes_per_second,
    parse_counts,
    parse_fraction,
    parse_hours,
)


def _text(pattern: str, example: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern, "examples": [example]})


_NUM = r"^[0-9][0-9_,]*(\.[0-9]+)?([eE][+-]?[0-9]+)?\s*"
Bytes = Annotated[float, BeforeValidator(parse_bytes), _text(_NUM + r"[KMGTPEkmgtpe]?[iI]?[Bb]$", "2.2PB")]
BytesPerSecond = Annotated[
    float, BeforeValidator(parse_bytes_per_second), _text(_NUM + r"[KMGTPEkmgtpe]?[iI]?[Bb]/s$", "15MB/s")
]
Hours = Annotated[float, BeforeValidator(parse_hours), _text(_NUM + "[smhdw]$", "12h")]
Fraction = Annotated[
    float,
    BeforeValidator(parse_fraction),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "minimum": 0, "maximum": 1},
                {"type": "string", "pattern": _NUM + "%$", "examples": ["93%"]},
            ]
        }
    ),
]
_GPUS = {"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9]*:[0-9]+$", "examples": ["A100:256"]}
GpuCounts = Annotated[
    tuple[Accelerators, ...],
    BeforeValidator(parse_accelerator_list),
    WithJsonSchema({"anyOf": [_GPUS, {"type": "array", "items": _GPUS, "minItems": 1, "maxItems": 16}]}),
]
Day = Annotated[date, Field(strict=False)]
Counts = Annotated[
    tuple[int, ...],
    BeforeValidator(parse_counts),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 1},
                {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 1, "maxItems": 16},
                {"type": "string", "pattern": r"^[0-9]+\.\.[0-9]+$", "examples": ["16..64"]},
            ]
        }
    ),
]
Positive = Annotated[float, Field(gt=0, le=1e30, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=1_000_000)]
Name = Annotated[str, Field(min_length=1, max_length=10_000)]
InstanceName = Annotated[str, Field(pattern=r"^[a-z0-9-]+\.[a-z0-9-]+$")]
LayoutName = Literal["converged", "fsx-lustre", "separate-nvme", "s3-stream"]
LAYOUTS: tuple[LayoutName, ...] = ("converged", "fsx-lustre", "separate-nvme", "s3-stream")


class Section(BaseModel):
    """A mapping in the plan file: unknown keys are errors, values never change after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, strict=True)


class ThroughputRow(Section):
    """One row of a throughput table."""

    gpus: Annotated[int, Field(ge=1, le=1_000_000)]
    samples_per_second: Positive
    measured: bool = Field(True, description="false for a row that somebody extrapolated")


class Work(Section):
    """How much training there is: exactly one of samples, gpu_hours, flop."""

    samples: Positive | None = Field(None, description="training samples in all, over all epochs")
    gpu_hours: Positive | None = Field(None, description="useful GPU-hours; paid hours come out larger")
    flop: Positive | None = Field(None, description="floating point operations in all; needs mfu")
    mfu: Fraction | None = Field(None, description="model FLOP utilisation, a share of the data sheet's peak")


class Phase(Work):
    """A part of the run with its own work, throughput and sample size."""

    name: Name
    throughput: tuple[ThroughputRow, ...] = Field((), strict=False)
    sample_bytes: Bytes | None = Field(None, alias="sample")


class Run(Section):
    """The training run."""

    kind: Literal["training", "worker-pool"] = "training"
    work: Work | None = None
    throughput: tuple[ThroughputRow, ...] = Field((), strict=False, description="samples a second by GPU count")
    scaling: Literal["strong", "linear"] = Field(
        "strong", description="between and beyond the rows: t(n) = a/n + b, or linear when told so"
    )
    phases: tuple[Phase, ...] = Field((), strict=False, description="instead of work and throughput")
    deadline_hours: Hours | None = Field(None, alias="deadline", description="slower than this is infeasible")


class Ingest(Section):
    """How the data set comes into S3 before the run."""

    source: Literal["in-s3", "upload", "other-region"] = "in-s3"
    rate_bytes_per_second: BytesPerSecond | None = Field(None, alias="rate")


class Data(Section):
    """What training reads, what is kept, what a checkpoint weighs."""

    hot_dataset_bytes: Bytes = Field(alias="hot_dataset", description="what training reads, decimal bytes")
    kept_in_s3_bytes: Bytes | None = Field(
        None, alias="kept_in_s3", description="everything kept in S3 without checkpoints; default: hot_dataset"
    )
    samples: Positive | None = Field(None, description="samples in the hot data set; gives the sample size")
    sample_bytes: Bytes | None = Field(None, alias="sample", description="bytes that one sample reads")
    read_per_gpu_bytes_per_second: BytesPerSecond | None = Field(
        None, alias="read_per_gpu", description="bytes a second that one GPU reads when it never waits"
    )
    shard_bytes: Bytes | None = Field(None, alias="shard", description="size of one object or file")
    order: Literal["shuffled", "sequential"] = "shuffled"
    warm_up: Literal["lazy", "prefetch"] = Field(
        "lazy", description="first epoch cold, or the cache filled before training starts"
    )
    checkpoint_bytes: Bytes | None = Field(None, alias="checkpoint", description="size of one checkpoint")
    checkpoints_kept: Annotated[int, Field(ge=1, le=1_000_000)] | Literal["all"] = 3
    ingest: Ingest = Ingest()


class Fleet(Section):
    """Instance types and how many: `nodes` (paid, spares included) or `gpus` (that train)."""

    instance_types: tuple[InstanceName, ...] = Field(strict=False, min_length=1, max_length=16)
    nodes: Counts | None = None
    gpus: GpuCounts | None = None
    spares: Count = Field(0, description="nodes paid for that wait for a failure")


class Purchase(Section):
    """How the GPU nodes are bought."""

    options: tuple[str, ...] = Field((), strict=False, description="default: nine common options")
    zone_id: str | None = Field(None, pattern=r"^[a-z0-9-]+-az\d+$", description="zone ID for spot, like use1-az4")
    private_discount: Fraction = Field(0.0, description="off the on-demand list price of the GPU nodes")
    reuse_value: Fraction = Field(
        0.0, description="share of an unused commitment that other work in the company takes over"
    )


class ConvergedSettings(Section):
    """The GPU nodes' own NVMe, pooled."""

    control_instance_type: InstanceName | None = None
    control_nodes: Annotated[int, Field(ge=1, le=9)] | None = None


class LustreSettings(Section):
    """FSx for Lustre."""

    deployment: Literal["PERSISTENT_2", "SCRATCH_2", "INTELLIGENT_TIERING"] = "PERSISTENT_2"
    throughput_mbps_per_tib: tuple[Literal[125, 250, 500, 1000], ...] = Field(
        (), strict=False, description="one variant each; none: the tier with the lowest price that is fast enough"
    )
    capacity_bytes: Bytes | None = Field(None, alias="capacity", description="default: from the hot data set")
    metadata_iops: Annotated[int, Field(ge=1500, le=192_000)] | None = None
    efa: bool = False


class SeparateSettings(Section):
    """A storage cluster of its own on i3en, i4i or i7ie."""

    instance_type: InstanceName | None = Field(None, description="default: the cheapest that fits")
    spares: Count | None = None
    protection: str | None = Field(None, pattern=r"^(none|\d{1,2}\+[1-4])$", description="none, or 16+4")


class Storage(Section):
    """Layouts to compare and their settings."""

    layouts: tuple[LayoutName, ...] = Field(LAYOUTS, strict=False, min_length=1)
    retention_hours: Hours | None = Field(None, alias="retention", description="S3 is kept this long after the run")
    s3_gateway_endpoint: bool = True
    converged: ConvergedSettings = ConvergedSettings()
    fsx_lustre: LustreSettings = Field(LustreSettings(), alias="fsx-lustre")
    separate_nvme: SeparateSettings = Field(SeparateSettings(), alias="separate-nvme")


class Reliability(Section):
    """Failures and checkpoints. Rates come from assumptions; these are choices."""

    checkpoint_interval_hours: Hours | None = Field(None, alias="checkpoint_interval", description="default: optimal")
    checkpoint_blocking_hours: Hours | None = Field(
        None, alias="checkpoint_blocking", description="time that training stands still for one checkpoint"
    )


class Preprocessing(Section):
    """Work done once before training."""

    gpu_hours: Positive
    instance_type: InstanceName | None = Field(None, description="default: the fleet's type")


class People(Section):
    """What a run costs beyond machines. Lines appear only for what is written here."""

    engineers: Positive | None = Field(None, description="full-time people during the run")
    months_before: Annotated[float, Field(ge=0, le=120)] = Field(0.0, description="months they work before it")
    preprocessing: Preprocessing | None = None
    experiments: bool = Field(False, description="count failed runs and experiments by their published multiplier")


class Constraints(Section):
    """Scenarios beyond these are infeasible."""

    max_cost_usd: Positive | None = None
    max_days: Positive | None = None
    min_usable_tb: Positive | None = None
    min_hot_fit: bool = Field(False, description="the hot data set must fit the layout's usable capacity")


class Assumption(Section):
    """An override with its own range."""

    value: float = Field(allow_inf_nan=False)
    low: float | None = Field(None, allow_inf_nan=False)
    high: float | None = Field(None, allow_inf_nan=False)
    source: str = "plan"


class Deploy(Section):
    """What `pulumi up` will need; not priced."""

    stack: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,100}$")] = "dev"
    zone_id: str | None = Field(None, pattern=r"^[a-z0-9-]+-az\d+$")
    ami: str | None = Field(None, pattern=r"^ami-[0-9a-f]{8,17}$")
    notify: str | None = Field(None, max_length=320)


class Plan(Section):
    """One plan file."""

    api_version: Literal["planner/v1"] = Field(alias="apiVersion")
    name: Name
    region: Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)+-\d$")] = "us-east-1"
    start: Day | None = Field(None, description="first day of the run; prices are judged by it")
    prices: Day | None = Field(None, description="date of the price book; default: the newest")
    run: Run
    data: Data
    fleet: Fleet
    purchase: Purchase = Purchase()
    storage: Storage = Storage()
    reliability: Reliability = Reliability()
    people: People | None = None
    constraints: Constraints = Constraints()
    assumptions: dict[str, float | Assumption] = Field(default_factory=dict)
    deploy: Deploy = Deploy()

    def canonical(self) -> dict[str, Any]:
        """The resolved plan as plain data, the same for the same meaning: what its hash is taken over."""
        return self.model_dump(mode="json", by_alias=True)
