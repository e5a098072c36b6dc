"""`planner offers`: every way to buy an instance type, without a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from planner.cli import books
from planner.cli.options import prices_option
from planner.cli.output import say, write_result
from planner.errors import UsageProblem

if TYPE_CHECKING:
    from pricing.book import PriceBook
    from pricing.offers import Price

COLUMNS = ("type", "region", "purchase", "usd_per_hour", "usd_per_gpu_hour", "date", "grade", "basis")
OWN_COLUMNS = ("own_usd_per_hour", "own_usd_per_gpu_hour", "own_grade", "own_source")
CSV_COLUMNS = (*COLUMNS[:3], "status", *COLUMNS[3:], *OWN_COLUMNS, "low", "high", "gpu", "gpus", "note", "source")
SORTS = {
    "gpu-hour": ("usd_per_gpu_hour", "usd_per_hour"),
    "hour": ("usd_per_hour",),
    "type": ("type", "region", "usd_per_hour"),
}
Record = dict[str, books.Cell]


@click.command(name="offers")
@click.argument("types", nargs=-1, metavar="TYPE...")
@click.option("--gpu", metavar="NAME", help="Every type with this GPU, such as H100.")
@click.option("--region", "regions", multiple=True, metavar="REGION", help="Region; may repeat. [default: us-east-1]")
@prices_option("Price book. [default: the newest]")
@click.option("--sort", type=click.Choice(list(SORTS)), default="gpu-hour", show_default=True)
@click.option("--top", type=click.IntRange(min=1), help="Show only this many offers.")
@click.option("-f", "--format", "form", type=click.Choice(["table", "json", "csv"]), default="table")
def command(
    types: tuple[str, ...],
    gpu: str | None,
    regions: tuple[str, ...],
    prices: str | None,
    sort: str,
    top: int | None,
    form: str,
) -> None:
    """Compare every purchase option of instance types, in USD per hour and per GPU-hour.

    Options that are unknown or not offered are listed separately, never as zero.
    """
    book = books.open_book(prices)
    known = set(book.regions())
    for region in regions:
        if region not in known:
            from planner.plan.wording import did_you_mean

            near = did_you_mean(region, sorted(known)) or f"known Regions: {', '.join(sorted(known))}"
            raise UsageProblem(f"no price in {region}; {near}")
    offered: list[Record] = []
    missing: list[Record] = []
    with books.broken_book_as_usage_problem():
        for name in _types(book, types, gpu):
            for region in dict.fromkeys(regions or ("us-east-1",)):
                _ask(book, name, region, offered, missing)
        _add_own(book, offered, missing)
    offered.sort(key=lambda record: _sort_key(record, sort))
    left_off = len(offered) - top if top and top < len(offered) else 0
    offered = offered[: top or None]
    if form == "json":
        head = {"schema_version": "1", "as_of": book.as_of.isoformat(), "sha256": book.sha256}
        books.print_json({**head, "offers": offered, "missing": missing, "left_off": left_off})
    elif form == "csv":
        blank: Record = dict.fromkeys(CSV_COLUMNS)
        rows: list[Record] = [{**blank, **record, "status": "offered"} for record in offered]
        rows += [{**blank, **record, "note": record["why"]} for record in missing]
        books.print_csv(CSV_COLUMNS, rows)
    else:
        _print_tables(book, offered, missing)
    if left_off:
        say(f"{left_off} more left off by --top")


def _add_own(book: PriceBook, offered: list[Record], missing: list[Record]) -> None:
    """Your own prices beside the list's; one without a list price is an offer too."""
    from planner.api.books import with_quotes

    places = {str(record["region"]) for record in (*offered, *missing)}
    mine, _ = with_quotes(book, places)
    if not mine.own_prices:
        return
    for record in offered:
        own = _own_price(mine, record)
        record.update(_own_cells(own, float(str(record["gpus"] or 0))))
    for record in list(missing):
        own = _own_price(mine, record)
        if own is not None:
            missing.remove(record)
            name, region, purchase = (str(record[key]) for key in ("type", "region", "purchase"))
            made = _record(mine, name, region, purchase, own, None, None)
            cells = _own_cells(own, float(str(made["gpus"] or 0)))
            blank: Record = {"usd_per_hour": None, "usd_per_gpu_hour": None, "note": record["why"]}
            offered.append({**made, **blank, **cells})


def _own_price(book: PriceBook, record: Record) -> Price | None:
    from pricing.offers import PurchaseOption
    from pricing.quotes import TABLES

    option = PurchaseOption.parse(str(record["purchase"]))
    place = (str(record["type"]), str(record["region"]))
    key = (TABLES.get(option.id, "commitments"), *place, *((option.id,) if option.years else ()))
    return book.own_prices.get(key, (None,))[0]


def _own_cells(own: Price | None, gpus: float) -> Record:
    if own is None:
        return dict.fromkeys(OWN_COLUMNS)
    return {
        "own_usd_per_hour": round(own.usd, 6),
        "own_usd_per_gpu_hour": round(own.usd / gpus, 6) if gpus else None,
        "own_grade": own.grade,
        "own_source": own.source,
    }


def _sort_key(record: Record, sort: str) -> tuple[object, ...]:
    """What has no figure (a type without GPUs) comes last."""
    names = (*SORTS[sort], "type", "region", "purchase")
    return tuple((record[name] is None, record[name] if record[name] is not None else 0) for name in names)


def _types(book: PriceBook, types: tuple[str, ...], gpu: str | None) -> tuple[str, ...]:
    from pricing.book import PriceNotFound

    if not types and not gpu:
        raise UsageProblem("name at least one instance type, or --gpu NAME")
    found = list(types)
    priced = {row["instance_type"] for table in ("on_demand", "capacity_blocks") for row in book.rows(table)}
    for name in types:
        try:
            book.instance(name)
        except PriceNotFound as error:
            if name not in priced:
                gpus = {one.gpu_name.lower(): one.gpu_name for one in book.instances() if one.gpu_name}
                known = gpus.get(name.lower())
                its = f"{name} is a GPU and no instance type: `planner offers --gpu {known}`" if known else str(error)
                raise UsageProblem(its) from error
    if gpu:
        known = sorted({one.gpu_name for one in book.instances() if one.gpu_name})
        matching = [one.name for one in book.instances() if one.gpu_name.lower() == gpu.lower()]
        if not matching:
            raise UsageProblem(f"no instance type has a {gpu}; there are: {', '.join(known)}")
        found += matching
    return tuple(dict.fromkeys(found))


def _ask(book: PriceBook, name: str, region: str, offered: list[Record], missing: list[Record]) -> None:
    """Every purchase option of one type in one Region, into one of the two lists."""
    from pricing.book import NotOffered, PriceNotFound
    from pricing.offers import ALL_PURCHASE_OPTIONS, PurchaseOption

    for purchase in ALL_PURCHASE_OPTIONS:
        option = PurchaseOption.parse(purchase)
        if option.family == "spot-fallback":
            continue  # bought as spot and On-Demand, which have prices of their own
        low = high = None
        try:
            if option.family == "on-demand":
                price = book.on_demand(name, region)
            elif option.family == "capacity-block":
                price = book.capacity_block(name, region).price
            elif option.family == "spot":
                spot = book.spot(name, region)
                price = spot.planned
                low = min(one.usd for _, one in spot.observations)
                high = max(one.usd for _, one in spot.observations)
            else:
                price = book.commitment(name, region, option).price
        except PriceNotFound as error:
            sold = isinstance(error, NotOffered)
            why = error.because if isinstance(error, NotOffered) else str(error)
            missing.append(
                {
                    "type": name,
                    "region": region,
                    "purchase": purchase,
                    "status": "not offered" if sold else "not known",
                    "why": why,
                }
            )
            continue
        offered.append(_record(book, name, region, purchase, price, low, high))


def _record(
    book: PriceBook,
    name: str,
    region: str,
    purchase: str,
    price: Price,
    low: float | None,
    high: float | None,
) -> Record:
    from pricing.book import PriceNotFound

    try:
        machine = book.instance(name)
        gpu, gpus = machine.gpu_name, machine.gpu_count
    except PriceNotFound:
        gpu, gpus = "", 0
    return {
        "type": name,
        "region": region,
        "purchase": purchase,
        "usd_per_hour": round(price.usd, 6),
        "usd_per_gpu_hour": round(price.usd / gpus, 6) if gpus else None,
        "date": price.observed.isoformat(),
        "grade": price.grade,
        "basis": price.basis.value,
        "low": low,
        "high": high,
        "gpu": gpu,
        "gpus": float(gpus),
        "note": price.note,
        "source": price.source,
    }


def _shown(record: Record) -> Record:
    """One line of the table: narrow enough for 80 columns."""
    gpu_hour = record["usd_per_gpu_hour"]
    return {
        "type": record["type"],
        "region": record["region"],
        "purchase": record["purchase"],
        "$/h": "-" if record["usd_per_hour"] is None else f"{record['usd_per_hour']:,.4f}",
        "own $/h": f"{own:,.4f}" if (own := record.get("own_usd_per_hour")) else "",
        "$/GPU-h": "-" if gpu_hour is None else f"{gpu_hour:,.4f}",
        "seen": f"{record['date']} {record['grade']}{'*' if record['basis'] == 'carried' else ''}",
    }


def _print_tables(book: PriceBook, offered: list[Record], missing: list[Record]) -> None:
    rows = [_shown(record) for record in offered]
    # what is the same in every row is said once, above
    same = [name for name in ("type", "region") if len({record[name] for record in offered}) == 1]
    columns = tuple(name for name in ("type", "region", "purchase", "$/h", "$/GPU-h", "seen") if name not in same)
    if any(record.get("own_usd_per_hour") for record in offered):
        at = columns.index("$/h") + 1
        columns = (*columns[:at], "own $/h", *columns[at:])
    what = "".join(f", {offered[0][name]}" for name in same)
    title = f"Offers as of {book.as_of}{what}, USD list price before tax"
    books.print_table(columns, rows, title, optional=("$/GPU-h",))
    _say("seen: day and grade (C: derived or secondary), * carried over more than 45 days")
    for source in dict.fromkeys(str(one["own_source"]) for one in offered if one.get("own_usd_per_hour")):
        _say(f"own $/h: {source}")
    for record in offered:
        if record["purchase"] == "spot" and record["low"] is not None:
            spread = f"{record['low']:,.4f} to {record['high']:,.4f}"
            _say(f"spot {record['type']} {record['region']}: {spread} $/h over all zones and dates")
    for status in ("not offered", "not known"):
        group: dict[tuple[books.Cell, books.Cell], list[str]] = {}
        for record in missing:
            if record["status"] == status:
                key = (record["type"], record["region"])
                group.setdefault(key, []).append(str(record["purchase"]))
        if group:
            write_result(f"\n{status.capitalize()}:\n", None)
            for (name, region), purchases in group.items():
                _say(f"  {name} {region}: {', '.join(_briefly(purchases))}", indent="    ")


def _briefly(purchases: list[str]) -> list[str]:
    """One word for all 24 commitments where none of them is there."""
    rest = [one for one in purchases if one[:3] not in ("ri-", "sp-")]
    commitments = [one for one in purchases if one not in rest]
    return [*rest, "every RI and Savings Plan"] if len(commitments) == 24 else purchases


def _say(text: str, indent: str = "") -> None:
    from planner.report.wording.wrapping import wrap

    write_result("\n".join(wrap(text, books.columns(), indent)) + "\n", None)
