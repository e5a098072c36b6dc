"""The wanted products of an offer file in AWS's own layout, in one pass over its bytes.

AWS prints the file with two spaces for each level, so that a product and the terms of a SKU end with lines that occur
nowhere else. The file is split at these lines, and only what is wanted is parsed as JSON: 500 MB take less than a
second and a few megabytes. A file that is printed in another way has `OtherLayout` and is read by json_stream.py.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any, BinaryIO

from pricing.price_list.product import BadPriceList, Product, Rate, product_of, rates_of
from pricing.price_list.wanted import Wanted

BLOCK_BYTES = 1 << 18
HEADER_BYTES = 1 << 16

_PRODUCT_END = b"\n      }\n    }"  # of its attributes, and of the product
_TERMS_END = b"\n        }\n      }"  # of the last term of a SKU, and of the SKU
_FIRST_PRODUCT = re.compile(rb',\s+"products" : \{\n    (?=")')
_TERMS = re.compile(rb'\n  \},\n  "terms" : \{\n    "(\w+)" : \{\n      (?=")')
_NEXT_KIND = re.compile(rb'\n    \},\n    "(\w+)" : \{\n      (?=")')
_END = re.compile(rb'\n    \}(,\n    "\w+" : \{ *\})*\n  \}')
_TYPE = b'"instanceType" : "'
_NEXT = b',\n      "'  # what a SKU's terms begin with, after those of another
_LONGEST_BETWEEN = 4096  # bytes between two sections, at most


class OtherLayout(Exception):
    """The file is not printed as AWS prints it; it may still be an offer file."""


def read(file: BinaryIO, wanted: Wanted) -> tuple[dict[str, Any], list[Product]]:
    """What the header says, and the wanted products with their rates, in the order of the file.

    Raises OtherLayout, or BadPriceList where the file ends early or a product has another form.
    """
    head = file.read(HEADER_BYTES)
    begin = _FIRST_PRODUCT.search(head)
    if begin is None:
        raise OtherLayout
    try:
        header = json.loads(head[: begin.start()] + b"}")
    except ValueError:
        raise OtherLayout from None
    found, rest = _products(file, head[begin.end() :], str(header.get("offerCode", "")), wanted)
    rates: dict[bytes, list[Rate]] = {sku: [] for sku in found}
    _terms(file, rest, rates)
    return header, [replace(product, rates=tuple(rates[sku])) for sku, product in found.items()]


def _more(file: BinaryIO) -> bytes:
    block = file.read(BLOCK_BYTES)
    if not block:
        raise BadPriceList("it ends early: the download is not complete")
    return block


def _products(file: BinaryIO, rest: bytes, service: str, wanted: Wanted) -> tuple[dict[bytes, Product], bytes]:
    """The wanted products by SKU, and the bytes from the end of the products on."""
    found: dict[bytes, Product] = {}
    may_accept, accepts, types = wanted.may_accept, wanted.accepts, wanted.types
    while True:
        *pieces, rest = rest.split(_PRODUCT_END)
        for number, piece in enumerate(pieces):
            if piece.startswith(b"\n"):  # a small file: the end of the products and more in one block
                rest = _PRODUCT_END.join((*pieces[number:], rest))
                break
            if not piece.startswith((b',\n    "', b'"')):
                raise OtherLayout
            if types and not _is_one_of(types, piece):
                continue
            if may_accept(piece):
                product = _product(piece, service)
                if accepts(product):
                    found[product.sku.encode()] = product
        if rest.startswith(b"\n  }"):
            return found, rest
        rest += _more(file)


def _is_one_of(types: frozenset[bytes], piece: bytes) -> bool:
    """Whether a product is of one of the types. Its type stands near its beginning: this reads little of it."""
    begin = piece.find(_TYPE) + len(_TYPE)
    return begin >= len(_TYPE) and piece[begin : piece.find(b'"', begin)] in types


def _product(piece: bytes, service: str) -> Product:
    try:
        ((sku, said),) = json.loads(b"{" + piece.lstrip(b",") + _PRODUCT_END + b"}").items()
        return product_of({"product": {"sku": sku, **said}, "serviceCode": service})
    except ValueError as error:
        if isinstance(error, BadPriceList):
            raise
        raise OtherLayout from None


def _terms(file: BinaryIO, rest: bytes, rates: dict[bytes, list[Rate]]) -> None:
    """Add the rates of the SKUs that are in `rates`."""
    while (begin := _TERMS.match(rest)) is None:
        if len(rest) > _LONGEST_BETWEEN:
            raise OtherLayout
        rest += _more(file)
    kind, rest = begin[1].decode(), rest[begin.end() :]
    keys = {_NEXT + sku + b'"' for sku in rates}
    lengths = {len(key) for key in keys}
    while True:
        *pieces, rest = rest.split(_TERMS_END)
        if len(lengths) == 1:  # as in AWS's files: one look at each piece
            (length,) = lengths
            pieces = [piece for piece in pieces if piece[:length] in keys or not piece.startswith(_NEXT)]
        for piece in pieces:
            if piece.startswith(_NEXT):
                start = len(_NEXT) - 1
            elif piece.startswith(b'"'):
                start = 0
            elif following := _NEXT_KIND.match(piece):
                kind, start = following[1].decode(), following.end()
            elif _END.match(piece):
                return
            else:
                raise OtherLayout
            sku = piece[start + 1 : piece.index(b'"', start + 1)]
            if sku in rates:
                rates[sku] += _rates(kind, sku.decode(), piece[start:])
        if rest.startswith(b"\n    }") and _END.match(rest):
            return
        rest += _more(file)


def _rates(kind: str, sku: str, piece: bytes) -> list[Rate]:
    try:
        terms = json.loads(b"{" + piece + _TERMS_END + b"}")[sku]
    except (ValueError, KeyError):
        raise OtherLayout from None
    try:
        return list(rates_of(kind, terms.values()))
    except BadPriceList as error:
        raise BadPriceList(f"SKU {sku}: {error}") from None
