"""Opens an offer file of AWS: JSON or CSV, as it is or compressed with gzip."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from pricing.price_list import csv_file, json_file, json_stream
from pricing.price_list.product import BadPriceList, Product
from pricing.price_list.wanted import Wanted


@dataclass(frozen=True, kw_only=True)
class OfferFile:
    """What was wanted of one file. service: "AmazonEC2". version, published: as the file writes them, "" if not
    stated. proves_absence: whether what is not in it is not sold. A CSV that was cut at the end of a line looks whole.
    """

    service: str
    version: str
    published: str
    products: tuple[Product, ...]
    proves_absence: bool


def read_offer_file(path: str | os.PathLike[str], wanted: Wanted) -> OfferFile:
    """The wanted products of an offer file with all their rates.

    Raises BadPriceList with the path where the file is no offer file, is incomplete, or has fields of another form; and
    OSError where it cannot be opened.
    """
    path = Path(path)
    with faults_of(path):
        header, products, proves_absence = _read(path, wanted)
    return OfferFile(
        service=str(header.get("offerCode", "")),
        version=str(header.get("version", "")),
        published=str(header.get("publicationDate", ""))[:10],
        products=tuple(products),
        proves_absence=proves_absence,
    )


@contextmanager
def faults_of(path: Path) -> Generator[None]:
    """What is wrong with a file, as BadPriceList with its path."""
    try:
        yield
    except BadPriceList as error:
        raise BadPriceList(f"{path}: {error}") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BadPriceList(f"{path}: it cannot be decompressed: {error}") from None


def _read(path: Path, wanted: Wanted) -> tuple[dict[str, Any], list[Product], bool]:
    with opened(path) as file:
        begin = file.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if begin == b"{":
        try:
            with opened(path) as file:
                return *json_file.read(file, wanted), True
        except json_file.OtherLayout:
            with opened(path) as file:
                return *json_stream.read(file, wanted), True
    if not begin:
        raise BadPriceList("it is empty")
    with opened(path) as file:
        return *csv_file.read(file, wanted), False


def opened(path: Path) -> BinaryIO:
    """A file for reading, decompressed where it is compressed with gzip. Raises OSError."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return gzip.open(path) if packed else path.open("rb", buffering=0)  # pyright: ignore[reportReturnType]
