"""Mistakes about references and order."""

from __future__ import annotations

from tests.lint.graphs import Document, find
from tests.lint.mistakes.edits import Mistake, fleet, lt, nat, nodes_subnet, of, part


def without_policies(document: Document) -> None:
    names = {r["urn"] for r in document["resources"] if r["type"].split(":")[-1].startswith("RolePolicy")}
    fleet(document)["depends_on"] = [urn for urn in fleet(document)["depends_on"] if urn not in names]


MISTAKES = (
    Mistake(
        "reference to what is gone",
        "REF-DANGLING",
        lambda d: nat(d).update(subnetId="${urn:pulumi:dev::x::aws:ec2/subnet:Subnet::gone.id}"),
    ),
    Mistake(
        "dependency on a missing resource",
        "REF-DEPENDS",
        lambda d: find(d, "NatGateway").update(depends_on=["urn:pulumi:dev::x::gone"]),
    ),
    Mistake("a VPC for a subnet", "REF-KIND", lambda d: nat(d).update(subnetId=f"${{{find(d, 'Vpc')['urn']}.id}}")),
    Mistake("waits for itself", "REF-CYCLE", lambda d: find(d, "Vpc").update(depends_on=[fleet(d)["urn"]])),
    Mistake("nodes start before their policies", "ORDER-POLICY", without_policies),
    Mistake(
        "lifecycle before versions",
        "ORDER-LIFECYCLE",
        lambda d: part("BucketLifecycleConfiguration")(d).update(depends_on=[]),
    ),
    Mistake(
        "a VPC's ARN for its id",
        "REF-PROPERTY",
        lambda d: nodes_subnet(d).update(vpcId=f"${{{find(d, 'Vpc')['urn']}.arn}}"),
    ),
    Mistake(
        "a role's name for its ARN",
        "REF-PROPERTY",
        lambda d: of("FlowLog")(d).update(iamRoleArn=f"${{{find(d, 'Role')['urn']}.name}}"),
        also=("IAM-TRUST",),
    ),
    Mistake(
        "a profile's ARN for its name",
        "REF-PROPERTY",
        lambda d: lt(d).update(iamInstanceProfile={"name": f"${{{find(d, 'InstanceProfile', 'rofile')['urn']}.arn}}"}),
    ),
)
