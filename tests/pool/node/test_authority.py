"""Control nodes that sign for others: requests over the API of S3 and EC2, which moto answers, and the real AWS CLI."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from fleet_pool.launch.bucket import Bucket
from fleet_pool.node import authority
from fleet_pool.node.authority import EVERY_S, LARGEST_BYTES, Authority, Instance, NotOurs, address_of, described
from fleet_pool.node.certificates import CannotSign, is_valid, make_authority, make_request, obtain
from fleet_pool.node.requests import CERTIFICATE, LEAVE, Answer, Asker, waiting
from fleet_pool.operate.s3 import Credentials, Place
from fleet_pool.problems import Unreachable

from tests.infra.node.test_scripts import need
from tests.pool.node.nodes import CASES
from tests.pool.node.test_certificates import Folder
from tests.pool.operate.answering import answering
from tests.pool.operate.test_drain import Pool

REGION, ROLE = "us-east-1", "AROAEXAMPLE"
STACK = next(case.stack for case in CASES if case.name == "p4d")
CONTROL = replace(next(case.node for case in CASES if case.name == "p4d"), role="control", number=0, region=REGION)


@dataclass
class Aws:
    """S3 and EC2. asked: how often EC2 was."""

    endpoint: str
    asked: int = 0

    def bucket(self) -> Bucket:
        who = Credentials(key_id="test", secret="test", token="")
        return Bucket("artefacts", Place(region=REGION, endpoint=self.endpoint), lambda: who, patience_s=1)

    def cli(self, words: Sequence[str]) -> str:
        self.asked += "describe-instances" in words
        mine = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "PATH": os.environ["PATH"]}
        command = [need("aws", "awscli"), "--endpoint-url", self.endpoint, *words[1:]]
        return subprocess.run(command, env=mine, capture_output=True, text=True, timeout=60, check=True).stdout

    def launched(self, count: int, stack: str = STACK.name) -> list[dict]:
        tags = f"ResourceType=instance,Tags=[{{Key=planner:stack,Value={stack}}}]"
        image = ("--image-id", "ami-12c6146b", "--count", str(count), "--tag-specifications", tags)
        return json.loads(self.cli(("aws", "ec2", "run-instances", *image, "--region", REGION)))["Instances"]


@pytest.fixture(scope="module")
def aws() -> Iterator[Aws]:
    need("openssl", "openssl")
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    found = Aws(endpoint=f"http://{host}:{port}")
    found.cli(("aws", "s3api", "create-bucket", "--bucket", "artefacts", "--region", REGION))
    yield found
    server.stop()


@pytest.fixture
def held(tmp_path: Path) -> Folder:
    """Where the authority is."""
    (tmp_path / "authority").mkdir()
    make_authority(tmp_path / "authority", STACK.name)
    return Folder(tmp_path / "authority")


def control(aws: Aws, held: Folder, number: int = 0, pool: object = None) -> Authority:
    return Authority(
        STACK,
        replace(CONTROL, number=number),
        aws.bucket(),
        held,  # type: ignore[arg-type]
        pool,  # type: ignore[arg-type]
        aws.cli,
    )


def asker(aws: Aws, instance: str) -> Asker:
    return Asker(aws.bucket(), f"{ROLE}:{instance}")


def test_nodes_get_certificates_for_their_addresses_from_control_nodes_that_look_by_turns(aws, held, tmp_path, capsys):
    nodes = aws.launched(3)
    for node in nodes:
        (tmp_path / node["InstanceId"]).mkdir()
        request = make_request(tmp_path / node["InstanceId"], node["InstanceId"])
        asker(aws, node["InstanceId"]).ask(CERTIFICATE, request.encode())
    before = aws.asked
    control(aws, held).look()
    assert aws.asked == before + 1, "one question to EC2 for all of them"
    assert waiting(aws.bucket()) == ()
    for node in nodes:
        folder = tmp_path / node["InstanceId"]

        def late(seconds: float) -> None:
            pytest.fail("the answer is there")

        asks = lambda node=node: asker(aws, node["InstanceId"])  # noqa: E731
        name = node["InstanceId"]
        assert obtain(folder, held, stack="dev", name=name, addresses=["1.2.3.4"], asks=asks, sleep=late)  # type: ignore[arg-type]
        assert is_valid(folder)
        told = subprocess.run(
            ["openssl", "x509", "-in", str(folder / "node.crt"), "-noout", "-text"], capture_output=True, text=True
        ).stdout
        assert f"IP Address:{node['PrivateIpAddress']}, IP Address:127.0.0.1" in told, "as EC2 says, not the node"
    # what obtain asked meanwhile is answered once more by another control node, and harms nobody
    control(aws, held, number=2).look()
    assert waiting(aws.bucket()) == ()
    assert capsys.readouterr().out.count("signed for") == 6


def test_what_is_no_node_of_the_stack_is_refused_with_the_reason(aws, held, tmp_path, capsys):
    [stranger] = aws.launched(1, stack="another")
    [gone] = aws.launched(1)
    [big] = aws.launched(1)
    [liar] = aws.launched(1)
    aws.cli(("aws", "ec2", "terminate-instances", "--instance-ids", gone["InstanceId"], "--region", REGION))
    unknown = "i-0123456789abcdef0"
    why = {
        stranger["InstanceId"]: "has no tag planner:stack=dev",
        gone["InstanceId"]: "is terminated",
        unknown: "EC2 does not know",
        big["InstanceId"]: f"sent {LARGEST_BYTES + 1} bytes",
        liar["InstanceId"]: "names another",
    }
    for instance in why:
        data = b"x" * (LARGEST_BYTES + 1) if instance == big["InstanceId"] else make_request(tmp_path, unknown).encode()
        asker(aws, instance).ask(CERTIFICATE, data)
    control(aws, held).look()
    assert waiting(aws.bucket()) == ()
    for instance, reason in why.items():
        answer = asker(aws, instance).answer()
        assert answer is not None
        assert reason in answer.refused
        assert answer.certificate == ""
    assert "signed" not in capsys.readouterr().out


def test_what_cannot_be_answered_now_waits_and_what_is_no_request_is_left_alone(aws, held, tmp_path, capsys):
    [node] = aws.launched(1)
    mine = asker(aws, node["InstanceId"])
    mine.ask(CERTIFICATE, make_request(tmp_path, node["InstanceId"]).encode())
    bucket = aws.bucket()
    others = ("join/junk", f"join/{ROLE}:i-1/leave", f"join/{ROLE}:../i-0123456789abcdef0/certificate")
    for key in others:
        bucket.write(key, b"")
    [request] = waiting(bucket)
    for broken in (
        lambda words: (_ for _ in ()).throw(subprocess.CalledProcessError(254, "aws", stderr="Throttling")),
        lambda words: "{}",
        lambda words: "no json",
    ):
        one = control(aws, held)
        one._run = broken
        one.look()
        assert waiting(bucket) == (request,)
    held.late = 9
    control(aws, held).look()  # there is no authority yet
    assert waiting(bucket) == (request,)
    assert mine.answer() is None
    said = capsys.readouterr().out
    assert "1 requests (certificate) wait for the next turn: aws ec2 describe-instances: Throttling" in said
    assert "no authority yet" in said
    held.late = 0
    control(aws, held).look()
    found = mine.answer()
    assert found is not None
    assert found.certificate
    for key in others:
        bucket.remove(key)


def test_nodes_that_leave_leave_for_themselves_in_one_change(aws, held, monkeypatch):
    """The target's id follows from the instance that wrote the request: nothing in it says who is to leave."""
    ids = ("i-0123456789abcdef0", "i-0fedcba9876543210")
    monkeypatch.setattr(
        "tests.pool.operate.test_drain.TARGETS", {f"ti{id_[2:]}": "http://a:1" for id_ in ids} | {"t9": "b"}
    )
    pool = Pool()
    for id_ in ids:
        asker(aws, id_).ask(LEAVE)
    with answering(pool) as server:
        from fleet_pool.api import Client

        for _ in range(2):  # a second control node, or the first one again
            control(aws, held, pool=lambda: Client([server.url])).look()
            for id_ in ids[:1]:
                asker(aws, id_).ask(LEAVE)
    [change] = pool.changes
    assert change["action"] == "start-maintenance"
    assert sorted(change["value"]["sids"]) == [f"ti{id_[2:]}" for id_ in ids]
    aws.bucket().remove(f"join/{ROLE}:{ids[0]}/{LEAVE}")


def test_a_pool_that_does_not_answer_keeps_the_request(aws, held, capsys):
    def dead() -> object:
        raise Unreachable("no proxy answers")

    asker(aws, "i-0123456789abcdef0").ask(LEAVE)
    control(aws, held, pool=dead).look()
    [request] = waiting(aws.bucket())
    assert request.kind == LEAVE
    assert "1 requests (leave) wait for the next turn: no proxy answers" in capsys.readouterr().out
    aws.bucket().remove(request.key)


def test_s3_that_does_not_answer_is_said(held, capsys):
    nowhere = Aws(endpoint="http://127.0.0.1:9")
    control(nowhere, held).look()
    assert "cannot look for requests" in capsys.readouterr().out


def test_turns_are_spread_evenly_over_the_clock():
    turns = [authority.seconds_to_turn(1000.0, number, 3) for number in range(3)]
    at = sorted((1000.0 + turn) % EVERY_S for turn in turns)
    assert at == [0.0, 5.0, 10.0]
    assert all(0 < turn <= EVERY_S for turn in turns)
    assert authority.seconds_to_turn(15.0, 0, 1) == EVERY_S


def test_an_instance_without_an_address_is_no_node():
    with pytest.raises(NotOurs, match="has no address"):
        address_of("i-1", Instance(address="", state="pending", stack="dev"), "dev")
    with pytest.raises(CannotSign, match="describe-instances"):
        described(["i-1"], REGION, lambda words: '{"Reservations": [{"Instances": [{}]}]}')


def test_an_answer_that_no_control_node_wrote_is_reported(aws):
    from fleet_pool.problems import Refused

    aws.bucket().write(f"issued/{ROLE}:i-0123456789abcde01/{CERTIFICATE}", b"[]")
    with pytest.raises(Refused, match="not an answer of a control node"):
        asker(aws, "i-0123456789abcde01").answer()
    assert Answer(certificate="", refused="x").refused
