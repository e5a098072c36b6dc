"""The whole check: against moto, which has part of AWS, and against an account with mistakes in answers of botocore's
own shapes."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import boto3
import pytest
from botocore import xform_name
from botocore.config import Config
from botocore.session import Session
from botocore.validate import ParamValidator

from planner.account.patience import Patience
from planner.check.calls import CALLS, asker
from planner.check.line import BLOCKS, FINE, NOT_KNOWN, WARNS, Line, NotKnown
from planner.check.run import check, counts
from planner.check.wanted import Wanted
from planner.check.written import evidence, junit, requests
from planner.cli import check as verb
from planner.cli import main
from planner.stack.spec import Buying, Lustre, Workers
from tests.account.stubs import REGION
from tests.bridge.moto_server import credentials, running
from tests.check.test_lines import CLOSED, IMAGE, NAMES, OPEN, S3, endpoint
from tests.check.wanted import wanted
from tests.stack.specs import block, spec

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "small.yaml"
QUICK = Patience(attempts=1, sleep=lambda _: None)
ACCOUNT = "111122223333"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/team/deployer"


def product(instance_type: str, usd: str) -> str:
    """A document of GetProducts."""
    attributes = {
        "instanceType": instance_type,
        "regionCode": REGION,
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "preInstalledSw": "NA",
        "capacitystatus": "Used",
        "licenseModel": "No License required",
        "marketoption": "OnDemand",
        "operation": "RunInstances",
        "usagetype": f"BoxUsage:{instance_type}",
    }
    rate = {"unit": "Hrs", "pricePerUnit": {"USD": usd}, "beginRange": "0", "endRange": "Inf", "description": ""}
    term = {"T": {"priceDimensions": {"R": rate}, "termAttributes": {}, "effectiveDate": "2026-11-01T00:00:00Z"}}
    family = "Compute Instance"
    whole = {"product": {"sku": "S" + instance_type, "productFamily": family, "attributes": attributes}}
    return json.dumps({**whole, "serviceCode": "AmazonEC2", "terms": {"OnDemand": term}})


def role(RoleName: str) -> dict[str, Any]:
    made = datetime(2026, 1, 1, tzinfo=UTC)
    return {"Arn": ROLE, "RoleName": RoleName, "RoleId": "AROA0000000000000000", "Path": "/team/", "CreateDate": made}


class Account:
    """A sound account for eight p5 On-Demand. answers: action -> a function of the arguments; replaced by mistakes."""

    def __init__(self) -> None:
        self.answers: dict[str, Callable[..., Any]] = {
            "sts:GetCallerIdentity": lambda: f"arn:aws:sts::{ACCOUNT}:assumed-role/deployer/me",
            "iam:GetRole": role,
            "iam:SimulatePrincipalPolicy": lambda ActionNames, **_: [
                {"EvalActionName": action, "EvalDecision": "allowed"} for action in ActionNames
            ],
            "servicequotas:GetServiceQuota": lambda QuotaCode, **_: {"Value": 5000.0, "Adjustable": True},
            "ec2:DescribeRegions": lambda **_: [{"RegionName": REGION, "OptInStatus": "opt-in-not-required"}],
            "ec2:DescribeAvailabilityZones": lambda **_: [
                {"ZoneId": "use1-az4", "ZoneName": "us-east-1a", "State": "available"}
            ],
            "ec2:DescribeInstanceTypeOfferings": lambda Filters, **_: [
                {"InstanceType": Filters[0]["Values"][0], "Location": "use1-az4"}
            ],
            "ec2:DescribeInstanceTypes": lambda InstanceTypes: [
                {
                    "InstanceType": name,
                    "VCpuInfo": {"DefaultVCpus": 192 if name.startswith("p5") else 4},
                    "ProcessorInfo": {"SupportedArchitectures": ["x86_64"]},
                }
                for name in InstanceTypes
            ],
            "ec2:DescribeInstances": lambda **_: [],
            "ec2:DescribeAddresses": lambda: [],
            "ec2:DescribeVpcs": lambda: [{}],
            "ec2:DescribeSubnets": lambda **_: [],
            "ec2:DescribeNetworkInterfaces": lambda: [],
            "ec2:DescribeNatGateways": lambda **_: [],
            "ec2:DescribeVpcBlockPublicAccessOptions": lambda: {"InternetGatewayBlockMode": "off"},
            "ec2:DescribeVolumes": lambda **_: [{"Size": 1024, "VolumeType": "gp3"}],
            "ec2:DescribeVpcEndpointServices": lambda **_: [
                *S3,
                *map(endpoint, ("ssm", "ssmmessages", "fsx", "batch")),
            ],
            "s3:ListAllMyBuckets": lambda: [{"Name": "other"}],
            "s3:GetAccountPublicAccessBlock": lambda AccountId: CLOSED,
            "ec2:DescribeImages": lambda ImageIds, **_: [
                {**IMAGE, "ImageId": ImageIds[0]}
                if ImageIds[0] == "ami-0123456789abcdef0"
                else {**IMAGE, "ImageId": ImageIds[0], "RootDeviceName": "/dev/xvda", "BlockDeviceMappings": []}
            ],
            "ec2:GetAllowedImagesSettings": lambda: "disabled",
            "ec2:GetEbsDefaultKmsKeyId": lambda: "alias/aws/ebs",
            "kms:DescribeKey": lambda KeyId: {"KeyId": KeyId, "KeyState": "PendingDeletion", "KeyManager": "CUSTOMER"},
            "ce:ListCostAllocationTags": lambda TagKeys: [
                {"TagKey": key, "Type": "UserDefined", "Status": "Active"} for key in TagKeys
            ],
            "pricing:GetProducts": lambda Filters, **_: [
                product(name, "55.04" if name.startswith("p5") else "0.2016")
                for name in [next(one["Value"] for one in Filters if one["Field"] == "instanceType")]
            ],
        }

    def ask(self, action: str, **arguments: Any) -> Any:
        """The answer. What is asked and what is answered must be as botocore's model of the service has it."""
        answer = self.answers[action](**arguments)
        operation = _operation(action)
        found = [ParamValidator().validate(arguments, operation.input_shape)] if arguments else []
        if not isinstance(answer, NotKnown):
            key = next(call.key for call in CALLS if call.action == action)
            found.append(ParamValidator().validate(answer, operation.output_shape.members[key]))
        assert not any(report.has_errors() for report in found), [report.generate_report() for report in found]
        return answer


@cache
def _operation(action: str) -> Any:
    call = next(call for call in CALLS if call.action == action)
    model = Session().get_service_model(call.service)
    return model.operation_model(next(name for name in model.operation_names if xform_name(name) == call.method))


def lines(account: Account, of: Wanted | None = None) -> dict[str, Line]:
    return {line.id: line for line in check(of or wanted(operator=f"{ROLE}-2", bundle=""), account.ask)}


def test_a_sound_account_is_fine_in_every_line():
    found = lines(Account())
    assert {id: line.said for id, line in found.items() if line.state != FINE} == {}
    assert {"deployer", "operator", "quota.L-417A185B", "zone", "image.fleet", "price.p5.48xlarge"} <= set(found)


def constant(value: Any) -> Callable[..., Any]:
    return lambda **_: value


def denied(*names: str) -> Callable[..., Any]:
    def simulate(ActionNames: list[str], **_: Any) -> Any:
        return [
            {"EvalActionName": name, "EvalDecision": "implicitDeny" if name in names else "allowed"}
            for name in ActionNames
        ]

    return simulate


def quota(code: str, value: float) -> Callable[..., Any]:
    return lambda QuotaCode, **_: {"Value": value if QuotaCode == code else 5000.0, "Adjustable": True}


ZONE = {"ZoneId": "use1-az4", "ZoneName": "us-east-1a"}
SILENT = NotKnown(why="Throttling", code="Throttling")
RUNNING = {"InstanceType": "p5.48xlarge", "CpuOptions": {"CoreCount": 96, "ThreadsPerCore": 2}}
OFFERED = "ec2:DescribeInstanceTypeOfferings"
QUOTA, KEY = "servicequotas:GetServiceQuota", "ec2:GetEbsDefaultKmsKeyId"
# one mistake of an account -> the line that names it, and its state
MISTAKES: list[tuple[str, Callable[..., Any], str, str]] = [
    ("sts:GetCallerIdentity", lambda: f"arn:aws:iam::{ACCOUNT}:root", "identity", WARNS),
    ("sts:GetCallerIdentity", lambda: f"arn:aws:iam::{ACCOUNT}:root", "deployer", NOT_KNOWN),
    ("iam:SimulatePrincipalPolicy", denied("ec2:RunInstances"), "deployer", BLOCKS),
    ("iam:SimulatePrincipalPolicy", denied("iam:PassRole"), "deployer", BLOCKS),
    ("iam:SimulatePrincipalPolicy", denied("budgets:ModifyBudget"), "deployer", BLOCKS),
    ("iam:SimulatePrincipalPolicy", denied("ssm:StartSession"), "operator", WARNS),
    ("iam:SimulatePrincipalPolicy", lambda ActionNames, **_: [], "deployer", NOT_KNOWN),
    (QUOTA, quota("L-417A185B", 0.0), "quota.L-417A185B", BLOCKS),
    (QUOTA, quota("L-417A185B", 1535.0), "quota.L-417A185B", BLOCKS),
    (QUOTA, quota("L-1216C47A", 5.0), "quota.L-1216C47A", BLOCKS),
    (QUOTA, quota("L-0263D0A3", 0.0), "quota.L-0263D0A3", BLOCKS),
    (QUOTA, quota("L-F678F1CE", 1.0), "quota.L-F678F1CE", BLOCKS),
    (QUOTA, quota("L-DF5E4CA3", 100.0), "quota.L-DF5E4CA3", BLOCKS),
    (QUOTA, constant(SILENT), "quota.L-417A185B", NOT_KNOWN),
    ("ec2:DescribeInstances", constant([{"Instances": [RUNNING] * 20}]), "quota.L-417A185B", BLOCKS),
    ("ec2:DescribeInstances", constant(SILENT), "quota.L-417A185B", NOT_KNOWN),
    ("ec2:DescribeInstances", constant(SILENT), "stack", NOT_KNOWN),
    ("ec2:DescribeSubnets", constant([{"AvailableIpAddressCount": 5000}]), "stack", WARNS),
    ("ec2:DescribeRegions", constant([{"RegionName": REGION, "OptInStatus": "not-opted-in"}]), "region", BLOCKS),
    ("ec2:DescribeAvailabilityZones", constant([{"ZoneId": "use1-az6"}]), "zone", BLOCKS),
    (OFFERED, constant([]), "offering.p5.48xlarge", BLOCKS),
    (OFFERED, constant([{"InstanceType": "p5.48xlarge", "Location": "use1-az6"}]), "offering.p5.48xlarge", BLOCKS),
    (OFFERED, constant([{"InstanceType": "p5.48xlarge", "Location": "use1-az4"}]), "offering.m7i.xlarge", BLOCKS),
    ("ec2:DescribeSubnets", constant([{"AvailableIpAddressCount": 3}]), "addresses", WARNS),
    ("ec2:DescribeImages", constant(NotKnown(why="x", code="InvalidAMIID.NotFound")), "image.fleet", BLOCKS),
    (
        "ec2:DescribeImages",
        lambda ImageIds, **_: [{**IMAGE, "ImageId": ImageIds[0], "Architecture": "arm64"}],
        "image.fleet",
        BLOCKS,
    ),
    ("ec2:DescribeImages", lambda ImageIds, **_: [{**IMAGE, "ImageId": ImageIds[0]}], "image.control", BLOCKS),
    (
        "ec2:DescribeImages",
        lambda ImageIds, **_: [{**IMAGE, "ImageId": ImageIds[0], "DeprecationTime": "2026-01-01T00:00:00.000Z"}],
        "image.fleet",
        WARNS,
    ),
    ("ec2:GetAllowedImagesSettings", constant("enabled"), "allowed-images.fleet", NOT_KNOWN),
    ("ec2:GetAllowedImagesSettings", constant(SILENT), "allowed-images.control", NOT_KNOWN),
    ("ec2:DescribeInstanceTypes", constant(SILENT), "image.fleet", NOT_KNOWN),
    ("ec2:DescribeInstanceTypes", constant(SILENT), "quota.m7i.xlarge.on-demand", NOT_KNOWN),
    (QUOTA, quota("L-FE5A380F", 0.0), "quota.L-FE5A380F", BLOCKS),
    ("ec2:DescribeNatGateways", constant(SILENT), "quota.L-FE5A380F", NOT_KNOWN),
    (
        "ec2:DescribeVpcBlockPublicAccessOptions",
        constant({"InternetGatewayBlockMode": "block-bidirectional"}),
        "internet",
        BLOCKS,
    ),
    (QUOTA, quota("L-7A658B76", 2.5), "quota.L-7A658B76", BLOCKS),  # 1 TiB is used, 8 roots of 200 GiB need 1.6 more
    ("ec2:DescribeVolumes", constant([{"Size": 5_120_000}]), "quota.L-7A658B76", BLOCKS),
    ("ec2:DescribeVolumes", constant([{}]), "quota.L-7A658B76", NOT_KNOWN),
    ("ec2:DescribeAvailabilityZones", constant([{**ZONE, "State": "impaired"}]), "zone", BLOCKS),
    ("ec2:DescribeVpcEndpointServices", constant(S3[1:]), "endpoints", BLOCKS),
    ("ec2:DescribeVpcEndpointServices", constant(SILENT), "endpoints", NOT_KNOWN),
    ("s3:ListAllMyBuckets", constant([{"Name": NAMES[0]}]), "bucket-names", BLOCKS),
    ("s3:ListAllMyBuckets", constant(SILENT), "bucket-names", NOT_KNOWN),
    ("s3:GetAccountPublicAccessBlock", constant(SILENT), "public-access", NOT_KNOWN),
    (KEY, constant("arn:aws:kms:us-east-1:111122223333:key/gone"), "ebs-key", BLOCKS),
    (KEY, constant(SILENT), "ebs-key", NOT_KNOWN),
    (
        "iam:GetRole",
        lambda RoleName: NotKnown(why="no", code="NoSuchEntity") if RoleName.startswith("AWS") else role(RoleName),
        "service-role.AWSServiceRoleForAutoScaling",
        WARNS,
    ),
    ("ce:ListCostAllocationTags", constant([]), "cost-tags", WARNS),
    ("ce:ListCostAllocationTags", constant(NotKnown(why="x", may=False)), "cost-tags", NOT_KNOWN),
    ("pricing:GetProducts", constant([product("p5.48xlarge", "60")]), "price.p5.48xlarge", WARNS),
    ("pricing:GetProducts", constant([]), "price.p5.48xlarge", NOT_KNOWN),
]


@pytest.mark.parametrize(("action", "answer", "id", "state"), MISTAKES)
def test_each_mistake_of_an_account_is_named(action, answer, id, state):
    account = Account()
    account.answers[action] = answer
    line = lines(account)[id]
    assert line.state == state, line
    assert line.asked
    assert line.said
    assert line.mends
    assert line.means or id in ("identity",)


def test_forty_mistakes_of_an_account_are_tried():
    assert len(MISTAKES) >= 40


def test_a_nat_gateway_of_another_in_the_stacks_zone_takes_from_the_quota_of_that_zone():
    account = Account()
    account.answers["ec2:DescribeSubnets"] = lambda Filters: (
        [{"SubnetId": "subnet-1", "AvailableIpAddressCount": 9}] if Filters[0]["Name"] != "tag:planner:stack" else []
    )
    account.answers["ec2:DescribeNatGateways"] = constant([{"SubnetId": "subnet-1"}, {"SubnetId": "subnet-2"}])
    account.answers[QUOTA] = quota("L-FE5A380F", 2.0)
    assert lines(account)["quota.L-FE5A380F"].state == FINE
    account.answers["ec2:DescribeNatGateways"] = constant([{"SubnetId": "subnet-1"}] * 2)
    assert lines(account)["quota.L-FE5A380F"].state == BLOCKS


def test_a_bucket_that_nodes_read_and_nothing_closes():
    account = Account()
    account.answers["s3:GetAccountPublicAccessBlock"] = constant(OPEN)
    account.answers["s3:GetBucketPublicAccessBlock"] = constant(OPEN)
    account.answers["s3:GetBucketLocation"] = constant("us-east-1")
    found = lines(account, wanted(spec(extra_buckets=("corpus",))))
    assert found["public-access.corpus"].state == WARNS
    assert found["bucket-region.corpus"].state == FINE


def test_every_zone_of_a_worker_pool_is_asked_for():
    account = Account()
    account.answers["batch:DescribeComputeEnvironments"] = constant([])
    account.answers["ecr:DescribeImages"] = constant(NotKnown(why="no", code="RepositoryNotFoundException"))
    several = Workers(
        image=f"{ACCOUNT}.dkr.ecr.us-east-1.amazonaws.com/train:1",
        memory_mib=1024,
        limit_hours=6,
        more_zones=("use1-az6",),
    )
    found = lines(account, wanted(spec("workers", workers=several)))
    assert (found["zone"].state, found["zone.use1-az6"].state) == (FINE, BLOCKS)
    assert found["offering.p5.48xlarge.use1-az6"].state == WARNS
    assert found["service.batch"].state == FINE
    assert (found["image.jobs"].state, "$55.04 an hour" in found["image.jobs"].means) == (BLOCKS, True)


def test_mistakes_of_a_block():
    account = Account()
    gone = NotKnown(why="x", code="InvalidCapacityReservationId.NotFound")
    account.answers["ec2:DescribeCapacityReservations"] = constant(gone)
    assert lines(account, wanted(block()))["reservation.cr-0123456789abcdef0"].state == BLOCKS
    account.answers["ec2:DescribeCapacityBlockOfferings"] = constant([])
    unbought = Buying(kind="capacity-block", reservation_id="PLACEHOLDER-r", ends="PLACEHOLDER-e", block_days=6)
    assert lines(account, wanted(block(buying=unbought)))["block.offer"].state == BLOCKS


def test_a_quota_that_the_account_never_changed_has_awss_default():
    account = Account()
    account.answers[QUOTA] = constant(NotKnown(why="no", code="NoSuchResourceException"))
    account.answers["servicequotas:GetAWSDefaultServiceQuota"] = constant({"Value": 0.0, "Adjustable": True})
    assert lines(account)["quota.L-417A185B"].state == BLOCKS


@pytest.mark.parametrize(
    ("layout", "code", "others", "counts"),
    [
        ("fsx-lustre", "L-8F1B9C74", "PERSISTENT_2", True),
        ("fsx-lustre", "L-8F1B9C74", "PERSISTENT_1", False),
        ("fsx-lustre-scratch", "L-AD2FC696", "SCRATCH_1", True),
        ("fsx-lustre-scratch", "L-AD2FC696", "PERSISTENT_2", False),
    ],
)
def test_lustre_beside_what_the_account_has(layout: str, code: str, others: str, counts: bool):
    account = Account()
    has = {"StorageCapacity": 100_000, "LustreConfiguration": {"DeploymentType": others}}
    account.answers["fsx:DescribeFileSystems"] = constant([has])
    account.answers[QUOTA] = quota(code, 100_800.0)
    kind = "SCRATCH_2" if "scratch" in layout else "PERSISTENT_2"
    lustre = Lustre(deployment=kind, capacity_gib=2400, mbps_per_tib=125)
    found = lines(account, wanted(spec(layout, lustre=lustre)))[f"quota.{code}"]
    assert found.state == (BLOCKS if counts else FINE)
    assert "throughput has no quota" in found.asked


def test_when_nothing_is_answered_nothing_is_fine():
    found = check(wanted(), lambda action, **_: NotKnown(why=f"{action}: Throttling"))
    assert counts(found)["fine"] == 0
    assert {line.state for line in found} == {NOT_KNOWN}


def test_evidence_has_a_date_and_no_account():
    account = Account()
    account.answers[QUOTA] = quota("L-417A185B", 0.0)
    of = wanted(operator=ROLE)
    found = check(of, account.ask)
    text = evidence(found, of)
    assert ACCOUNT not in text
    document = json.loads(text)
    assert document["checked_at"] == "2026-11-27T12:00:00Z"
    assert document["counts"]["blocks"] == 1
    assert document["quota_requests"] == requests(found)
    assert "--desired-value 1536" in document["quota_requests"][0]
    suite = ElementTree.fromstring(junit(found, of))
    assert (suite.get("failures"), suite.get("tests")) == ("1", str(len(found)))
    assert ACCOUNT not in junit(found, of)


def test_the_whole_against_moto(tmp_path):
    """moto's server knows zones, types, images and addresses; what it lacks must come out as not known."""
    made: list[str] = []
    with running(tmp_path) as address:

        def client(service: str, region: str) -> Any:
            return boto3.client(
                service,
                region_name=region,
                endpoint_url=address,
                aws_access_key_id="testing",
                aws_secret_access_key="testing",
                config=Config(retries={"total_max_attempts": 1}, proxies={}),
            )

        client("s3", REGION).create_bucket(Bucket="here")
        there = {"LocationConstraint": "eu-west-1"}
        client("s3", "eu-west-1").create_bucket(Bucket="far", CreateBucketConfiguration=there)
        of = wanted(spec(extra_buckets=("here", "far", "gone")))
        found = {line.id: line for line in check(of, asker(client, REGION, QUICK, made))}
    assert set(made) <= {call.action for call in CALLS}
    assert found["identity"].state == FINE
    assert found["region"].state == FINE
    assert found["zone"].state == FINE
    assert found["image.fleet"].state == BLOCKS  # no such image there
    assert found["deployer"].state == NOT_KNOWN
    assert found["quota.L-417A185B"].state == NOT_KNOWN
    assert found["addresses"].state == FINE
    regions = [found[f"bucket-region.{name}"].state for name in ("here", "far", "gone")]
    assert regions == [FINE, WARNS, BLOCKS]


# the command


def ran(*words: str) -> int:
    with pytest.raises(SystemExit) as done:
        main.run(list(words))
    return int(done.value.code or 0)


@pytest.fixture
def account(monkeypatch, tmp_path) -> Account:
    made = Account()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Pulumi.yaml").write_text("name: x\n", encoding="utf-8")
    monkeypatch.setattr("planner.check.calls.asker", lambda *_, **__: made.ask)
    monkeypatch.setattr(verb, "deployed", lambda *_: (spec(), SimpleNamespace(book=_Book())))
    return made


class _Book:
    def listed_on_demand(self, *asked: str) -> Any:
        raise LookupError(" ".join(asked))

    metered = listed_on_demand


def test_exit_codes_and_files(account, tmp_path, capsys):
    assert ran("check", "plan.yaml") in (0, 13)  # 13 where the bundle is not built on this machine
    assert ran("check", "plan.yaml", "--strict") == 13  # the book lacks prices, the operator is not named
    account.answers[QUOTA] = quota("L-417A185B", 0.0)
    assert ran("check", "plan.yaml", "-o", "e.json", "--junit", "j.xml") == 13
    assert json.loads((tmp_path / "e.json").read_text(encoding="utf-8"))["schema_version"] == "1"
    assert "L-417A185B" in (tmp_path / "j.xml").read_text(encoding="utf-8")
    capsys.readouterr()
    assert ran("check", "plan.yaml") == 13
    out = capsys.readouterr().out
    assert out.index("blocks quota.L-417A185B") < out.index("not known ") < out.index("fine ")
    assert ACCOUNT not in out


def test_a_real_plan_and_its_stack_file_over_moto(tmp_path, monkeypatch, capsys):
    """From the plan through the stack file and boto3's own client to the exit code; another scenario is refused."""
    monkeypatch.chdir(tmp_path)
    plan = str(EXAMPLE)
    of = ["--scenario", "s3-stream/p4d.24xlarge/on-demand", "--stack", "t"]
    drawn = ["--draws", "100"]
    with running(tmp_path) as address:
        for name, value in credentials(address).items():
            monkeypatch.setenv(name, value)
        assert ran("check", plan, *of, *drawn, "-o", "before.json") == 13  # no image is chosen
        assert ran("stack", plan, *of, *drawn, "-o", ".", "--zone-id", "use1-az4", "--notify", "a@example.org") == 0
        assert ran("check", plan, "--stack", "t", *drawn, "-o", "after.json") == 13
        capsys.readouterr()
        assert ran("check", plan, "--scenario", "best", "--stack", "t", *drawn) == 2
        assert "another --stack" in capsys.readouterr().err
    states = [
        {line["id"]: line["state"] for line in json.loads((tmp_path / name).read_text(encoding="utf-8"))["lines"]}
        for name in ("before.json", "after.json")
    ]
    assert (states[0]["zone"], states[1]["zone"]) == (BLOCKS, FINE)
    assert states[0]["image.fleet"] == states[1]["image.fleet"] == BLOCKS
    assert "123456789012" not in (tmp_path / "after.json").read_text(encoding="utf-8")  # moto's account
