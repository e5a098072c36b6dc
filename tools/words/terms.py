"""Terms in sentences, tables and pages."""

from __future__ import annotations

from tools.words.word import AWS, OURS

# (word, meaning, unit, whose)
TERMS: tuple[tuple[str, str, str, str], ...] = (
    (
        "H100:8",
        "in a plan: eight GPUs in total, not eight per node",
        "GPUs",
        OURS,
    ),
    (
        "purchase options",
        "apply to the GPU nodes; all other instances are On-Demand. A plan without options compares nine: On-Demand, "
        "Reserved Instances and both kinds of Savings Plans for 1 and 3 years with no upfront payment, Capacity "
        "Block, spot",
        "",
        AWS,
    ),
    (
        "commitment",
        "a Reserved Instance or Savings Plan: every hour of its term is billed. The used hours and the unused hours "
        "are two lines; unused hours are billed in full unless the plan sets a reuse value (purchase.reuse_value)",
        "",
        AWS,
    ),
    (
        "Capacity Block",
        "billed in full, in sizes of 1, 2, 4 ... 64 nodes, up to 256 in total; blocks may be in different zones",
        "",
        AWS,
    ),
    (
        "spot",
        "planned at the price of the plan's zone, or at the median of the Region's zones. A job that "
        "needs all its nodes stops at every spot interruption, and may never finish",
        "",
        AWS,
    ),
    (
        "useful hours",
        "hours of work that is kept. Paid hours are useful hours divided by useful_fraction: `calc` multiplies hours "
        "by a price, `compare` prices the finished run",
        "GPU-hours",
        OURS,
    ),
    (
        "hot data",
        "the data that training reads (data.hot_dataset), a part of the data in S3; every bill has the copy in S3",
        "bytes, decimal",
        OURS,
    ),
    (
        "storage duration",
        "warm-up, run and the plan's retention; price tiers of S3 and of data transfer start again each month",
        "GB-months of 2^30 bytes, 730 h",
        AWS,
    ),
    (
        "lower bound",
        "a total with a line that has no price: shown as >= or no price, with the line's name. It never ranks above "
        "a complete total",
        "USD",
        OURS,
    ),
    (
        "grade",
        "A: from an AWS price list or page, B: data of a third party, C: secondary, derived or undated. C is used "
        "only if there is nothing else, with a warning, and counts as unpriced with --strict",
        "",
        OURS,
    ),
    (
        "carried",
        "a price observed more than 45 days before the book's day, or after it. Only metered list prices are "
        "used for a day before they were observed, and --strict counts those as unpriced",
        "",
        OURS,
    ),
    (
        "stale",
        "out of date: EC2 prices older than 120 days, others older than three years (--max-price-age); exit code 11 "
        "with --strict",
        "days",
        OURS,
    ),
    (
        "too slow",
        "a layout that is slower than training reads makes training wait, but is feasible; infeasible is only what a "
        "constraint, a size limit or a missing offer rules out",
        "",
        OURS,
    ),
    (
        "planned",
        "with every assumption at its central value. Costs are skewed, so this is not the median: plan_percentile "
        "gives its percentile",
        "",
        OURS,
    ),
)
