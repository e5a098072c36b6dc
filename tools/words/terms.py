"""Words of sentences, tables and pages."""

from __future__ import annotations

from tools.words.word import AWS, OURS

# (word, meaning, unit, whose)
TERMS: tuple[tuple[str, str, str, str], ...] = (
    (
        "H100:8",
        "in a plan: eight GPUs in all, not eight in each node",
        "GPUs",
        OURS,
    ),
    (
        "purchase options",
        "apply to the GPU nodes; all other machines are on-demand. A plan that names none gets nine: on-demand, "
        "Reserved Instances and both kinds of Savings Plans for 1 and 3 years without upfront payment, Capacity "
        "Block, spot",
        "",
        AWS,
    ),
    (
        "commitment",
        "a Reserved Instance or Savings Plan: every hour of its term is charged. The hours the run uses and the rest "
        "are two lines; the rest is charged in full unless the plan gives it a value (purchase.reuse_value)",
        "",
        AWS,
    ),
    (
        "Capacity Block",
        "paid whole, in sizes of 1, 2, 4 ... 64 nodes, 256 at most together; several blocks need not lie in one zone",
        "",
        AWS,
    ),
    (
        "spot",
        "planned at the price of the zone that the plan names, else the median of the Region's zones. A gang that "
        "needs all its nodes stops with every reclaim, and may never finish",
        "",
        AWS,
    ),
    (
        "useful hours",
        "hours of work that is kept. The paid hours are the useful ones over useful_fraction: `calc` multiplies hours "
        "by a price, `compare` prices the run that is finished",
        "GPU-hours",
        OURS,
    ),
    (
        "hot data",
        "what training reads (data.hot_dataset), apart from everything that is kept in S3; S3's copy is on every bill",
        "bytes, decimal",
        OURS,
    ),
    (
        "storage duration",
        "warm-up, run and the retention that the plan states; tiers of S3 and of transfer start again each month",
        "GB-months of 2^30 bytes, 730 h",
        AWS,
    ),
    (
        "lower bound",
        "a total in which a line has no price: printed >= or no price, with the line's name. It never wins a ranking "
        "against a complete one",
        "USD",
        OURS,
    ),
    (
        "grade",
        "A: read from an AWS price list or page, B: a third party's data, C: secondary, derived or undated. C is used "
        "where nothing else is, with a warning, and counts as unpriced under --strict",
        "",
        OURS,
    ),
    (
        "carried",
        "a price observed more than 45 days before the book's day, or after it. Only metered list prices are ever "
        "carried back in time, and --strict counts those as unpriced",
        "",
        OURS,
    ),
    (
        "stale",
        "older than 120 days for anything of EC2, than three years for the rest (--max-price-age); exit code 11 under "
        "--strict",
        "days",
        OURS,
    ),
    (
        "too slow",
        "a layout that serves less than training reads stalls and stays feasible; infeasible are only what a "
        "constraint, a size limit or a missing offer rules out",
        "",
        OURS,
    ),
    (
        "planned",
        "every assumption at its central value. Costs are skewed, so that it is not the median: plan_percentile says "
        "where it lies",
        "",
        OURS,
    ),
)
