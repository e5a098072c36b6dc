"""Which products of an offer file are read: a quick look at the bytes, then an exact answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from pricing.price_list.product import Product


def any_product(product: Product) -> bool:
    """Every product."""
    return True


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """accepts: the exact answer, from a product without rates. texts: of each entry, the bytes of a product contain at
    least one, or it cannot be accepted; entries that exclude the most come first. types: the only
    instance types that can be accepted; empty for all."""

    accepts: Callable[[Product], bool] = any_product
    texts: tuple[frozenset[bytes], ...] = ()
    types: frozenset[bytes] = frozenset()

    def may_accept(self, raw: bytes) -> bool:
        """False if `accepts` cannot be true for a product that is written like this."""
        for values in self.texts:
            for value in values:
                if value in raw:
                    break
            else:
                return False
        return True


def quoted(*values: str) -> frozenset[bytes]:
    """An entry of `Wanted.texts`."""
    return frozenset(f'"{value}"'.encode() for value in values)


# A product is the plain Linux instance only if each attribute has this value. A missing attribute is accepted where
# AWS itself leaves it out (older documents have no marketoption).
PLAIN_LINUX: Mapping[str, tuple[str, ...]] = {
    "operatingsystem": ("Linux",),
    "tenancy": ("Shared",),
    "preinstalledsw": ("NA",),
    "capacitystatus": ("Used",),
    "marketoption": ("OnDemand", ""),
    "licensemodel": ("No License required", ""),
    "servicecode": ("AmazonEC2", ""),
}


def not_plain_linux(product: Product) -> str:
    """Why a product is not an instance with plain Linux on shared hardware ("marketoption CapacityBlock"), or ""."""
    if product.service not in ("", "AmazonEC2"):
        return f"service {product.service}"
    if not product.family.startswith("Compute Instance"):
        return f"product family {product.family or 'not stated'}"
    for name, allowed in PLAIN_LINUX.items():
        if product.get(name) not in allowed:
            return f"{name} {product.get(name) or 'not stated'}"
    return "" if product.get("instancetype") else "no instance type"


def plain_linux(types: Iterable[str] | Callable[[str], bool] | None = None) -> Wanted:
    """Instances with plain Linux on shared hardware. types: their names or a test of a name; None for all."""
    texts = (quoted("Linux"), quoted("Shared"), quoted("Used"))
    if types is None:
        return Wanted(accepts=lambda product: not not_plain_linux(product), texts=texts)
    if callable(types):
        is_wanted = types
        return Wanted(
            accepts=lambda product: not not_plain_linux(product) and is_wanted(product.get("instancetype")), texts=texts
        )
    names = frozenset(types)
    return Wanted(
        accepts=lambda product: product.get("instancetype") in names and not not_plain_linux(product),
        texts=(quoted(*names), *texts) if len(names) <= 4 else texts,
        types=frozenset(name.encode() for name in names),
    )
