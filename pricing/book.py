"""PriceBook: an immutable, dated price list with exact look-ups.

A look-up returns a price or raises: `PriceNotFound` (unknown) or `NotOffered` (AWS does not sell it). It never returns
zero, NaN, or the price of something else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from datetime import date
from functools import cache, cached_property
from pathlib import Path

from pricing import near, parse, snapshot, spot
from pricing.catalog import FsxPerformance, InstanceType
from pricing.errors import NotOffered, PriceNotFound
from pricing.offers import (
    BlockOffer,
    Commitment,
    InterruptionBand,
    MeteredPrice,
    Price,
    PurchaseOption,
    SpotOffer,
)
from pricing.own import OwnPrice, by_key, spot_around
from pricing.regions import RegionalTables
from pricing.snapshot import COLUMNS, DATA, BrokenBook, Row, read_lines
from pricing.tables import Predicate

__all__ = ["BrokenBook", "NotOffered", "PriceBook", "PriceNotFound", "default_book", "load_as_of"]

EVERYWHERE = "all"  # the region of a price that is the same in every Region


class PriceBook(RegionalTables):
    """Prices as of one date. Tables are read when they are first needed.

    as_of: the book's date. folder: where it is. manifest: how it was built.
    """

    def __init__(self, folder: Path, *, removed: tuple[Predicate, ...] = ()) -> None:
        super().__init__(folder, removed=removed)
        self._missing: dict[tuple[str, ...], PriceNotFound] = {}
        self._metered: dict[tuple[str, ...], MeteredPrice] = {}
        self._own: Mapping[tuple[str, ...], tuple[Price, ...]] = {}
        self._standing: Mapping[tuple[str, ...], tuple[Price, ...]] = {}

    @classmethod
    def load(cls, path: str | Path) -> PriceBook:
        """The book in a folder. Raises BrokenBook if there is no book that this version can read."""
        return cls(Path(path))

    def without(self, predicate: Predicate) -> PriceBook:
        """The same book without some rows: those for which predicate(table, row) is true."""
        return PriceBook(self.folder, removed=(*self._removed, predicate))

    def with_own(self, prices: Sequence[OwnPrice]) -> PriceBook:
        """The same book with prices of a plan, which answer before its tables do; earlier ones are forgotten."""
        if not prices and self._own == self._standing:
            return self
        book = copy(self)  # both share what was read from the tables
        book._own = {**self._standing, **by_key(prices)}
        return book

    def with_standing(self, prices: Sequence[OwnPrice]) -> PriceBook:
        """The same book with prices of one's own for every plan (pricing/quotes.py); those of a plan go before them."""
        book = copy(self)
        book._standing = by_key(prices)
        book._own = book._standing
        return book

    @property
    def own_prices(self) -> Mapping[tuple[str, ...], tuple[Price, ...]]:
        """The prices that answer before the tables do, by table and columns."""
        return self._own

    # --- hardware -----------------------------------------------------------------------------------

    @cached_property
    def _instances(self) -> dict[str, InstanceType]:
        # hardware does not change with prices: types that the lists behind the books lack stand beside the books
        more = [dict(zip(COLUMNS["instances"], line, strict=True)) for line in read_lines(DATA, "instances")]
        return {row["name"]: parse.instance(row, self.source) for row in (*more, *self.rows("instances"))}

    def instance(self, name: str) -> InstanceType:
        """Hardware facts of one type. Raises PriceNotFound with similar names."""
        if name not in self._instances:
            raise PriceNotFound(f"instance type {name}", near.names(name, self._instances), self.as_of)
        return self._instances[name]

    def instances(self) -> tuple[InstanceType, ...]:
        """All types whose hardware is known, by name."""
        return tuple(self._instances.values())

    def regions(self) -> tuple[str, ...]:
        """Every Region and Local Zone that has a compute price."""
        tables = ("on_demand", "commitments", "capacity_blocks", "spot")
        return tuple(sorted(set[str]().union(*(self._values(table, "region") for table in tables))))

    def regions_on_demand(self) -> set[str]:
        """Those with an on-demand price, which is what most plans are in; no other table is read for it."""
        return self._values("on_demand", "region")

    # --- compute ------------------------------------------------------------------------------------

    def on_demand(self, instance_type: str, region: str) -> Price:
        """USD per instance-hour, Linux, shared tenancy. Raises PriceNotFound or NotOffered."""
        if own := self._own.get(("on_demand", instance_type, region)):
            return own[0]
        return self.price(self._one("on_demand", instance_type, region))

    def listed_on_demand(self, instance_type: str, region: str) -> Price:
        """The same before discounts: a standing price of one's own is left out, that of a plan is not.

        Raises PriceNotFound or NotOffered.
        """
        key = ("on_demand", instance_type, region)
        own = self._own.get(key)
        if own and own is not self._standing.get(key):
            return own[0]
        return self.price(self._one(*key))

    def commitment(self, instance_type: str, region: str, option: PurchaseOption) -> Commitment:
        """The rate of a Reserved Instance or Savings Plan. Raises PriceNotFound or NotOffered.

        Raises ValueError for an option that is not a commitment.
        """
        if not option.years:
            raise ValueError(f"{option.id} is not a commitment")
        own = self._own.get(("commitments", instance_type, region, option.id))
        price = own[0] if own else self.price(self._one("commitments", instance_type, region, option.id))
        return Commitment(
            instance_type=instance_type,
            region=region,
            price=price,
            years=option.years,
            upfront=option.upfront,
            kind=option.kind,
        )

    def capacity_block(self, instance_type: str, region: str) -> BlockOffer:
        """The reservation fee per instance-hour. Raises PriceNotFound or NotOffered."""
        own = self._own.get(("capacity_blocks", instance_type, region))
        price = own[0] if own else self.price(self._one("capacity_blocks", instance_type, region))
        return BlockOffer(instance_type=instance_type, region=region, price=price)

    def _one(self, table: str, instance_type: str, region: str, option: str = "") -> Row:
        key = (instance_type, region, option) if option else (instance_type, region)
        if found := self._at(table, *key):
            return found[0]
        asked = (table, instance_type, region, option)
        if asked not in self._missing:
            self._missing[asked] = self._absent(*asked)
        raise self._missing[asked].with_traceback(None)

    def _absent(self, table: str, instance_type: str, region: str, option: str) -> PriceNotFound:
        what = option or {"on_demand": "on-demand", "capacity_blocks": "capacity-block"}[table]
        asked = f"{instance_type} {what} in {region}"
        nearest = self._near(table, instance_type, region, option)
        proof = self._at("not_offered", table, instance_type, region, option)
        if not proof and region.count("-") == 2:  # "*" means commercial Regions, not Local Zones
            proof = self._at("not_offered", table, instance_type, "*", option)
        if proof:
            because = f"{proof[0]['because']} ({self.source(proof[0]['source'])})"
            return NotOffered(asked, nearest, self.as_of, because, proof[0]["observed"])
        return PriceNotFound(asked, nearest, self.as_of)

    def spot(self, instance_type: str, region: str, zone_id: str | None = None) -> SpotOffer:
        """Spot prices of a type in a Region; `planned` is one zone's price or the median over zones.

        The newest date is used (pricing/spot.py). Raises PriceNotFound, also if only a lowest price is known.
        """
        rows = self._at("spot", instance_type, region)
        seen = [(row["zone_id"], row["item"], self.price(row)) for row in rows]
        found = spot.offer(seen, instance_type, region, zone_id)
        if own := self._own.get(("spot", instance_type, region)):
            return spot_around(own[0], found, instance_type, region, zone_id)
        if found is not None:
            return found
        asked = f"{instance_type} spot in {zone_id or region}"
        if zone_id is not None:
            zones = dict.fromkeys(f"{instance_type} in zone {row['zone_id']}" for row in rows if row["zone_id"])
            raise PriceNotFound(asked, tuple(zones), self.as_of)
        lone = tuple(
            f"the {row['item']} of all zones on {row['observed']}, which is not a price to plan with" for row in rows
        )
        raise PriceNotFound(asked, lone + self._near("spot", instance_type, region), self.as_of)

    def _near(self, table: str, instance_type: str, region: str, option: str = "") -> tuple[str, ...]:
        known = instance_type in self._instances or bool(self._at("on_demand", instance_type))
        rows = self._at(table, instance_type) if known else self.rows(table)  # of an unknown type, similar names
        if table == "spot":
            rows = [row for row in rows if row["item"] in ("zone", "mean")]
        return near.compute(rows, instance_type, region, option, known=known)

    def interruption(self, instance_type: str, region: str) -> InterruptionBand:
        """Spot Advisor's band of the last month in the book. Raises PriceNotFound."""
        found = self._at("interruptions", instance_type, region)
        if not found:
            nearest = self._near("interruptions", instance_type, region)
            raise PriceNotFound(f"{instance_type} spot interruptions in {region}", nearest, self.as_of)
        return parse.interruption(found[0], self.source(found[0]["source"]))

    # --- metered ------------------------------------------------------------------------------------

    def metered(self, service: str, item: str, region: str, offering: str = "") -> MeteredPrice:
        """A list price that is billed by use, with all its tiers. Raises PriceNotFound.

        The last tier may end below infinity; quantities above it have no price here. FSx for Lustre: item "PERSISTENT_2
        SSD storage", offering "250 MB/s/TiB".
        """
        if own := self._own.get(("metered", service, item, region, offering)):
            return MeteredPrice(service=service, region=region, item=item, offering=offering, tiers=own)
        asked = (service, item, region, offering)
        if asked not in self._metered:
            self._metered[asked] = self._listed(*asked)
        return self._metered[asked]

    def _listed(self, service: str, item: str, region: str, offering: str) -> MeteredPrice:
        rows = self._at("metered", service, item, region, offering)
        rows = rows or self._at("metered", service, item, EVERYWHERE, offering)
        tiers = tuple(sorted(map(self.price, rows), key=lambda price: price.tier_from))
        # a tier is missing, so the tiers above the gap cannot be used
        if not parse.tiers_abut(tiers):
            nearest = near.metered(self.rows("metered"), service, item, region, offering)
            words = f"{service} {item}" + (f" ({offering})" if offering else "")
            raise PriceNotFound(f"{words} in {region}", nearest, self.as_of)
        return MeteredPrice(service=service, region=region, item=item, offering=offering, tiers=tiers)

    def units(self) -> Mapping[tuple[str, str], str]:
        """The unit of everything that is billed by use, by item and offering."""
        return {(row["item"], row["offering"]): row["unit"] for row in self.rows("metered")}

    def service_of(self, item: str) -> str:
        """The service that bills an item. Raises PriceNotFound."""
        services = {row["item"]: row["service"] for row in self.rows("metered")}
        if item not in services:
            raise PriceNotFound(f"item {item}", near.names(item, services), self.as_of)
        return services[item]

    # --- FSx for Lustre facts -----------------------------------------------------------------------

    def fsx_performance(self) -> tuple[FsxPerformance, ...]:
        """Throughput of every deployment type and tier of FSx for Lustre."""
        return tuple(parse.fsx_performance(row, self.source) for row in self.rows("fsx_performance"))

    def fsx_included_metadata_iops(self, capacity_gib: float) -> int:
        """Metadata IOPS included in PERSISTENT_2 capacity. Raises PriceNotFound for a size not sold."""
        for row in self.rows("fsx_metadata_iops"):
            if (included := parse.included_iops(row, capacity_gib)) is not None:
                return included
        near_sizes = tuple(f"{row['capacity_gib_from']} GiB" for row in self.rows("fsx_metadata_iops"))
        raise PriceNotFound(f"metadata IOPS of {capacity_gib:,.0f} GiB FSx for Lustre", near_sizes, self.as_of)


def load_as_of(day: date) -> PriceBook:
    """The bundled book of the day, else the newest one before it. Raises LookupError that lists the books."""
    return _bundled(snapshot.folder_as_of(day))


@cache  # a bundled book does not change, and who compares ten plans reads it once
def _bundled(folder: Path) -> PriceBook:
    return PriceBook.load(folder)


def default_book() -> PriceBook:
    """The newest bundled book."""
    return load_as_of(date.max)
