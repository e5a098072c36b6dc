"""Names that AWS takes, the same at every attempt, and different for different stacks."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from planner.stack.names import LONGEST, slug
from tests.infra.specs import graph_of, inputs, spec_of

STACKS = st.text(alphabet="abcXYZ019-_.", min_size=1, max_size=100)


def test_a_plain_name_stays():
    assert slug("dev") == "dev"


def test_what_looks_alike_stays_apart():
    assert len({slug(name) for name in ("dev", "Dev", "dev-", "dev_", "d.ev", "a" * 60, "a" * 61)}) == 7


@given(STACKS)
def test_a_slug_is_short_and_fits_every_name_of_aws(stack):
    assert len(slug(stack)) <= LONGEST
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug(stack))
    assert slug(stack) == slug(stack)


@given(STACKS, STACKS)
def test_two_stacks_have_two_slugs(one, other):
    assert (slug(one) == slug(other)) == (one == other)


def test_the_longest_bucket_name_of_the_longest_region_fits():
    graph = graph_of(spec_of("s3-stream", stack="Training_" + "x" * 80, region="ap-southeast-1", zone_id="apse1-az1"))
    for bucket in ("tier-bucket", "artefacts-bucket"):
        name = inputs(graph, bucket)["bucket"]
        assert re.fullmatch(r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]", name), name


def test_names_do_not_change_with_the_plan():
    before, after = graph_of("converged"), graph_of(spec_of(plan_sha256="6" * 64, plan_name="other"))
    physical = [
        {entry["urn"]: entry["inputs"].get("name", entry["inputs"].get("bucket")) for entry in graph["resources"]}
        for graph in (before, after)
    ]
    assert physical[0] == physical[1]


def test_names_of_roles_fit_iam_for_the_longest_stack():
    graph = graph_of(spec_of("separate-nvme", stack="S" * 100))
    found = [entry for entry in graph["resources"] if entry["type"] in ("aws:iam/role:Role", "aws:sns/topic:Topic")]
    assert len(found) == 7  # fleet, its jobs, pool, nvme, flow logs, the budget's action; the topic
    assert all(len(entry["inputs"]["name"]) <= 64 for entry in found)
