"""S3 asked directly: the signature by AWS's own example and by botocore's, and who asks."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from datetime import UTC, datetime

import pytest
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as Theirs
from fleet_pool.operate.imds import Metadata
from fleet_pool.operate.s3 import Credentials, Place, credentials, get, object_url, place, signed
from fleet_pool.problems import NoCredentials, Refused, Unreachable, UsageProblem
from hypothesis import given
from hypothesis import strategies as st

from tests.pool.operate.answering import Asked, Say, answering, nobody

WHO = Credentials(key_id="AKIAIOSFODNN7EXAMPLE", secret="wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", token="")
AT = datetime(2013, 5, 24, tzinfo=UTC)


class TestSignature:
    def test_the_example_of_the_s3_api_reference(self):
        """Amazon S3 API Reference, "Signature Calculations for the Authorization Header", example GET object."""
        headers = signed(
            "GET", "https://examplebucket.s3.amazonaws.com/test.txt", "us-east-1", WHO, AT, {"Range": "bytes=0-9"}
        )
        assert headers["authorization"] == (
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        )

    @given(
        key=st.text(min_size=1, max_size=40).filter(lambda key: "\r" not in key and "\n" not in key),
        token=st.sampled_from(["", "a+token/of=sts"]),
        endpoint=st.sampled_from(["", "http://127.0.0.1:9000"]),
        bucket=st.sampled_from(["train", "with.dots"]),
        body=st.binary(max_size=9),
    )
    def test_any_key_is_signed_as_botocore_does(self, key, token, endpoint, bucket, body):
        url = object_url(Place(region="eu-west-1", endpoint=endpoint), bucket, key)
        who = Credentials(key_id=WHO.key_id, secret=WHO.secret, token=token)
        ours = signed("PUT", url, "eu-west-1", who, AT, body=body)
        request = AWSRequest("PUT", url, headers={"X-Amz-Content-SHA256": hashlib.sha256(body).hexdigest()})
        signer = S3SigV4Auth(Theirs(WHO.key_id, WHO.secret, token or None), "s3", "eu-west-1")
        request.context["timestamp"] = "20130524T000000Z"
        request.headers["X-Amz-Date"] = "20130524T000000Z"
        if token:
            request.headers["X-Amz-Security-Token"] = token
        signature = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
        assert ours["authorization"].endswith(f"Signature={signature}")

    def test_a_secret_is_not_printed(self):
        assert WHO.secret not in repr(WHO)
        assert WHO.secret not in f"{WHO}"


class TestUrl:
    @pytest.mark.parametrize(
        ("region", "endpoint", "bucket", "url"),
        [
            ("us-west-2", "", "train", "https://train.s3.us-west-2.amazonaws.com/a%20b/c"),
            ("cn-north-1", "", "train", "https://train.s3.cn-north-1.amazonaws.com.cn/a%20b/c"),
            ("us-west-2", "", "with.dots", "https://s3.us-west-2.amazonaws.com/with.dots/a%20b/c"),
            ("us-west-2", "http://10.0.0.9:9000", "train", "http://10.0.0.9:9000/train/a%20b/c"),
        ],
    )
    def test_an_object_has_its_address(self, region, endpoint, bucket, url):
        assert object_url(Place(region=region, endpoint=endpoint), bucket, "a b/c") == url


class TestGet:
    where = Place(region="us-east-1", endpoint="")

    def get(self, url: str) -> bytes:
        return get(Place(region="us-east-1", endpoint=url), WHO, "train", "k", limit_s=20)

    def test_bytes(self):
        with answering(lambda _: Say(body=b"there")) as server:
            assert self.get(server.url) == b"there"
        assert server.asked[0].headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIA")

    @pytest.mark.parametrize(
        ("status", "kind", "words"),
        [
            (404, Refused, "HTTP 404"),
            (403, NoCredentials, "denies AKIA... access to"),
            (301, Refused, "set AWS_REGION to its Region"),
            (503, Refused, "HTTP 503"),
        ],
    )
    def test_a_refusal_is_reported(self, status, kind, words):
        with answering(lambda _: Say(status=status)) as server, pytest.raises(kind, match=words):
            self.get(server.url)

    def test_missing_credentials_are_reported(self):
        with nobody() as gone, pytest.raises(Unreachable):
            self.get(gone)


ROLE = {"AccessKeyId": "ASIAROLE", "SecretAccessKey": "role-secret", "Token": "role-token"}


def instance(asked: Asked) -> Say:
    """An instance's metadata: a token first."""
    if (asked.method, asked.path) == ("PUT", "/latest/api/token"):
        return Say(body=b"the-token")
    if asked.headers.get("x-aws-ec2-metadata-token") != "the-token":
        return Say(status=401)
    known = {
        "/latest/meta-data/placement/region": b"ap-south-1",
        "/latest/meta-data/iam/security-credentials/": b"node-role",
        "/latest/meta-data/iam/security-credentials/node-role": json.dumps(ROLE).encode(),
    }
    return Say(body=known[asked.path]) if asked.path in known else Say(status=404)


class TestWhoAsks:
    def test_the_environment_goes_first(self):
        found = credentials({"AWS_ACCESS_KEY_ID": "AK", "AWS_SECRET_ACCESS_KEY": "s", "AWS_PROFILE": "p"}, Metadata())
        assert (found.key_id, found.secret, found.token) == ("AK", "s", "")

    def test_the_instances_role(self):
        with answering(instance) as server:
            metadata = Metadata(server.url, limit_s=20)
            assert credentials({}, metadata).token == "role-token"
            assert place({}, metadata) == Place(region="ap-south-1", endpoint="")

    def test_an_instance_without_a_role_is_reported(self):
        def bare(asked: Asked) -> Say:
            return Say(body=b"t") if asked.method == "PUT" else Say(status=404)

        with answering(bare) as server, pytest.raises(NoCredentials, match="the instance has no IAM role"):
            credentials({}, Metadata(server.url, limit_s=20))

    def test_a_machine_that_is_no_instance_is_reported(self):
        with nobody() as gone:
            with pytest.raises(NoCredentials, match="no AWS credentials"):
                credentials({}, Metadata(gone))
            with pytest.raises(UsageProblem, match="unknown Region"):
                place({}, Metadata(gone))
        with pytest.raises(NoCredentials, match="no AWS credentials"):
            credentials({"AWS_EC2_METADATA_DISABLED": "true"}, Metadata(gone))

    def test_a_profile_is_read_by_the_aws_cli(self, tmp_path, monkeypatch):
        """A script in its place prints what `aws configure export-credentials` is documented to print."""
        told = {"Version": 1, "AccessKeyId": "AKPROFILE", "SecretAccessKey": "s", "SessionToken": "t"}
        cli = tmp_path / "aws"
        cli.write_text(
            f"#!/bin/sh\n[ \"$*\" = 'configure export-credentials --format process' ] && echo '{json.dumps(told)}'\n"
        )
        cli.chmod(cli.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        found = credentials({"AWS_PROFILE": "team"}, Metadata())
        assert (found.key_id, found.token) == ("AKPROFILE", "t")
        cli.write_text("#!/bin/sh\nexit 255\n")
        with pytest.raises(NoCredentials, match="has no credentials for profile team"):
            credentials({"AWS_PROFILE": "team"}, Metadata())

    def test_a_profile_without_the_cli_is_reported(self, tmp_path, monkeypatch):
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(NoCredentials, match="AWS CLI, which reads it, is not installed"):
            credentials({"AWS_PROFILE": "team"}, Metadata())

    @pytest.mark.parametrize("name", ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"])
    def test_another_endpoint(self, name):
        found = place({name: "http://127.0.0.1:9000/", "AWS_DEFAULT_REGION": "us-east-2"}, Metadata())
        assert found == Place(region="us-east-2", endpoint="http://127.0.0.1:9000")
