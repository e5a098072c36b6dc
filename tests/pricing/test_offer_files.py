"""Offer files: three readers that give the same rates, and no file that is cut short gives an answer."""

from __future__ import annotations

import copy
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from offer_files import as_aws_prints, as_csv, document, offer, reserved

from pricing.price_list import csv_file, json_file, json_stream
from pricing.price_list.offer_file import OfferFile, read_offer_file
from pricing.price_list.product import BadPriceList
from pricing.price_list.wanted import Wanted, plain_linux

TERMS = {
    ("1yr", "standard", "No Upfront"): ("14.1", ""),
    ("3yr", "convertible", "All Upfront"): ("0.0000000000", "250000"),
}
PLAIN_P4D = reserved(document(sku="PLAIN"), TERMS)
PLAIN_P5 = document("55.04", sku="P5", instanceType="p5.48xlarge", usagetype="BoxUsage:p5.48xlarge")
OTHERS = [
    document("0.0000000000", sku="BLOCK", marketoption="CapacityBlock", operation="RunInstances:CB"),
    document("22.3", sku="RHEL", operatingSystem="RHEL"),
    document("23.4", sku="SQL", preInstalledSw="SQL Std"),
    reserved(document("24.5", sku="DEDICATED", tenancy="Dedicated", usagetype="DedicatedUsage:p4d.24xlarge"), TERMS),
    document("21.957642", sku="UNUSED", capacitystatus="UnusedCapacityReservation"),
    document("0.08", sku="GP3", family="Storage", attributes={"volumeApiName": "gp3", "regionCode": "us-east-1"}),
]
EVERYTHING = [OTHERS[0], PLAIN_P4D, *OTHERS[1:4], PLAIN_P5, *OTHERS[4:]]
CONTENT = offer(EVERYTHING)
ALL = Wanted()


def read(content: bytes, folder: Path, wanted: Wanted = ALL, name: str = "index.json") -> OfferFile:
    path = folder / name
    path.write_bytes(content)
    return read_offer_file(path, wanted)


def minified(content: dict[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()


@pytest.mark.parametrize("block", [1, 7, 64, 1 << 18])
@pytest.mark.parametrize("wanted", [ALL, plain_linux(), plain_linux(["p5.48xlarge"])], ids=["all", "plain", "p5"])
def test_three_readers_give_the_same_products_at_every_size_of_a_block(block, wanted, monkeypatch):
    for reader in (json_file, json_stream, csv_file):
        monkeypatch.setattr(reader, "BLOCK_BYTES", block)
    monkeypatch.setattr(json_file, "HEADER_BYTES", 300)
    header, fast = json_file.read(io.BytesIO(as_aws_prints(CONTENT)), wanted)
    slow_header, slow = json_stream.read(io.BytesIO(minified(CONTENT)), wanted)
    words, rows = csv_file.read(io.BytesIO(as_csv(CONTENT)), wanted)
    assert {one.sku for one in fast} == {
        one["product"]["sku"]
        for one in EVERYTHING
        if wanted is ALL or one is PLAIN_P5 or (one is PLAIN_P4D and wanted.texts[0] == frozenset({b'"Linux"'}))
    }
    assert fast == slow
    assert header["version"] == slow_header["version"] == words["version"] == "20260910151105"
    by_sku = {one.sku: one for one in rows}
    for one in fast:
        assert (one.rates, one.family) == (by_sku[one.sku].rates, by_sku[one.sku].family)
        same = {name: value for name, value in one.attributes.items() if name != "servicecode"}
        assert same == {name: by_sku[one.sku].attributes[name] for name in same}


def test_reserved_terms_come_with_lease_class_and_option(tmp_path):
    (one,) = read(as_aws_prints(CONTENT), tmp_path, plain_linux(["p4d.24xlarge"])).products
    found = {(rate.lease, rate.offering_class, rate.purchase_option, rate.unit): rate.usd for rate in one.rates}
    assert found == {
        ("", "", "", "Hrs"): "21.957642",
        ("1yr", "standard", "No Upfront", "Hrs"): "14.1",
        ("3yr", "convertible", "All Upfront", "Hrs"): "0.0000000000",
        ("3yr", "convertible", "All Upfront", "Quantity"): "250000",
    }


@pytest.mark.parametrize(("reader", "form"), [(json_file, as_aws_prints), (json_stream, minified)])
def test_a_file_that_is_cut_anywhere_is_an_error(reader, form, monkeypatch):
    monkeypatch.setattr(json_file, "HEADER_BYTES", 300)
    content = form(offer([PLAIN_P4D, PLAIN_P5]))
    # what follows the rates ("attributesList") may be missing from a file in AWS's layout
    for end in range(1, content.index(b'"attributesList"') - 10):
        with pytest.raises((BadPriceList, json_file.OtherLayout)):
            reader.read(io.BytesIO(content[:end]), ALL)


def test_a_csv_file_that_is_cut_inside_a_line_is_an_error():
    content = as_csv(offer([PLAIN_P5, PLAIN_P4D]))
    for end in range(1, len(content) - 1):
        if content[end - 1 : end] not in (b"\n", b'"') and content[end : end + 1] != b"\n":
            with pytest.raises(BadPriceList):
                csv_file.read(io.BytesIO(content[:end]), ALL)


@pytest.mark.parametrize(
    "content",
    [b"", b"not a price list", b"[]", b"{}", b'{"products" : [1]}', b'{"a": 1}', b"\xff\xfe\x00", b'{"products" : {}}'],
)
def test_what_is_no_offer_file_says_so_with_its_path(content, tmp_path):
    with pytest.raises(BadPriceList, match=r"index\.json: "):
        read(content, tmp_path)


def test_compressed_files_are_read_and_a_cut_one_is_an_error(tmp_path):
    packed = gzip.compress(as_aws_prints(CONTENT))
    assert read(packed, tmp_path) == read(as_aws_prints(CONTENT), tmp_path)
    with pytest.raises(BadPriceList, match="decompressed"):
        read(packed[:-200], tmp_path)


@pytest.mark.parametrize("form", [as_aws_prints, minified])
def test_a_field_with_a_new_name_is_an_error_that_names_sku_and_field(form, tmp_path):
    changed = copy.deepcopy(CONTENT)
    (term,) = changed["terms"]["OnDemand"]["P5"].values()
    (dimension,) = term["priceDimensions"].values()
    dimension["unitPrice"] = dimension.pop("pricePerUnit")
    with pytest.raises(BadPriceList, match=r"SKU P5: OnDemand: it has no field 'pricePerUnit'"):
        read(form(changed), tmp_path, plain_linux())
    # and it does not matter where it is not read
    assert read(form(changed), tmp_path, plain_linux(["p4d.24xlarge"])).products


def test_a_price_in_another_currency_is_an_error(tmp_path):
    with pytest.raises(BadPriceList, match="CNY"):
        read(as_csv(CONTENT).replace(b'"USD"', b'"CNY"'), tmp_path, name="index.csv")


def test_a_service_without_reserved_terms_is_read(tmp_path):
    content = offer([OTHERS[-1]])
    assert len(read(as_aws_prints(content), tmp_path).products) == 1
    del content["terms"]["Reserved"]
    assert len(read(as_aws_prints(content), tmp_path).products) == 1
