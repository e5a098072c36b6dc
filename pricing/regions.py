"""What the tables say about other Regions: bounds of a price that a Region lacks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pricing import parse
from pricing.bounds import PriceBounds, bounds
from pricing.offers import Price
from pricing.tables import Predicate, Tables


class RegionalTables(Tables):
    """Tables with the prices of a Region seen from the others."""

    def __init__(self, folder: Path, *, removed: tuple[Predicate, ...] = ()) -> None:
        super().__init__(folder, removed=removed)
        self._bounds: dict[tuple[str, ...], PriceBounds | None] = {}

    def metered_bounds(self, service: str, item: str, region: str, offering: str = "") -> PriceBounds | None:
        """The lowest and the highest price of other Regions, above the tiers that this Region has; None if fewer than
        two Regions have one. GovCloud and Local Zones have prices of their own and give no bounds."""
        asked = ("metered", service, item, region, offering)
        if asked not in self._bounds:
            found: dict[str, list[Price]] = {}
            for row in self._at("metered", service, item):
                if row["offering"] == offering:
                    found.setdefault(row["region"], []).append(self.price(row))
            ladders = {name: tuple(sorted(tiers, key=lambda tier: tier.tier_from)) for name, tiers in found.items()}
            ladders = {name: tiers for name, tiers in ladders.items() if parse.tiers_abut(tiers)}
            own = ladders.pop(region, ())
            self._bounds[asked] = bounds(own, _commercial(ladders), service, item, region, offering)
        return self._bounds[asked]

    def on_demand_bounds(self, instance_type: str, region: str) -> PriceBounds | None:
        """The lowest and the highest on-demand price of other Regions, likewise."""
        asked = ("on_demand", instance_type, region)
        if asked not in self._bounds:
            others = self._on_demand_elsewhere(instance_type, region)
            self._bounds[asked] = bounds((), others, "AmazonEC2", instance_type, region)
        return self._bounds[asked]

    def lowest_on_demand_elsewhere(self, instance_type: str, region: str) -> float | None:
        """USD per instance-hour in the other Region with the lowest price; None if no Region has one."""
        others = self._on_demand_elsewhere(instance_type, region).values()
        return min((tier.usd for (tier,) in others), default=None)

    def _on_demand_elsewhere(self, instance_type: str, region: str) -> dict[str, tuple[Price, ...]]:
        rows = self._at("on_demand", instance_type)
        return _commercial({row["region"]: (self.price(row),) for row in rows if row["region"] != region})


def _commercial(ladders: Mapping[str, tuple[Price, ...]]) -> dict[str, tuple[Price, ...]]:
    """Those of Regions, without GovCloud, Local Zones and `all`."""
    return {name: tiers for name, tiers in ladders.items() if name.count("-") == 2}
