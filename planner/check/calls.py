"""Every call of the check, and the one function that makes them. The policy file is this table."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from planner.account.aws_client import GLOBAL_REGION, MakeClient, NotAllowed, RefusedRequest, aws_errors
from planner.account.patience import Patience
from planner.check.line import POLICY, NotKnown, half
from planner.errors import AwsProblem, CredentialsProblem


@dataclass(frozen=True, kw_only=True)
class Call:
    """service: boto3's name. method: boto3's. key: of the response, which a whole answer has. action: of IAM. null:
    what an empty value of the key means; nothing: it is half an answer."""

    action: str
    service: str
    method: str
    key: str
    everywhere: bool = False  # asked in GLOBAL_REGION
    null: str = ""


def _ec2(action: str, method: str, key: str) -> Call:
    return Call(action=f"ec2:{action}", service="ec2", method=method, key=key)


CALLS: tuple[Call, ...] = (
    Call(action="sts:GetCallerIdentity", service="sts", method="get_caller_identity", key="Arn"),
    Call(action="iam:GetRole", service="iam", method="get_role", key="Role", everywhere=True),
    Call(
        action="iam:SimulatePrincipalPolicy",
        service="iam",
        method="simulate_principal_policy",
        key="EvaluationResults",
        everywhere=True,
    ),
    Call(action="servicequotas:GetServiceQuota", service="service-quotas", method="get_service_quota", key="Quota"),
    Call(
        action="servicequotas:GetAWSDefaultServiceQuota",
        service="service-quotas",
        method="get_aws_default_service_quota",
        key="Quota",
    ),
    _ec2("DescribeRegions", "describe_regions", "Regions"),
    _ec2("DescribeAvailabilityZones", "describe_availability_zones", "AvailabilityZones"),
    _ec2("DescribeInstanceTypeOfferings", "describe_instance_type_offerings", "InstanceTypeOfferings"),
    _ec2("DescribeInstanceTypes", "describe_instance_types", "InstanceTypes"),
    _ec2("DescribeInstances", "describe_instances", "Reservations"),
    _ec2("DescribeAddresses", "describe_addresses", "Addresses"),
    _ec2("DescribeVpcs", "describe_vpcs", "Vpcs"),
    _ec2("DescribeSubnets", "describe_subnets", "Subnets"),
    _ec2("DescribeNetworkInterfaces", "describe_network_interfaces", "NetworkInterfaces"),
    _ec2("DescribeNatGateways", "describe_nat_gateways", "NatGateways"),
    _ec2(
        "DescribeVpcBlockPublicAccessOptions",
        "describe_vpc_block_public_access_options",
        "VpcBlockPublicAccessOptions",
    ),
    _ec2("DescribeVolumes", "describe_volumes", "Volumes"),
    _ec2("DescribeVpcEndpointServices", "describe_vpc_endpoint_services", "ServiceDetails"),
    _ec2("DescribeCapacityReservations", "describe_capacity_reservations", "CapacityReservations"),
    _ec2("DescribeCapacityBlockOfferings", "describe_capacity_block_offerings", "CapacityBlockOfferings"),
    _ec2("DescribeImages", "describe_images", "Images"),
    _ec2("GetAllowedImagesSettings", "get_allowed_images_settings", "State"),
    _ec2("GetEbsDefaultKmsKeyId", "get_ebs_default_kms_key_id", "KmsKeyId"),
    Call(action="ecr:DescribeImages", service="ecr", method="describe_images", key="imageDetails"),
    Call(action="kms:DescribeKey", service="kms", method="describe_key", key="KeyMetadata"),
    Call(action="fsx:DescribeFileSystems", service="fsx", method="describe_file_systems", key="FileSystems"),
    Call(
        action="batch:DescribeComputeEnvironments",
        service="batch",
        method="describe_compute_environments",
        key="computeEnvironments",
    ),
    Call(
        action="ce:ListCostAllocationTags",
        service="ce",
        method="list_cost_allocation_tags",
        key="CostAllocationTags",
        everywhere=True,
    ),
    # IAM calls these three otherwise than the API does (Service Authorization Reference, Amazon S3)
    Call(action="s3:ListAllMyBuckets", service="s3", method="list_buckets", key="Buckets"),
    Call(
        action="s3:GetAccountPublicAccessBlock",
        service="s3control",
        method="get_public_access_block",
        key="PublicAccessBlockConfiguration",
    ),
    Call(
        action="s3:GetBucketPublicAccessBlock",
        service="s3",
        method="get_public_access_block",
        key="PublicAccessBlockConfiguration",
    ),
    # Amazon S3 API reference, GetBucketLocation: null in us-east-1
    Call(
        action="s3:GetBucketLocation",
        service="s3",
        method="get_bucket_location",
        key="LocationConstraint",
        null="us-east-1",
    ),
    Call(action="pricing:GetProducts", service="pricing", method="get_products", key="PriceList", everywhere=True),
)
_BY_ACTION = {call.action: call for call in CALLS}
Ask = Callable[..., Any]  # (action, **arguments) -> the value of the answer's key, over all pages, or NotKnown


def policy_text() -> str:
    """The policy file: the actions of CALLS, and no other."""
    statement = {
        "Sid": "ReadOnlyCheck",
        "Effect": "Allow",
        "Action": sorted(call.action for call in CALLS),
        "Resource": "*",
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]}, indent=2) + "\n"


def asker(make: MakeClient, region: str, patience: Patience, made: list[str] | None = None) -> Ask:
    """A function that asks AWS. made: the actions of its calls are added. Raises
    CredentialsProblem where nobody asks: without credentials there is no check. Anything else is an answer."""

    def ask(action: str, **arguments: Any) -> Any:
        call = _BY_ACTION[action]
        if made is not None:
            made.append(action)
        where = GLOBAL_REGION if call.everywhere else region
        try:
            client = make(call.service, where)
            with aws_errors(action, POLICY):
                return _whole(call, client, arguments, patience)
        except NotAllowed as error:
            return NotKnown(why=str(error), may=False)
        except RefusedRequest as error:
            return NotKnown(why=str(error), code=error.code)
        except CredentialsProblem as error:
            if action == "sts:GetCallerIdentity":
                raise
            return NotKnown(why=str(error))
        except AwsProblem as error:
            return NotKnown(why=str(error))

    return ask


def _whole(call: Call, client: Any, arguments: dict[str, Any], patience: Patience) -> Any:
    """The value of the key; a list holds that of all pages. NotKnown for half an answer."""

    def pages(**asked: Any) -> list[Any]:
        if client.can_paginate(call.method):
            return list(client.get_paginator(call.method).paginate(**asked))
        return [getattr(client, call.method)(**asked)]

    found = patience.call(call.action, pages, **arguments)
    values = [page.get(call.key) or call.null or page.get(call.key) for page in found]
    cut = not client.can_paginate(call.method) and any(page.get("NextToken") for page in found)
    if cut or not values or any(value is None for value in values):
        return half("more pages" if cut else f"no {call.key}", call.action)
    return values[0] if not isinstance(values[0], list) else [one for value in values for one in value]


if __name__ == "__main__":
    from pathlib import Path

    (Path(__file__).resolve().parents[2] / POLICY).write_text(policy_text(), encoding="utf-8", newline="\n")
