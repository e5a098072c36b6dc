"""The layouts a plan asks for, each sized for one demand and loaded only where it is asked for."""

from __future__ import annotations

from planner.layouts.base import Demand, Layout
from planner.models.values import Values
from planner.plan.types import Plan
from pricing.book import PriceBook


def layouts_of(plan: Plan, demand: Demand, book: PriceBook, values: Values) -> list[Layout]:
    """Every layout and variant of the plan, in the plan's order. Sizes come from central values: they are
    what would be deployed."""
    found: list[Layout] = []
    for name in plan.storage.layouts:
        if name == "converged":
            from planner.layouts.converged import Converged

            found.append(Converged(settings=plan.storage.converged, demand=demand))
        elif name == "fsx-lustre":
            from planner.layouts.fsx_lustre import lustre_variants

            fill = values.central("lustre.fill_fraction")
            found += lustre_variants(plan.storage.fsx_lustre, demand, book, plan.region, fill)
        elif name == "separate-nvme":
            from planner.layouts.separate_nvme import separate_cluster

            found.append(separate_cluster(plan.storage.separate_nvme, demand, book, plan.region, values))
        else:
            from planner.layouts.s3_stream import S3Stream

            found.append(S3Stream(demand=demand))
    return found
