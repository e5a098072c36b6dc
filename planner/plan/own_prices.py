"""The section `prices` of a plan file: which price book, and prices that the plan brings itself.

planner.plan.types has the other sections and says how values and keys are named.
"""

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from planner.plan.forms import Day, InstanceName, Positive, PurchaseName, Region, Section


class OwnPrice(Section):
    """One price that replaces the price book's: of instances (purchase), or of what is billed by use (item)."""

    purchase: PurchaseName | None = Field(
        None, description="how instances are bought: on-demand, spot, capacity-block, or a commitment's rate"
    )
    instance_type: InstanceName | None = Field(
        None, description="whose price it is; default: the fleet's type, if it has only one"
    )
    item: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        None, description="what is billed by use, as the price book names it: S3 Standard storage"
    )
    offering: Annotated[str, Field(max_length=200)] = Field(
        "", description="variant of the item, as the price book names it: 250 MB/s/TiB"
    )
    tier_from_gb: Annotated[float, Field(ge=0, le=1e12)] = Field(
        0.0, description="first GB (2^30 bytes) in a month at this price; default: 0"
    )
    tier_to_gb: Positive | None = Field(None, description="last GB in a month at this price; default: no limit")
    usd: Positive = Field(description="USD per unit before tax; of a commitment the hourly rate, upfront part included")
    unit: Annotated[str, Field(min_length=1, max_length=40)] = Field(
        description="what the price is for, as in the price book: Hrs, GB-Mo, GB, 1k requests ..."
    )
    region: Region | None = Field(None, description="where it is valid; default: the plan's region")
    source: Annotated[str, Field(min_length=1, max_length=1000)] = Field(
        description="where the price comes from: a quote, a contract, a page"
    )
    date: Day = Field(description="day of the quote or of the page")


class Prices(Section):
    """The price book, and prices of your own."""

    book: Day | None = Field(None, description="date of the price book; default: the newest")
    own: tuple[OwnPrice, ...] = Field(
        (), strict=False, max_length=200, description="prices of your own, which replace the price book's"
    )


def _kind(value: object) -> str:
    return PRICES_TAG if isinstance(value, dict | Prices) else DAY_TAG


# These tags name the branch in pydantic's error locations; no key of a plan looks like them.
DAY_TAG, PRICES_TAG = "<day>", "<prices>"
DayOrPrices = Annotated[Annotated[Day, Tag(DAY_TAG)] | Annotated[Prices, Tag(PRICES_TAG)], Discriminator(_kind)]


def plain(prices: Any) -> Any:
    """The canonical form: a mapping without prices of its own is only its date, as in plans before they existed."""
    if not isinstance(prices, dict) or prices["own"]:
        return prices
    return prices["book"]
