"""PriceBook: an immutable, dated price list with exact look-ups.

A look-up answers with a price or raises: `PriceNotFound` (we do not know) or `NotOffered` (AWS does
not sell it). Never zero, never NaN, never a neighbour's price.
"""

from __future__ import annotations

from datetime import date

from pricing.catalog import InstanceType
from pricing.offers import BlockOffer, Commitment, InterruptionBand, MeteredPrice, Price, PurchaseOption, SpotOffer


class PriceNotFound(LookupError):
    """The book holds no such price.

    asked: what was looked up, in words. nearest: what the book does hold that comes near, best first.
    as_of: the book's date.
    """

    def __init__(self, asked: str, nearest: tuple[str, ...], as_of: date) -> None:
        self.asked, self.nearest, self.as_of = asked, nearest, as_of
        near = "; nearest: " + ", ".join(nearest) if nearest else "; nothing near it either"
        super().__init__(f"no price for {asked} in the book of {as_of}{near}")


class NotOffered(PriceNotFound):
    """AWS does not sell it there: the source lists everything sold and this is not among it."""

    def __init__(self, asked: str, nearest: tuple[str, ...], as_of: date, because: str) -> None:
        super().__init__(asked, nearest, as_of)
        self.because = because
        self.args = (f"AWS does not offer {asked}: {because}",)


class PriceBook:
    """Prices as of one date."""

    as_of: date
    sha256: str

    def instance(self, name: str) -> InstanceType: ...
    def instances(self) -> tuple[InstanceType, ...]: ...
    def regions(self) -> tuple[str, ...]: ...
    def on_demand(self, instance_type: str, region: str) -> Price: ...
    def commitment(self, instance_type: str, region: str, option: PurchaseOption) -> Commitment: ...
    def capacity_block(self, instance_type: str, region: str) -> BlockOffer: ...
    def spot(self, instance_type: str, region: str, zone_id: str | None = None) -> SpotOffer: ...
    def interruption(self, instance_type: str, region: str) -> InterruptionBand: ...
    def metered(self, service: str, item: str, region: str, offering: str = "") -> MeteredPrice: ...
