"""The GPU nodes of a run on machines that are owned: loss in value, energy, and what the purchase costs."""

from __future__ import annotations

from dataclasses import dataclass

from planner.models.number import Number
from planner.models.owned import (
    emissions_kg,
    energy_cost,
    energy_kwh,
    owned_accelerator_cost,
    owned_hardware_cost,
    owned_interconnect_cost,
    owned_purchase,
    owned_server_cost,
)
from planner.models.values import Values
from pricing.catalog import InstanceType

# rated power of an 8-GPU server by the NVIDIA data sheets of DGX A100, H100, H200 and B200, per GPU
SERVER_KW_PER_GPU = {"A100": 6.5 / 8, "H100": 10.2 / 8, "H200": 10.2 / 8, "B200": 14.3 / 8}


@dataclass(frozen=True, kw_only=True)
class OwnedNodes:
    """Costs in USD of the run, floats or arrays with one entry per draw; purchase_usd is paid before it.

    always_busy_usd_per_hour: loss in value of one GPU with its parts of server and interconnect if it is never idle;
    energy_usd_per_hour: of one GPU at work.
    """

    accelerators_usd: Number
    servers_usd: Number
    interconnect_usd: Number
    energy_usd: Number
    purchase_usd: Number
    utilization_fraction: Number
    always_busy_usd_per_hour: Number
    energy_usd_per_hour: Number

    @property
    def usd(self) -> Number:
        """All of the run."""
        return self.accelerators_usd + self.servers_usd + self.interconnect_usd + self.energy_usd


@dataclass(frozen=True, kw_only=True)
class Energy:
    """Electricity of the GPU nodes of a run, and its CO2, in a building with some overhead."""

    kwh: Number
    kg_co2: Number


def has_price(instance: InstanceType) -> bool:
    """Whether a server price and its power are published for this kind of GPU."""
    return instance.gpu_name.upper() in SERVER_KW_PER_GPU


def owned_nodes(instance: InstanceType, nodes: int, hours: Number, values: Values) -> OwnedNodes:
    """The same servers, owned, for the hours of a run. Raises KeyError for a GPU without a published price."""
    kind, gpus = instance.gpu_name.upper(), nodes * instance.gpu_count
    chip_hours = gpus * hours
    usd_per_chip, utilization = values[f"owned.usd_per_{kind.lower()}"], values["owned.utilization_fraction"]
    factor, share = values["owned.server_factor"], values["owned.interconnect_fraction"]
    loss = values["owned.value_loss_per_year"]
    hardware = owned_hardware_cost(
        usd_per_chip=usd_per_chip,
        chip_hours=chip_hours,
        value_loss_per_year=loss,
        utilization_fraction=utilization,
    )
    one_hour = owned_hardware_cost(usd_per_chip=usd_per_chip, chip_hours=1.0, value_loss_per_year=loss)
    energy = energy_of(instance, nodes, hours, values, own=True)
    energy_usd = energy_cost(kwh=energy.kwh, usd_per_kwh=values["energy.usd_per_kwh"])
    return OwnedNodes(
        accelerators_usd=owned_accelerator_cost(hardware_usd=hardware, server_factor=factor),
        servers_usd=owned_server_cost(hardware_usd=hardware, server_factor=factor),
        interconnect_usd=owned_interconnect_cost(hardware_usd=hardware, interconnect_fraction=share),
        energy_usd=energy_usd,
        purchase_usd=owned_purchase(chips=gpus, usd_per_chip=usd_per_chip, interconnect_fraction=share),
        utilization_fraction=utilization,
        always_busy_usd_per_hour=one_hour + owned_interconnect_cost(hardware_usd=one_hour, interconnect_fraction=share),
        energy_usd_per_hour=energy_usd / chip_hours,
    )


def energy_of(instance: InstanceType, nodes: int, hours: Number, values: Values, *, own: bool) -> Energy:
    """own: in a building of one's own, else in a large cloud's. Raises KeyError for a GPU of unknown server power."""
    kilowatts = SERVER_KW_PER_GPU[instance.gpu_name.upper()] * values["energy.power_fraction"]
    kwh = energy_kwh(
        gpu_hours=nodes * instance.gpu_count * hours,
        kw_per_gpu=kilowatts,
        overhead_factor=values["energy.own_overhead_factor" if own else "energy.cloud_overhead_factor"],
    )
    return Energy(kwh=kwh, kg_co2=emissions_kg(kwh=kwh, kg_per_kwh=values["energy.kg_co2_per_kwh"]))
