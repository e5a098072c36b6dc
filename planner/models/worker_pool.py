"""G: a job on interruptible workers, where there is a closed form: its hours, its wait, nodes that fail jobs."""

from __future__ import annotations

import numpy as np

from planner.models.equation import equation
from planner.models.number import Number

_SALAD = "SaladTechnologies/salad-cloud-docs service-performance.mdx (504c704)"


def _never_up(*, mtbf_hours: float, **_: float) -> str:
    return "" if mtbf_hours > 0 else "mtbf_hours must be greater than 0"


@equation(
    "G32",
    "worker-job-hours",
    units={
        "segments": "checkpoints",
        "segment_hours": "h of work between checkpoints",
        "write_hours": "h",
        "load_hours": "h",
        "resume_hours": "h",
        "mtbf_hours": "h",
    },
    result_unit="h",
    source="renewal of exponential interruptions, segment by segment, as in G5",
    steps=(
        "first = mtbf_hours * expm1(min((load_hours + segment_hours + write_hours) / mtbf_hours, 50))",
        "other = mtbf_hours * exp(min((load_hours + resume_hours) / mtbf_hours, 50))"
        " * expm1(min((segment_hours + write_hours) / mtbf_hours, 50))",
        "result = first + (segments - 1) * other",
    ),
    refuse=_never_up,
)
def worker_job_hours(
    *,
    segments: Number,
    segment_hours: Number,
    mtbf_hours: Number,
    write_hours: Number = 0.0,
    load_hours: Number = 0.0,
    resume_hours: Number = 0.0,
) -> Number:
    """Expected hours on nodes of one job that is interrupted at a constant rate and resumes on another node.

    Before the first checkpoint an interruption repeats the download of the model and the segment; later, the downloads
    of model and checkpoint and one segment. The waits between nodes are not in it. Exact for whole segments.
    """
    first = mtbf_hours * np.expm1(np.minimum((load_hours + segment_hours + write_hours) / mtbf_hours, 50.0))
    reload = np.exp(np.minimum((load_hours + resume_hours) / mtbf_hours, 50.0))
    other = mtbf_hours * reload * np.expm1(np.minimum((segment_hours + write_hours) / mtbf_hours, 50.0))
    return first + (segments - 1) * other


@equation(
    "G33",
    "falling-survival",
    units={"scale_hours": "h", "hours": "h", "shape": "ratio"},
    result_unit="fraction",
    source="Weibull distribution; "
    + _SALAD
    + ": 25 of 100 instances lasted 168 h, with 182 interruptions; scale 97.5 h and shape 0.6 give both",
    steps=("result = exp(-min((hours / scale_hours) ** shape, 700))",),
)
def falling_survival(*, scale_hours: Number, hours: Number, shape: Number = 0.6) -> Number:
    """Share of nodes without an interruption after some hours, where the rate falls with the age of a node.

    scale_hours: the age that 37 % of the nodes reach; the mean life is scale_hours x gamma(1 + 1 / shape). shape: 1 is
    a constant rate (G21), below 1 it falls.
    """
    return np.exp(-np.minimum((hours / scale_hours) ** shape, 700.0))


@equation(
    "G34",
    "bad-node-failed-fraction",
    units={"nodes": "nodes", "job_hours": "h", "fail_hours": "h"},
    result_unit="fraction",
    source="rates at which nodes take jobs; Salad: one node failed 85 % of a benchmark",
    steps=(
        "bad_per_hour = 1 / fail_hours",
        "good_per_hour = (nodes - 1) / job_hours",
        "result = bad_per_hour / (bad_per_hour + good_per_hour)",
    ),
)
def bad_node_failed_fraction(*, nodes: Number, job_hours: Number, fail_hours: Number) -> Number:
    """Share of the jobs that one bad node of a pool fails if nothing stops it: it takes a job as often as it fails one.

    Limits: jobs are not tried again, and there are many more of them than nodes.
    """
    return (1 / fail_hours) / (1 / fail_hours + (nodes - 1) / job_hours)


@equation(
    "G35",
    "batch-wait-hours",
    units={"place": "jobs", "nodes": "nodes", "job_hours": "h"},
    result_unit="h",
    source="first come, first served; all submitted at once",
    steps=("result = floor((place - 1) / nodes) * job_hours",),
)
def batch_wait_hours(*, place: Number, nodes: Number, job_hours: Number) -> Number:
    """Hours until the job at a place of the queue starts, with equal jobs and no interruptions."""
    return np.floor((place - 1) / nodes) * job_hours


def _no_such_market(*, correlation: float, up_fraction: float) -> str:
    """Why no such market can be."""
    del correlation
    return "" if 0 < up_fraction <= 1 else "up_fraction must be above 0, and 1 at most"


@equation(
    "G36",
    "shared-outage-fraction",
    units={"correlation": "fraction", "up_fraction": "fraction"},
    result_unit="fraction",
    source="renewal at the moments in which both markets have nodes; Marshall and Olkin 1967 for the shared shocks",
    steps=(
        "both = up_fraction**2 + correlation * up_fraction * (1 - up_fraction)",
        "result = (1 / up_fraction**2 - 1 / both) / max(1 / up_fraction**2 - 1 / up_fraction, 1e-12)",
    ),
    refuse=_no_such_market,
)
def shared_outage_fraction(*, correlation: Number, up_fraction: Number) -> Number:
    """Share of the outages of two equal spot markets that have to take both at once for a correlation between them.

    Each market has nodes for exponential times and then none for a fixed time. With the share s of shared outages both
    have nodes for 1 / (s / up_fraction + (1 - s) / up_fraction**2) of the time.
    """
    both = up_fraction**2 + correlation * up_fraction * (1 - up_fraction)
    return (1 / up_fraction**2 - 1 / both) / np.maximum(1 / up_fraction**2 - 1 / up_fraction, 1e-12)
