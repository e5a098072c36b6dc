"""The wanted products of an offer file that is printed in any way: every entry is parsed as JSON, one at a time.

It needs little memory and about as long as `json.load`; json_file.py is for files as AWS prints them.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from pricing.price_list.product import BadPriceList, Product, Rate, product_of, rates_of
from pricing.price_list.wanted import Wanted

BLOCK_BYTES = 1 << 20
_decode = json.JSONDecoder().raw_decode
_BLANK = " \t\r\n"


def read(file: BinaryIO, wanted: Wanted) -> tuple[dict[str, Any], list[Product]]:
    """What the header says, and the wanted products with their rates. Raises BadPriceList."""
    reader = Reader(file)
    header: dict[str, Any] = {}
    found: dict[str, Product] = {}
    rates: dict[str, list[Rate]] = {}
    seen: set[str] = set()
    for name in reader.members():
        seen.add(name)
        if name == "products":
            for sku in reader.members():
                said = reader.value()
                if not isinstance(said, dict):
                    raise BadPriceList(f"SKU {sku} is not an object")
                product = product_of({"product": {"sku": sku, **said}, "serviceCode": header.get("offerCode", "")})
                if wanted.accepts(product):
                    found[sku] = product
        elif name == "terms":
            if "products" not in seen:
                raise BadPriceList("its terms come before its products, which no offer file of AWS has")
            for kind in reader.members():
                for sku in reader.members():
                    terms = reader.value()
                    if sku in found:
                        try:
                            rates.setdefault(sku, []).extend(rates_of(kind, terms.values()))
                        except BadPriceList as error:
                            raise BadPriceList(f"SKU {sku}: {error}") from None
        else:
            header[name] = reader.value()
    if not {"products", "terms"} <= seen:
        raise BadPriceList("it has no products and terms: it is not an offer file of AWS")
    return header, [replace(one, rates=tuple(rates.get(sku, ()))) for sku, one in found.items()]


class Reader:
    """A JSON text, read forward: `members` enters an object, `elements` an array, `value` takes what comes next."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._text = ""
        self._at = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def members(self) -> Iterator[str]:
        """The keys of the object that begins here. The value of each must be taken before the next key."""
        self._expect("{")
        if self._next() == "}":
            self._at += 1
            return
        while True:
            if self._next() != '"':
                raise BadPriceList(f"a key was expected, not {self._next()!r}")
            yield self._parsed()
            if not self._goes_on("}"):
                return
            self._next()

    def elements(self) -> Iterator[None]:
        """Once for each element of the array that begins here. Each must be taken before the next."""
        self._expect("[")
        if self._next() == "]":
            self._at += 1
            return
        while True:
            yield
            if not self._goes_on("]"):
                return

    def value(self) -> Any:
        """The value of the key that was given last, or the next element."""
        return self._parsed()

    def _goes_on(self, end: str) -> bool:
        """Whether a comma follows, and not the end."""
        mark = self._next()
        self._at += 1
        if mark not in (end, ","):
            raise BadPriceList(f"a comma was expected, not {mark!r}")
        return mark == ","

    def _expect(self, mark: str) -> None:
        if (found := self._next()) != mark:
            raise BadPriceList(f"{mark!r} was expected, not {found!r}")
        self._at += 1

    def _parsed(self) -> Any:
        """One JSON value, and the colon after it where it is a key."""
        self._next()
        while True:
            try:
                value, end = _decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._read():
                    raise BadPriceList(f"it ends early or is not JSON: {error.msg}") from None
                continue
            if end == len(self._text) and self._read():
                continue  # a number may go on in the next block
            self._at = end
            if self._next(end_is_fine=True) == ":":
                self._at += 1
            return value

    def _next(self, *, end_is_fine: bool = False) -> str:
        """The next character that is not blank."""
        while True:
            text, at = self._text, self._at
            while at < len(text) and text[at] in _BLANK:
                at += 1
            self._at = at
            if at < len(text):
                return text[at]
            if not self._read():
                if end_is_fine:
                    return ""
                raise BadPriceList("it ends early: the download is not complete")

    def _read(self) -> bool:
        block = self._file.read(BLOCK_BYTES)
        try:
            more = self._decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            raise BadPriceList(f"it is not UTF-8 text: {error}") from None
        self._text = self._text[self._at :] + more
        self._at = 0
        return bool(block)
