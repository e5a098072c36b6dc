"""What `pulumi up` needs of any plan."""

from typing import Literal

from pydantic import Field

from planner.plan.forms import BucketName, ImageId, PolicyArn, Port, Section, StackName, ZoneId


class Deployed(Section):
    """What every stack of GPU nodes needs."""

    stack: StackName = Field("dev", description="name of the Pulumi stack")
    zone_id: ZoneId | None = Field(None, description="zone ID of the zone in which everything is deployed")
    ami: ImageId | None = Field(None, description="machine image of the GPU nodes")
    notify: str | None = Field(None, max_length=320, description="email address for budget and health alarms")
    pool_tls: bool = Field(True, description="whether daemons and clients of a pool use mutual TLS")
    egress: tuple[Port, ...] = Field(
        (),
        strict=False,
        max_length=16,
        description="TCP ports that GPU nodes reach on the internet besides 443: 80 for Ubuntu's mirrors, 22 for git",
    )
    extra_buckets: tuple[BucketName, ...] = Field(
        (),
        strict=False,
        max_length=16,
        description="other buckets of the Region, also of other accounts, that GPU nodes read",
    )
    guards: tuple[Literal["budget-action", "cost-anomalies"], ...] = Field(
        ("budget-action",),
        strict=False,
        max_length=2,
        description="guards that AWS or an organization may refuse to an account, besides budget and alarms: "
        "budget-action needs an IAM group, cost-anomalies the management account",
    )
    permissions_boundary: PolicyArn | None = Field(
        None, description="ARN of the policy that limits every IAM role of the stack, where the organization wants one"
    )
