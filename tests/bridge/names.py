"""Names of one type in three tongues.

pulumi_aws has modules of its own making (`aws:ec2/vpcEndpoint:VpcEndpoint`), Terraform one flat list
(`aws_vpc_endpoint`), and Pulumi's bridge to any Terraform provider makes its tokens of that list
(`aws:index/vpcEndpoint:VpcEndpoint`).
"""

from __future__ import annotations

import re

# module of pulumi_aws -> how Terraform's names begin, where that is not the module's name
MODULES = {"ec2": "aws_", "costexplorer": "aws_ce_", "rds": "aws_db_", "index": "aws_"}
# types whose name says something else
TYPES = {"aws:s3/bucketObjectv2:BucketObjectv2": "aws_s3_object"}

_TOKEN = re.compile(r"aws:(\w+)/(\w+):(\w+)")


def terraform_name(token: str) -> str:
    """aws:ec2/vpcEndpoint:VpcEndpoint -> aws_vpc_endpoint. Raises ValueError for what is no type of pulumi_aws."""
    match = _TOKEN.fullmatch(token)
    if match is None:
        raise ValueError(f"{token!r} is no type of pulumi_aws")
    module, member, _ = match.groups()
    return TYPES.get(token) or MODULES.get(module, f"aws_{module.lower()}_") + snake(member)


def bridge_token(token: str) -> str:
    """The bridge's token for a type of pulumi_aws."""
    first, *others = terraform_name(token).removeprefix("aws_").split("_")
    member = first + "".join(word.capitalize() for word in others)
    return f"aws:index/{member}:{member[0].upper()}{member[1:]}"


def bridged_urn(urn: str) -> str:
    """A URN with the bridge's token in it; its parents stay, nobody reads them."""
    begin, project, types, name = urn.split("::", 3)
    above, dollar, token = types.rpartition("$")
    return "::".join((begin, project, above + dollar + bridged(token), name))


def bridged(token: str) -> str:
    """The bridge's token, where it is a type of pulumi_aws; what is none (a provider, a stack) stays."""
    return bridge_token(token) if _TOKEN.fullmatch(token) else token


def snake(text: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", text).lower()
