"""Mistakes about names, tags and the bill."""

from __future__ import annotations

from tests.lint.graphs import Document, find
from tests.lint.mistakes.edits import OURS, Mistake, asg, cut, lt, nat, node_group, of, part, put, template, vpc


def extend(document: Document) -> None:
    document["resources"].append({**template(document)})


MISTAKES = (
    Mistake("one URN twice", "URN-TWICE", extend, also=("NAME-TWICE",)),
    Mistake("random name", "NAME-RANDOM", cut(asg, "name"), only=OURS),
    Mistake("prefix of a name", "NAME-RANDOM", lambda d: asg(d).update(namePrefix=asg(d).pop("name")), only=OURS),
    Mistake("no tags", "TAG-MISSING", cut(nat, "tags"), only=OURS),
    Mistake(
        "volumes without tags",
        "TAG-MISSING",
        lambda d: lt(d).update(tagSpecifications=lt(d)["tagSpecifications"][:1]),
        only=OURS,
    ),
    Mistake(
        "tag with a reserved prefix",
        "TAG-SYNTAX",
        lambda d: nat(d).setdefault("tags", {}).update({"aws:stack": "dev"}),
        only=OURS,
    ),
    Mistake(
        "billed resource marked free",
        "BILL-FREE",
        lambda d: find(d, "NatGateway").update(free=True),
        also=("BILL-LINES",),
    ),
    Mistake("access key in plain text", "SECRET-PLAIN", put(vpc, "instanceTenancy", "AKIA" + "ABCDEFGH12345678")),
    Mistake(
        "in no line of the bill",
        "BILL-LINES",
        lambda d: find(d, "NatGateway").update(free=False, bill_lines=[]),
        only=OURS,
    ),
    Mistake("negative cost", "BILL-NEGATIVE", lambda d: find(d, "NatGateway").update(usd_per_hour=-1)),
    Mistake(
        "billed resource at zero", "BILL-NOTHING", lambda d: find(d, "NatGateway").update(usd_per_hour=0), only=OURS
    ),
    Mistake(
        "cost of a free resource", "BILL-LINES", lambda d: find(d, "Vpc").update(free=True, usd_per_hour=3), only=OURS
    ),
    Mistake("role with a long name", "NAME-SYNTAX", put(of("Role"), "name", "planner-" + "x" * 60)),
    Mistake(
        "apostrophe in a group description",
        "NAME-SYNTAX",
        lambda d: node_group(d)["inputs"].update(description="the nodes' own group"),
    ),
    Mistake(
        "a bucket's ARN for its name",
        "ARN-SYNTAX",
        lambda d: part("BucketPolicy")(d)["inputs"].update(bucket="arn:aws:s3:::x"),
        also=("S3-TLS",),
    ),
)
