"""The words of a report that a reader may not know, in a sentence or two each."""

from __future__ import annotations

from planner.report.wording.evidence import GRADES
from planner.report.wording.preferred import RULE

WORDS: tuple[tuple[str, str], ...] = (
    ("P10, P50, P90", "1, 5 and 9 of 10 simulated outcomes cost less. P50 is the median."),
    ("Outcome, draw", "The run simulated once, with every uncertain number drawn at random from its range."),
    (
        "Planned",
        "With every uncertain number at its central value, without the time that people, bugs and bad restarts take. "
        "The bill adds up to it; it is not the P50, and most outcomes cost more.",
    ),
    (
        "Eligible",
        "Finishes within the limits of time and money in at least 9 of 10 outcomes, or in the share set by the plan.",
    ),
    (
        "Recommended",
        "The eligible and proven choice with the lowest P50. Of those that cost the same within the uncertainty, "
        f"{RULE}.",
    ),
    (
        "Unproven",
        "Nobody has published how so many of these nodes fare on spot. It is shown, and recommended only with evidence "
        "of your own.",
    ),
    ("On-Demand", "Nodes billed by the second at the list price. The price does not guarantee capacity."),
    (
        "Capacity Block",
        "Nodes for a fixed number of days, paid in advance. A run that outlasts them must extend or move.",
    ),
    ("Spot", "Unused capacity at a lower price. AWS may interrupt it at two minutes' notice."),
    (
        "Reserved Instances, Savings Plans (RI, SP)",
        "A lower price per hour for one or three years, charged whether it is used or not. It pays off after the "
        "hours of use from which it is cheaper than On-Demand. Reuse is the share of the unused part that other work "
        "must take over before the commitment is the cheapest choice.",
    ),
    ("Pooled NVMe, converged", "The drives of the GPU nodes as one store, over S3, which keeps every object."),
    ("Gang", "A job that needs all of its nodes at once."),
    ("Interruption", "AWS reclaims a spot node. A job that needs all of its nodes restarts from a checkpoint."),
    ("Checkpoint", "The state of the training, saved so that a failure loses only the work since then."),
    ("Useful GPU-hour", "GPU time whose work is kept: without waiting for data, restarts and repeated work."),
    ("Bounded price", "Not known in this Region, so between the lowest and the highest of other Regions."),
    ("Grade A, B, C", f"Of a price. {GRADES}"),
)
