"""P: costs of a run other than AWS resources: staff, preprocessing, experiments and failed runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from planner.models.bill import Unpriced
from planner.models.derived import PRICE
from planner.models.equation import equation
from planner.models.ledger import Ledger
from planner.models.number import Number
from planner.models.values import Values
from pricing.catalog import InstanceType
from pricing.offers import HOURS_PER_MONTH

if TYPE_CHECKING:
    from planner.plan.types import People

_EPOCH = "epoch-research/training-cost-trends, development_cost.ipynb (b3f53b9)"


@equation(
    "P1",
    "staff-cost",
    units={
        "engineers": "people",
        "months": "months",
        "usd_per_engineer_year": "USD/year",
        "overhead_fraction": "fraction",
    },
    result_unit="USD",
    source=_EPOCH + ": median 330,000 USD of salary and equity, times 1.25 to 1.4",
    steps=("result = engineers * months / 12 * usd_per_engineer_year * (1 + overhead_fraction)",),
)
def staff_cost(
    *, engineers: Number, months: Number, usd_per_engineer_year: Number, overhead_fraction: Number = 0.325
) -> Number:
    """Cost of staff: salary and equity, plus the employer's overhead."""
    return engineers * months / 12 * usd_per_engineer_year * (1 + overhead_fraction)


@equation(
    "P2",
    "preprocessing-cost",
    units={"gpu_hours": "GPU-hours", "gpus_per_node": "GPUs", "usd_per_hour": "USD/h per node"},
    result_unit="USD",
    source="github mosaicml/diffusion README: 3,784 A100-hours to compute the latents of Stable Diffusion 2",
    steps=("result = gpu_hours / gpus_per_node * usd_per_hour",),
)
def preprocessing_cost(*, gpu_hours: Number, gpus_per_node: Number, usd_per_hour: Number) -> Number:
    """Cost of work done once before training, at the On-Demand price of its instance type."""
    return gpu_hours / gpus_per_node * usd_per_hour


@equation(
    "P3",
    "experiments-cost",
    units={
        "run_node_hours": "h",
        "experiment_factor": "ratio",
        "usd_per_hour": "USD/h per node",
        "unused_node_hours": "h",
    },
    result_unit="USD",
    source=_EPOCH + ": total compute over the final run's, 90 % between 1.2 and 4, median 2.19",
    steps=("result = max(run_node_hours * max(experiment_factor - 1, 0) - unused_node_hours, 0) * usd_per_hour",),
)
def experiments_cost(
    *,
    run_node_hours: Number,
    experiment_factor: Number,
    usd_per_hour: Number,
    unused_node_hours: Number = 0.0,
) -> Number:
    """Cost of experiments and failed runs, in node-hours and at the rate of the final run.

    With a commitment they first use the hours that the final run leaves unused, which are on the bill already.
    """
    extra = run_node_hours * np.maximum(experiment_factor - 1, 0.0)
    return np.maximum(extra - unused_node_hours, 0.0) * usd_per_hour


def bill_people(
    ledger: Ledger,
    people: People | None,
    instance: InstanceType,
    *,
    hours: Number,
    node_hours: Number,
    unused_node_hours: Number,
    usd_per_node_hour: Number | None,
    values: Values,
) -> None:
    """Add the lines for the plan's `people` section.

    node_hours: of the final run, paid; unused_node_hours: of a commitment, already on the bill.
    """
    if people is None:
        return
    if people.engineers is not None:
        months = ledger.sheet.arithmetic(
            "people.months",
            people.months_before + hours / HOURS_PER_MONTH,
            "months",
            "months_before + run_hours / 730",
            months_before=(people.months_before, "plan:people.months_before", "months"),
            run_hours=(hours, "run:run.hours", "h"),
        )
        yearly, overhead = values.given("people.usd_per_engineer_year"), values.given("people.overhead_fraction")
        ledger.assumed(
            "people.staff",
            equation="P1",
            quantity=people.engineers * months,
            unit="person-months",
            usd=yearly[0] / 12 * (1 + overhead[0]),
            source=values.table["people.usd_per_engineer_year"].source,
            year=values.table["people.usd_per_engineer_year"].year,
            inputs={
                "engineers": (people.engineers, "plan:people.engineers"),
                "months": (months, "run:people.months"),
                "usd_per_engineer_year": yearly,
                "overhead_fraction": overhead,
            },
        )
    if people.preprocessing is not None:
        _bill_preprocessing(ledger, people, instance)
    if not people.experiments:
        return
    if usd_per_node_hour is None:
        what = "experiments at the hourly price of the GPU nodes, which is unknown"
        ledger.unpriced.append(Unpriced(line="people.experiments", what=what, nearest=()))
    else:
        factor = values.given("people.experiment_factor")
        ledger.assumed(
            "people.experiments",
            equation="P3",
            quantity=experiments_cost(
                run_node_hours=node_hours,
                experiment_factor=factor[0],
                usd_per_hour=1.0,
                unused_node_hours=unused_node_hours,
            ),
            unit="Hrs",
            usd=usd_per_node_hour,
            source=values.table["people.experiment_factor"].source,
            year=values.table["people.experiment_factor"].year,
            service="AmazonEC2",  # the same nodes, which AWS bills as compute
            inputs={
                "run_node_hours": (node_hours, "run:fleet.node_hours"),
                "experiment_factor": factor,
                "usd_per_hour": (usd_per_node_hour, "run:fleet.compute.effective_unit_price"),
                "unused_node_hours": (unused_node_hours, "run:fleet.unused_node_hours"),
            },
        )


def _bill_preprocessing(ledger: Ledger, people: People, fleet_type: InstanceType) -> None:
    work = people.preprocessing
    assert work is not None
    line = "people.preprocessing"
    chosen = fleet_type
    if work.instance_type:
        found = ledger.look_up(line, lambda: ledger.book.instance(work.instance_type or ""))
        if found is None:
            return
        chosen = found
    price = ledger.look_up(line, lambda: ledger.book.on_demand(chosen.name, ledger.region))
    if price is not None:
        ledger.add(
            line,
            service="AmazonEC2",
            equation="P2",
            quantity=work.gpu_hours / max(1, chosen.gpu_count),
            price=price,
            inputs={
                "gpu_hours": (work.gpu_hours, "plan:people.preprocessing.gpu_hours"),
                "gpus_per_node": (max(1, chosen.gpu_count), f"catalogue:{chosen.name}.gpu_count"),
                "usd_per_hour": (None, PRICE),
            },
            note=f"{chosen.name}, On-Demand",
        )
