"""Whole answers over pages, throttling, masked account ids: clients of botocore with given answers."""

from __future__ import annotations

import io
import json
from contextlib import contextmanager
from urllib.error import URLError

import pytest

from planner.account import price_answers as answers
from planner.account.masking import masked
from planner.account.patience import Patience
from planner.account.spot_advisor import spot_advisor
from planner.errors import AwsProblem, CredentialsProblem
from tests.account.stubs import ACCOUNT, Cloud


def patience(waits: list[float], said: list[str] | None = None, attempts: int = 8) -> Patience:
    told = said if said is not None else []
    return Patience(sleep=waits.append, say=told.append, spread=lambda: 1.0, attempts=attempts)


def read(cloud: Cloud, waits: list[float], said: list[str] | None = None, attempts: int = 8):
    client = cloud.client("pricing", "us-east-1")
    found = answers.products(client, "AmazonS3", {"regionCode": "eu-west-1"}, "S3", patience(waits, said, attempts))
    return list(found)


def page(*documents: object, token: str = "") -> dict[str, object]:
    made: dict[str, object] = {"FormatVersion": "aws_v1", "PriceList": [json.dumps(one) for one in documents]}
    return {**made, "NextToken": token} if token else made


def test_all_pages_are_read_and_an_empty_one_is_not_the_end():
    cloud = Cloud()
    stub = cloud.stub("pricing")
    stub.add_response("get_products", page({"n": 1}, {"n": 2}, token="a"))
    stub.add_response("get_products", page(token="b"))
    stub.add_response(
        "get_products",
        page({"n": 3}),
        {
            "ServiceCode": "AmazonS3",
            "Filters": [{"Type": "TERM_MATCH", "Field": "regionCode", "Value": "eu-west-1"}],
            "FormatVersion": "aws_v1",
            "MaxResults": 100,
            "NextToken": "b",
        },
    )
    assert read(cloud, []) == [{"n": 1}, {"n": 2}, {"n": 3}]
    cloud.done()


def test_a_page_that_leads_to_itself_ends_with_an_error():
    cloud = Cloud()
    for _ in range(3):
        cloud.stub("pricing").add_response("get_products", page({"n": 1}, token="a"))
    with pytest.raises(AwsProblem, match="again and again"):
        read(cloud, [])


def test_throttling_is_waited_out_with_longer_and_longer_waits():
    cloud, waits, said = Cloud(), [], []
    for _ in range(3):
        cloud.stub("pricing").add_client_error("get_products", "ThrottlingException", "Rate exceeded", 400)
    cloud.stub("pricing").add_response("get_products", page({"n": 1}))
    assert read(cloud, waits, said) == [{"n": 1}]
    assert waits == [1, 2, 4]
    assert said[0] == "S3: AWS answers ThrottlingException; asked again in 1 s"


def test_throttling_without_end_is_an_error_of_aws():
    cloud, waits = Cloud(), []
    for _ in range(3):
        cloud.stub("pricing").add_client_error("get_products", "ThrottlingException", "Rate exceeded", 400)
    with pytest.raises(AwsProblem, match="ThrottlingException"):
        read(cloud, waits, attempts=3)
    assert len(waits) == 2


def test_expired_credentials_are_not_waited_for_and_no_account_id_is_shown():
    cloud, waits = Cloud(), []
    message = f"User: arn:aws:sts::{ACCOUNT}:assumed-role/x is not authorized"
    cloud.stub("pricing").add_client_error("get_products", "ExpiredTokenException", message, 403)
    with pytest.raises(CredentialsProblem) as caught:
        read(cloud, waits)
    assert waits == []
    assert ACCOUNT not in str(caught.value)
    assert "arn:aws:sts::************:assumed-role" in str(caught.value)


def test_a_document_that_is_no_json_is_an_error():
    cloud = Cloud()
    cloud.stub("pricing").add_response("get_products", {"PriceList": ["{"]})
    with pytest.raises(AwsProblem, match="not JSON"):
        read(cloud, [])


KEPT = ["20260910151105", "0.111122223333", "1234567890123", "SKU111122223333X", "12345678901"]


@pytest.mark.parametrize("kept", KEPT)
def test_only_account_ids_are_masked(kept):
    assert masked(f"a {kept} b") == f"a {kept} b"
    assert masked(f"arn:aws:iam::{ACCOUNT}:role/r, {ACCOUNT}") == "arn:aws:iam::************:role/r, ************"


def test_spot_advisor_is_read_from_its_file_and_its_absence_is_an_error_of_aws():
    @contextmanager
    def opened(address: str, timeout: float):
        yield io.StringIO('{"ranges": []}')

    assert spot_advisor(opened) == {"ranges": []}

    def unreachable(address: str, timeout: float):
        raise URLError("no route")

    with pytest.raises(AwsProblem, match="no route"):
        spot_advisor(unreachable)
