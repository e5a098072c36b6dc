"""Every deliberate mistake triggers its rule and no unrelated error, in graphs of every layout and foreign ones."""

from __future__ import annotations

import json
from itertools import product

import pytest

from planner.lint.read.graph import graph_from
from planner.lint.rule import Finding
from planner.lint.rules import RULES, lint
from tests.lint import graphs
from tests.lint.conftest import COMBINED, combined
from tests.lint.mistakes import BLOCK, ENDING, MISTAKES, MIXED, NEVER, SPOT, Mistake, fleet, lt

GRAPHS = (*graphs.LAYOUTS, *graphs.FOREIGN)


def graph_of(place: int, mistake: Mistake) -> str:
    """One of the graphs in which the mistake can be made, another for the next mistake."""
    every = tuple(mistake.only or GRAPHS)
    return every[place % len(every)]


CASES = [(mistake, graph_of(place, mistake)) for place, mistake in enumerate(MISTAKES)]
# every second combination, and what `make test` takes
COMBINATIONS = [
    values
    for values in product(*COMBINED.values())
    if combined(dict(zip(COMBINED, values, strict=True)))
    or sum(names.index(value) for value, names in zip(values, COMBINED.values(), strict=True)) % 2 == 0
]


def graph(name: str) -> graphs.Document:
    return graphs.FOREIGN[name]() if name in graphs.FOREIGN else graphs.ours(name)


def found(document: graphs.Document) -> list[Finding]:
    return lint(graph_from(document))


def test_mistakes_are_many_and_named_uniquely():
    assert len(MISTAKES) >= 100
    assert len({mistake.name for mistake in MISTAKES}) == len(MISTAKES)


def test_every_rule_has_a_mistake():
    every = (*MISTAKES, *SPOT, *MIXED, *BLOCK, *NEVER, *ENDING)
    assert {rule.id for rule in RULES} - {one.caught for one in every} - {
        rule for one in every for rule in one.also
    } == set()


@pytest.mark.parametrize(("mistake", "name"), CASES, ids=[f"{m.name} in {name}" for m, name in CASES])
def test_mistake_triggers_its_rule_and_no_unrelated_error(mistake: Mistake, name: str):
    document = graph(name)
    before = json.dumps(document)
    mistake.edit(document)
    assert json.dumps(document) != before, "the edit changes nothing"
    findings = found(document)
    ids = {finding.id for finding in findings}
    assert mistake.caught in ids, [f"{f.id} {f.message}" for f in findings]
    unrelated = {
        f"{f.id} {f.message}" for f in findings if f.severity == "error" and f.id not in (mistake.caught, *mistake.also)
    }
    assert not unrelated


@pytest.mark.parametrize(tuple(COMBINED), COMBINATIONS)
def test_correct_graphs_have_no_findings(buying: str, profile: str, instance_type: str, layout: str):
    assert [f"{f.id} {f.message}" for f in found(graphs.ours(layout, buying, instance_type, profile))] == []


@pytest.mark.parametrize("name", graphs.FOREIGN)
def test_correct_foreign_graphs_have_no_findings(name: str):
    assert [f"{f.id} {f.message}" for f in found(graphs.FOREIGN[name]())] == []


@pytest.mark.parametrize("layout", graphs.EACH[: len(graphs.LAYOUTS)])
@pytest.mark.parametrize(
    ("mistake", "buying"),
    [(m, "spot") for m in (*SPOT, *MIXED)]
    + [(m, "capacity-block") for m in BLOCK]
    + [(m, "capacity-block that starts later") for m in NEVER],
    ids=lambda value: value.name if isinstance(value, Mistake) else value,
)
def test_purchase_mistakes_trigger_their_rules(mistake: Mistake, buying: str, layout: str):
    document = graphs.ours(layout, buying)
    mistake.edit(document)
    findings = found(document)
    assert mistake.caught in {finding.id for finding in findings}, [f"{f.id} {f.message}" for f in findings]
    assert {f.id for f in findings if f.severity == "error"} <= {mistake.caught, *mistake.also}


def test_missing_gateway_endpoint_names_its_cost():
    (finding,) = found(graphs.without_gateway("s3-stream"))
    assert (finding.id, finding.severity) == ("S3-GATEWAY", "error")
    assert "$0.045" in finding.why


def test_usd_at_risk_is_the_cost_per_day():
    document = graphs.ours("converged")
    group, template = fleet(document), lt(document)
    group["inputs"]["minSize"] = 4096
    template["keyName"] = "ops"
    risk = {finding.id: finding.usd_at_risk for finding in found(document)}
    # 440.32 of the nodes and 0.50 of their volumes an hour
    assert risk == {"ASG-SIZE": pytest.approx(24 * 440.82), "SSH-KEY": pytest.approx(24 * 440.82)}
    drop_cost = graphs.foreign_p5()
    find = graphs.find(drop_cost, "Vpc")["inputs"]
    find["cidrBlock"] = "10.20.0.1/16"
    assert [f.usd_at_risk for f in found(drop_cost)] == [None]


def test_p5_has_32_cards_and_p6_b300_has_17():
    for kind, cards in (("p5.48xlarge", 32), ("p6-b300.48xlarge", 17)):
        document = graphs.ours("s3-stream", instance_type=kind)
        nics = lt(document)["networkInterfaces"]
        assert {nic["networkCardIndex"] for nic in nics} == set(range(cards))
        nics[-1]["networkCardIndex"] = cards
        assert [f.id for f in found(document)] == ["EFA-CARD"]
    # card 0 of p6-b300 carries no EFA
    document = graphs.ours("s3-stream", instance_type="p6-b300.48xlarge")
    lt(document)["networkInterfaces"][0]["interfaceType"] = "efa"
    assert [f.id for f in found(document)] == ["EFA-UNSUPPORTED"]
