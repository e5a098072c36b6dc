"""What lint says of three public Pulumi programs: what breaks or is exposed is an error, house style a warning."""

from __future__ import annotations

import pytest

from planner.lint.read.graph import graph_from
from planner.lint.rules import HOUSE_STYLE, RULES, lint
from tests.lint import graphs
from tests.lint.public_programs import PROGRAMS

# program -> its errors and its warnings, each with why a maintainer would take it
SAID = {
    # AWS's filter is user:project$ml, so that the budget stays at $0; SSH is open to everyone
    "training_instance": (
        {"BUDGET-BLIND", "SG-SSH"},
        {"IMDS-V2", "NIC-ADDRESS", "NODE-PROFILE", "SSH-KEY"},
    ),
    # the nodes have the load balancer's group, so that its port is open on them too
    "speech_service": (
        {"SG-OPEN"},
        {"ASG-VERSION", "BUDGET-NONE", "EBS-ENCRYPTED", "IMDS-V2", "NODE-SSM", "ORDER-POLICY", "SSH-KEY"},
    ),
    # meant to be public, on a few ports: a baseline takes what is meant
    "cloud_desktop": (
        {"SG-OPEN", "SG-SSH"},
        {"FLOW-LOGS", "IMDS-V2", "NIC-ADDRESS", "NODE-PROFILE", "SSH-KEY", "SUBNET-PUBLIC"},
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_findings_of_a_public_program(name):
    found = lint(graph_from(PROGRAMS[name]()))
    errors = {finding.id for finding in found if finding.severity == "error"}
    assert (errors, {finding.id for finding in found} - errors) == SAID[name]


@pytest.mark.parametrize("name", PROGRAMS)
def test_random_names_and_missing_tags_of_ours_are_silent_there(name):
    assert not {"NAME-RANDOM", "TAG-MISSING", "BILL-LINES"} & {one.id for one in lint(graph_from(PROGRAMS[name]()))}


def test_house_style_is_an_error_in_our_graphs_alone():
    def broken(document: graphs.Document) -> dict[str, str]:
        templates = [r for r in document["resources"] if r["type"].endswith(":LaunchTemplate")]
        for template in templates:
            template["inputs"]["metadataOptions"] = {"httpTokens": "optional"}
        return {finding.id: finding.severity for finding in lint(graph_from(document))}

    assert broken(graphs.ours("s3-stream"))["IMDS-V2"] == "error"
    assert broken(graphs.FOREIGN["foreign p5"]())["IMDS-V2"] == "warning"


def test_house_style_names_rules_that_are_errors():
    assert {rule.id for rule in RULES if rule.severity == "error"} >= HOUSE_STYLE
