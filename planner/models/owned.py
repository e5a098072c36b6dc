"""O: hardware that is owned instead of rented, its power and its emissions."""

from __future__ import annotations

import numpy as np

from planner.models.equation import equation
from planner.models.number import Number

_EPOCH = "epoch-research/training-cost-trends, development_cost.ipynb (b3f53b9)"
_CARD = "CompVis/stable-diffusion Stable_Diffusion_v1_Model_Card.md (21f890f)"


@equation(
    "O1",
    "owned-hardware-cost",
    units={
        "usd_per_chip": "USD with its server",
        "chip_hours": "GPU-hours",
        "experiment_factor": "ratio",
        "value_loss_per_year": "orders of magnitude per year",
        "utilization_fraction": "fraction",
    },
    result_unit="USD",
    source=_EPOCH + ": the value of hardware falls by 0.14 orders of magnitude a year",
    steps=(
        "used_hours = chip_hours * experiment_factor / utilization_fraction",
        "result = usd_per_chip * value_loss_per_year * log(10) / 8766 * used_hours",
    ),
)
def owned_hardware_cost(
    *,
    usd_per_chip: Number,
    chip_hours: Number,
    experiment_factor: Number = 1.0,
    value_loss_per_year: Number = 0.14,
    utilization_fraction: Number = 1.0,
) -> Number:
    """Loss in value of owned accelerators and their servers during a run.

    usd_per_chip: price of an accelerator with its share of the server. experiment_factor: all chip-hours of a project
    over those of the final run. utilization_fraction: share of the time in which any work uses the machines; a run also
    pays its part of the idle time. Limits: without interconnect (O4), energy (O5), building and staff; machines that
    are new when the run starts.
    """
    used_hours = chip_hours * experiment_factor / utilization_fraction
    return usd_per_chip * value_loss_per_year * np.log(10) / 8766 * used_hours


@equation(
    "O2",
    "owned-accelerator-cost",
    units={"hardware_usd": "USD", "server_factor": "ratio"},
    result_unit="USD",
    source=_EPOCH + ": a server costs 1.66 times its A100s, 1.64 times other accelerators",
    steps=("result = hardware_usd / server_factor",),
)
def owned_accelerator_cost(*, hardware_usd: Number, server_factor: Number = 1.64) -> Number:
    """The accelerators' part of the cost of owned hardware (O1)."""
    return hardware_usd / server_factor


@equation(
    "O3",
    "owned-server-cost",
    units={"hardware_usd": "USD", "server_factor": "ratio"},
    result_unit="USD",
    source=_EPOCH + ": what is no accelerator: processors, memory, drives, chassis",
    steps=("result = hardware_usd * (1 - 1 / server_factor)",),
)
def owned_server_cost(*, hardware_usd: Number, server_factor: Number = 1.64) -> Number:
    """The other parts of the servers in the cost of owned hardware (O1)."""
    return hardware_usd * (1 - 1 / server_factor)


@equation(
    "O4",
    "owned-interconnect-cost",
    units={"hardware_usd": "USD", "interconnect_fraction": "fraction"},
    result_unit="USD",
    source=_EPOCH + ": the interconnect is 19 % of the cost of a cluster",
    steps=("result = hardware_usd * interconnect_fraction / (1 - interconnect_fraction)",),
)
def owned_interconnect_cost(*, hardware_usd: Number, interconnect_fraction: Number = 0.19) -> Number:
    """The network between owned servers, on top of their cost (O1)."""
    return hardware_usd * interconnect_fraction / (1 - interconnect_fraction)


@equation(
    "O5",
    "energy",
    units={"gpu_hours": "GPU-hours", "kw_per_gpu": "kW", "overhead_factor": "ratio"},
    result_unit="kWh",
    source=_CARD + ": 0.25 kW per A100; " + _EPOCH + ": overhead (PUE) 1.1 in a large cloud, 1.25 elsewhere",
    steps=("result = gpu_hours * kw_per_gpu * overhead_factor",),
)
def energy_kwh(*, gpu_hours: Number, kw_per_gpu: Number, overhead_factor: Number = 1.0) -> Number:
    """Energy of a run. overhead_factor: of the building, PUE; kw_per_gpu may include the server's share."""
    return gpu_hours * kw_per_gpu * overhead_factor


@equation(
    "O6",
    "emissions",
    units={"kwh": "kWh", "kg_per_kwh": "kg CO2 per kWh"},
    result_unit="kg",
    source=_CARD + ": 150,000 A100-hours at 0.25 kW and 0.30 kg/kWh are 11,250 kg",
    steps=("result = kwh * kg_per_kwh",),
)
def emissions_kg(*, kwh: Number, kg_per_kwh: Number) -> Number:
    """CO2 of the energy of a run (O5). Limits: of its electricity only, not of making the hardware."""
    return kwh * kg_per_kwh


@equation(
    "O7",
    "energy-cost",
    units={"kwh": "kWh", "usd_per_kwh": "USD/kWh"},
    result_unit="USD",
    source=_EPOCH + ": industrial electricity in the US 0.0832 USD/kWh in 2022, 0.0806 in 2023",
    steps=("result = kwh * usd_per_kwh",),
)
def energy_cost(*, kwh: Number, usd_per_kwh: Number = 0.0806) -> Number:
    """Cost of the energy of owned hardware (O5)."""
    return kwh * usd_per_kwh


@equation(
    "O8",
    "owned-purchase",
    units={"chips": "GPUs", "usd_per_chip": "USD with its server", "interconnect_fraction": "fraction"},
    result_unit="USD",
    source=_EPOCH + ": the interconnect is 19 % of the cost of a cluster",
    steps=("result = chips * usd_per_chip / (1 - interconnect_fraction)",),
)
def owned_purchase(*, chips: Number, usd_per_chip: Number, interconnect_fraction: Number = 0.19) -> Number:
    """Price of a cluster that is bought: accelerators, servers and the network between them, without a building."""
    return chips * usd_per_chip / (1 - interconnect_fraction)


@equation(
    "O9",
    "owned-break-even",
    units={
        "owned_usd_per_hour": "USD/h per GPU, always busy",
        "energy_usd_per_hour": "USD/h per GPU",
        "rented_usd_per_hour": "USD/h per GPU",
    },
    result_unit="fraction",
    source="owned / utilization + energy = rented, solved for the utilization",
    steps=("result = owned_usd_per_hour / max(rented_usd_per_hour - energy_usd_per_hour, 1e-12)",),
)
def owned_break_even(*, owned_usd_per_hour: Number, energy_usd_per_hour: Number, rented_usd_per_hour: Number) -> Number:
    """Share of the time in which owned machines must be busy to cost no more than renting; above 1: they never do.

    owned_usd_per_hour: loss in value of hardware and interconnect (O1, O4), if it is never idle.
    """
    return owned_usd_per_hour / np.maximum(rented_usd_per_hour - energy_usd_per_hour, 1e-12)
