"""Mistakes about arguments and conflicting settings."""

from __future__ import annotations

from tests.lint.graphs import Document
from tests.lint.mistakes.edits import LUSTRE, OURS, Mistake, add, asg, budget, cut, lt, nat, nodes_subnet, of, put
from tests.lint.mistakes.identity import statement


def other_zone(document: Document) -> None:
    """The subnet of the NAT gateway, in another zone."""
    public = next(r for r in document["resources"] if r["name"] in ("network-subnet-public", "Edge"))["inputs"]
    for held in ("availabilityZone", "availabilityZoneId"):
        if held in public:
            public[held] = "use1-az6" if held.endswith("Id") else "us-west-2z"


def default_zone(document: Document) -> None:
    """The subnet of the NAT gateway, without a zone."""
    del next(r for r in document["resources"] if r["name"] == "network-subnet-public")["inputs"]["availabilityZoneId"]


def rule_twice(document: Document) -> None:
    held = next(r for r in document["resources"] if r["type"].endswith("SecurityGroupIngressRule"))
    add(document, held["type"], "again", dict(held["inputs"]))


MISTAKES = (
    Mistake("subnet of no VPC", "INPUT-MISSING", cut(nodes_subnet, "vpcId")),
    Mistake("group without subnets", "INPUT-MISSING", cut(asg, "vpcZoneIdentifiers")),
    Mistake("budget without a time unit", "INPUT-MISSING", cut(budget, "timeUnit")),
    Mistake("no instance type", "INPUT-MISSING", cut(lt, "instanceType")),
    Mistake("nodes in several zones", "PG-NONE", cut(lt, "placement")),
    Mistake("placement group of another stack", "PG-NONE", put(lt, "placement", {"groupName": "elsewhere"})),
    Mistake("NAT in another zone", "ZONE-APART", other_zone),
    Mistake("NAT in a zone that AWS picks", "ZONE-APART", default_zone, only=OURS),
    Mistake("one rule twice", "SG-TWICE", rule_twice, only=OURS),
    Mistake("another plan's tag", "TAG-MISSING", lambda d: nat(d)["tags"].update({"planner:plan": "old"}), only=OURS),
    Mistake("template twice named", "ASG-TEMPLATE", lambda d: asg(d)["launchTemplate"].update(id="lt-0", name="x")),
    Mistake("every read of everything", "IAM-RESOURCE", statement(Action=["s3:Get*"], Resource="*")),
    Mistake(
        "link to no bucket",
        "FSX-LINK",
        put(of("DataRepositoryAssociation"), "dataRepositoryPath", "s3://A_B/x"),
        only=LUSTRE,
    ),
)
