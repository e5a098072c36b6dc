"""The sections `run` and `data` of a plan file: what is trained, and what training reads and writes.

planner.plan.types has the other sections and says how values and keys are named.
"""

from typing import Annotated, Literal

from pydantic import Field

from planner.plan.forms import (
    Bytes,
    BytesPerSecond,
    Fraction,
    GpuKind,
    KeptCheckpoints,
    Name,
    Positive,
    Region,
    RunHours,
    Section,
    left_out,
)


class ThroughputRow(Section):
    """One row of a throughput table."""

    gpus: Annotated[int, Field(ge=1, le=1_000_000, description="number of training GPUs on all nodes")]
    samples_per_second: Positive = Field(description="samples per second of the whole fleet, not waiting for input")
    measured: bool = Field(True, description="false for a row that is extrapolated")


AMOUNTS = ("samples", "gpu_hours", "flop", "days", "months")  # of work: one of them is given
HOURS_PER_MONTH = 730.0  # as AWS bills a month; 12 of them are a term of one year


class Work(Section):
    """How much training there is: exactly one of samples, gpu_hours, flop; or how long the fleet is held."""

    samples: Positive | None = Field(None, description="total training samples over all epochs")
    gpu_hours: Positive | None = Field(None, description="useful GPU-hours; paid hours are more")
    flop: Positive | None = Field(None, description="total floating point operations; mfu converts them to time")
    mfu: Fraction | None = Field(
        None,
        description="model FLOP utilization: share of the bf16 peak; if left out, what whole published runs reached",
    )
    mfu_basis: Literal["step", "run"] | None = Field(
        None,
        description="whether mfu was measured over steps (default), of which a whole run keeps a part, or a whole run",
    )
    mfu_by_gpu: dict[GpuKind, Fraction] = Field(
        default_factory=dict, max_length=16, description="mfu of each kind of GPU compared, like {A100: 45%, H100: 40%}"
    )


class HeldWork(Work):
    """The work of a run, or a time for which the fleet is held whatever it trains."""

    days: Positive | None = Field(None, description="hold the fleet for this many days")
    months: Positive | None = Field(None, description="hold the fleet for this many months of 730 h")

    @property
    def held_hours(self) -> float | None:
        """Hours for which the fleet is held; None for work with an end of its own."""
        if self.months is not None:
            return self.months * HOURS_PER_MONTH
        return None if self.days is None else self.days * 24


class Phase(Work):
    """A part of the run with its own work, throughput and sample size."""

    name: Name = Field(description="name of the phase in every output")
    throughput: tuple[ThroughputRow, ...] = Field(
        (), strict=False, max_length=1000, description="samples per second by GPU count in this phase"
    )
    sample_bytes: Bytes | None = Field(None, alias="sample", description="bytes read per sample; default: data.sample")
    read_per_gpu_bytes_per_second: BytesPerSecond | None = Field(
        None, alias="read_per_gpu", description="bytes per second that one GPU reads in this phase; instead of sample"
    )
    hot_dataset_bytes: Bytes | None = Field(
        None, alias="hot_dataset", description="size of the data that this phase reads; default: data.hot_dataset"
    )
    speedup: Annotated[float, Field(ge=1, le=1000, allow_inf_nan=False)] | None = Field(
        None, description="how much faster later phases are because of this one, as with precomputed latents: 1.4"
    )
    skip: bool = Field(
        False, description="leave out a phase with speedup: later ones are slower and read data.hot_dataset"
    )


class Run(Section):
    """The training run."""

    kind: Literal["training", "worker-pool"] = Field(
        "training", description="training: one gang of GPUs; worker-pool: independent jobs, a plan with other sections"
    )
    work: HeldWork | None = Field(None, description="how much training there is, or how long the fleet is held")
    throughput: tuple[ThroughputRow, ...] = Field(
        (), strict=False, max_length=1000, description="samples per second by GPU count"
    )
    scaling: Literal["strong", "linear"] = Field(
        "strong",
        description="for GPU counts without a row: strong fits t(n) = a/n + b, linear scales with the GPUs",
    )
    phases: tuple[Phase, ...] = Field(
        (), strict=False, max_length=100, description="parts of the run, each with its own work; replaces work"
    )
    relative_speed: dict[GpuKind, Positive] = Field(
        default_factory=dict,
        max_length=16,
        description="throughput of one GPU of a kind relative to the GPU of gpu_hours and of the throughput table",
    )
    recipe: Literal["first-time", "proven"] | None = Field(
        None,
        description="first-time (the default): the range has the time that people, bugs and bad restarts took in "
        "published runs; proven: this recipe has run before on such a fleet",
    )
    deadline_hours: RunHours | None = Field(
        None, alias="deadline", description="the run has to end by then; see decision.confidence"
    )

    @property
    def held_hours(self) -> float | None:
        """Hours for which the fleet is held; None for a run with an end of its own."""
        return self.work.held_hours if self.work else None


class Ingest(Section):
    """How the data set gets into S3 before the run."""

    source: Literal["in-s3", "upload", "other-region"] = Field("in-s3", description="where the data set is today")
    from_region: Region | None = Field(None, description="the region of the data set; only with source: other-region")
    rate_bytes_per_second: BytesPerSecond | None = Field(
        None, alias="rate", description="how fast it is copied; not with source: in-s3"
    )


# workloads with a published read rate per GPU; planner.plan.profiles says of which kinds of GPU
Profile = Literal["unet3d", "resnet50", "cosmoflow", "webdataset-images", "latents", "tokens"]


class Data(Section):
    """What training reads, what is kept in S3, and the size of a checkpoint."""

    hot_dataset_bytes: Bytes = Field(alias="hot_dataset", description="size of the data that training reads")
    kept_in_s3_bytes: Bytes | None = Field(
        None, alias="kept_in_s3", description="everything kept in S3 except checkpoints; default: hot_dataset"
    )
    kept_class: Literal["STANDARD", "STANDARD_IA", "INTELLIGENT_TIERING", "GLACIER_IR"] = Field(
        "STANDARD", description="S3 storage class of the data that training does not read"
    )
    samples: Positive | None = Field(None, description="samples in the hot data set; gives the sample size")
    sample_bytes: Bytes | None = Field(None, alias="sample", description="bytes read per sample")
    read_per_gpu_bytes_per_second: BytesPerSecond | None = Field(
        None, alias="read_per_gpu", description="bytes per second that one GPU reads when it never waits"
    )
    profile: Profile | None = Field(
        None,
        description="what training reads like: a published read rate per GPU, by its kind; instead of read_per_gpu",
    )
    shard_bytes: Bytes | None = Field(None, alias="shard", description="size of one object or file")
    access: Literal["object", "posix"] | None = Field(
        None, description="posix: training code needs a file system, not only objects; default: object"
    )
    order: Literal["shuffled", "sequential"] = Field("shuffled", description="order in which an epoch reads the data")
    warm_up: Literal["lazy", "prefetch"] = Field(
        "lazy", description="lazy: the first epoch reads from S3; prefetch: the cache is filled before training starts"
    )
    checkpoint_bytes: Bytes | None = Field(None, alias="checkpoint", description="size of one checkpoint")
    checkpoints_kept: KeptCheckpoints = Field(3, description="checkpoints kept in S3: a number or all")
    ingest: Ingest = left_out(Ingest)
