"""planner teardown-check: what is left of a stack and what it bills, from the state, from the tags, and joined."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.cli import main
from planner.cli.teardown_check import prices_of
from planner.stack.deployed_resources import StateResource, TaggedResource, read_state
from planner.stack.file import rendered
from planner.stack.remaining_resources import Prices, remaining_resources, usd_per_day
from planner.stack.spec import LAYOUTS, Buying, ClusterSpec
from tests.account.stubs import arn
from tests.infra.specs import BUYING, graph_of, spec_of

# kind of a thing at AWS, by the type of its resource
KINDS = {
    "aws:autoscaling/group:Group": ("autoscaling", "autoScalingGroup:0:autoScalingGroupName/{}"),
    "aws:cloudwatch/metricAlarm:MetricAlarm": ("cloudwatch", "alarm:{}"),
    "aws:ec2/eip:Eip": ("ec2", "elastic-ip/{}"),
    "aws:ec2/instance:Instance": ("ec2", "instance/{}"),
    "aws:ec2/natGateway:NatGateway": ("ec2", "natgateway/{}"),
    "aws:ec2/vpcEndpoint:VpcEndpoint": ("ec2", "vpc-endpoint/{}"),
    "aws:fsx/lustreFileSystem:LustreFileSystem": ("fsx", "file-system/{}"),
    "aws:kms/key:Key": ("kms", "key/{}"),
}


def state(layout: str, without: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    """What `pulumi stack export` writes for a stack of a layout that stands."""
    graph = graph_of(layout)
    urn = "urn:pulumi:dev::gpu-fleet-planner::{}::{}"
    resources = [{"urn": urn.format("pulumi:pulumi:Stack", "gpu-fleet-planner-dev"), "type": "pulumi:pulumi:Stack"}]
    for entry in graph["resources"]:
        if entry["name"] in without:
            continue
        one = {"urn": entry["urn"], "type": entry["type"], "custom": entry["type"].startswith("aws:")}
        if one["custom"]:
            one |= {"id": f"id-{entry['name']}", "inputs": entry["inputs"], "outputs": {"tags": {}}}
            one |= {"retainOnDelete": True} if entry["retain_on_delete"] else {}
        resources.append(one)
    return {"version": 3, "deployment": {"manifest": {}, "resources": resources, **more}}


def at_aws(spec: ClusterSpec, without: tuple[str, ...] = ()) -> list[TaggedResource]:
    """What AWS lists of the same stack: its resources, and the nodes and volumes that its groups launched."""
    found = []
    for entry in graph_of(spec)["resources"]:
        if entry["type"] == "aws:s3/bucket:Bucket" and entry["name"] not in without:
            found.append(TaggedResource(arn=f"arn:aws:s3:::id-{entry['name']}", name=entry["name"]))
        elif entry["type"] in KINDS and entry["name"] not in without:
            service, form = KINDS[entry["type"]]
            found.append(TaggedResource(arn=arn(service, form.format(f"id-{entry['name']}")), name=entry["name"]))
    launched = [("fleet-node", spec.fleet.nodes)] + ([("nvme-node", spec.nvme.nodes)] if spec.nvme else [])
    for name, count in launched:
        for number in range(count):
            found.append(TaggedResource(arn=arn("ec2", f"instance/i-{name}-{number}"), name=name))
            found.append(TaggedResource(arn=arn("ec2", f"volume/vol-{name}-{number}"), name=name))
            found += [
                TaggedResource(arn=arn("ec2", f"network-interface/eni-{name}-{number}-{k}"), name=name) for k in (0, 1)
            ]
    for number in range(spec.control.count):
        found.append(TaggedResource(arn=arn("ec2", f"volume/vol-pool-{number}"), name=f"pool-volume-{number}"))
    return found


def known(layout: str, **more: Any) -> tuple[StateResource, ...]:
    return read_state(json.dumps(state(layout, **more)), "state.json")[1]


def prices(spec: ClusterSpec) -> Prices:
    return Prices(spec=spec, resources={entry["name"]: entry for entry in graph_of(spec)["resources"]})


def test_prices_are_those_of_the_graph_that_preview_shows():
    spec = spec_of("s3-stream")
    assert prices_of(spec) == prices(spec)


@pytest.mark.parametrize("layout", LAYOUTS)
class TestEveryLayout:
    """Three routes to the dollars of an hour: the bill, the state, and every single thing at AWS."""

    def test_the_state_bills_what_the_bill_says(self, layout):
        spec = spec_of(layout)
        usd, _ = usd_per_day(remaining_resources(prices(spec), known(layout), None))
        assert usd == pytest.approx(24 * sum(spec.usd_per_hour.values()), rel=1e-9)

    def test_what_aws_lists_bills_the_same(self, layout):
        spec = spec_of(layout)
        rows = remaining_resources(prices(spec), None, at_aws(spec))
        assert usd_per_day(rows)[0] == pytest.approx(24 * sum(spec.usd_per_hour.values()), rel=1e-9)
        assert {row.found for row in rows} == {"AWS"}

    def test_joined_nothing_is_counted_twice_and_nothing_is_odd(self, layout):
        spec = spec_of(layout)
        rows = remaining_resources(prices(spec), known(layout), at_aws(spec))
        assert usd_per_day(rows)[0] == pytest.approx(24 * sum(spec.usd_per_hour.values()), rel=1e-9)
        seen = {row.found for row in rows if not row.name.startswith(("network", "guard", "firewall"))}
        assert seen <= {"both", "state", "state only"}

    def test_what_is_kept_is_data_and_key(self, layout):
        rows = remaining_resources(prices(spec_of(layout)), None, at_aws(spec_of(layout)))
        assert {row.name for row in rows if row.retained} == {"tier-bucket", "tier-key"}
        bucket = next(row for row in rows if row.name == "tier-bucket")
        assert (bucket.usd_per_day, "storage.s3.standard" in bucket.by_use) == (None, True)


class TestFound:
    spec = spec_of("fsx-lustre")

    def test_what_was_made_twice_is_doubled_with_its_dollars(self):
        twice = TaggedResource(arn=arn("fsx", "file-system/fs-9"), name="lustre-file-system")
        rows = remaining_resources(prices(self.spec), known("fsx-lustre"), [*at_aws(self.spec), twice])
        found = [row for row in rows if row.found == "doubled"]
        assert [(row.name, row.ids) for row in found] == [("lustre-file-system", ("fs-9",))]
        assert found[0].usd_per_day == pytest.approx(1.38 * 24)
        assert rows[0].note == "" or rows[0] is found[0]

    def test_without_a_state_both_of_a_pair_are_shown(self):
        twice = TaggedResource(arn=arn("ec2", "natgateway/nat-9"), name="network-nat")
        rows = remaining_resources(prices(self.spec), None, [*at_aws(self.spec), twice])
        (pair,) = [row for row in rows if row.found == "doubled"]
        assert (pair.ids, pair.usd_per_day) == (("id-network-nat", "nat-9"), pytest.approx(2 * 0.045 * 24))

    def test_more_nodes_than_the_plan_has(self):
        more = TaggedResource(arn=arn("ec2", "instance/i-9"), name="fleet-node")
        rows = remaining_resources(prices(self.spec), None, [*at_aws(self.spec), more])
        (found,) = [row for row in rows if row.found == "doubled"]
        assert (len(found.ids), found.note) == (9, "9 exist, but the stack has 8")
        assert found.usd_per_day == pytest.approx(9 * 880.32 / 8 * 24)

    def test_a_second_key_or_bucket_is_not_on_purpose(self):
        second = TaggedResource(arn=arn("kms", "key/second"), name="tier-key")
        rows = remaining_resources(prices(self.spec), known("fsx-lustre"), [*at_aws(self.spec), second])
        assert {row.ids: (row.found, row.retained) for row in rows if row.name == "tier-key"} == {
            ("id-tier-key",): ("both", True),
            ("second",): ("doubled", False),
        }

    def test_what_no_state_knows(self):
        rows = remaining_resources(prices(self.spec), known("fsx-lustre", without=("network-nat",)), at_aws(self.spec))
        assert [row.name for row in rows if row.found == "AWS only"] == ["network-nat"]

    def test_nodes_of_a_group_that_is_in_no_state(self):
        rows = remaining_resources(prices(self.spec), (), at_aws(self.spec))
        node = next(row for row in rows if row.name == "fleet-node" and row.kind == "ec2:instance")
        assert (node.found, len(node.ids)) == ("AWS only", 8)
        assert node.usd_per_day == pytest.approx(880.32 * 24)

    def test_what_only_the_state_has_is_not_free(self):
        rows = remaining_resources(prices(self.spec), known("fsx-lustre"), at_aws(self.spec, without=("network-nat",)))
        (row,) = [row for row in rows if row.name == "network-nat"]
        assert (row.found, row.usd_per_day) == ("state only", None)
        assert "refresh" in row.note

    def test_a_making_that_was_cut_off(self):
        urn = "urn:pulumi:dev::gpu-fleet-planner::planner:infra:Network$aws:ec2/natGateway:NatGateway::network-nat"
        one = {"urn": urn, "type": "aws:ec2/natGateway:NatGateway", "custom": True}
        operations = [{"type": "creating", "resource": one}, {"type": "updating", "resource": one}]
        found = known("fsx-lustre", without=("network-nat",), pending_operations=operations)
        rows = remaining_resources(prices(self.spec), found, None)
        (row,) = [row for row in rows if row.name == "network-nat"]
        assert (row.usd_per_day, row.note[:28]) == (None, "its creation was interrupted")

    def test_what_was_made_before_it_was_cut_off_and_then_again_is_doubled(self):
        # the engine may have written the id into the operation that it did not end
        urn = "urn:pulumi:dev::gpu-fleet-planner::planner:infra:Network$aws:ec2/natGateway:NatGateway::network-nat"
        one = {"urn": urn, "type": "aws:ec2/natGateway:NatGateway", "custom": True, "id": "nat-first"}
        operations = [{"type": "creating", "resource": one}]
        first = TaggedResource(arn=arn("ec2", "natgateway/nat-first"), name="network-nat")
        once = known("fsx-lustre", without=("network-nat",), pending_operations=operations)
        rows = remaining_resources(prices(self.spec), once, [*at_aws(self.spec, without=("network-nat",)), first])
        assert [(row.found, row.ids) for row in rows if row.name == "network-nat"] == [("AWS only", ("nat-first",))]
        twice = known("fsx-lustre", pending_operations=operations)
        rows = remaining_resources(prices(self.spec), twice, [*at_aws(self.spec), first])
        assert {row.ids: row.found for row in rows if row.name == "network-nat"} == {
            ("id-network-nat",): "both",
            ("nat-first",): "doubled",
        }

    def test_what_the_plan_does_not_know_is_unknown(self):
        odd = [
            TaggedResource(arn=arn("ec2", "instance/i-7"), name=""),
            TaggedResource(arn=arn("rds", "db:x"), name="scheduler-database"),
        ]
        rows = remaining_resources(prices(self.spec), None, odd)
        assert [row.usd_per_day for row in rows] == [None, None]
        assert set(usd_per_day(rows)[1]) == {"i-7", "scheduler-database"}

    def test_a_line_without_a_price_is_unknown(self):
        unpriced = replace(
            self.spec,
            usd_per_hour={k: v for k, v in self.spec.usd_per_hour.items() if k != "fleet.compute"},
            unpriced=("fleet.compute",),
        )
        rows = remaining_resources(prices(unpriced), None, at_aws(unpriced))
        node = next(row for row in rows if (row.name, row.kind) == ("fleet-node", "ec2:instance"))
        assert node.usd_per_day is None

    def test_without_a_stack_file_all_is_unknown_and_the_kept_is_known_by_name(self):
        rows = remaining_resources(prices_of(None), None, at_aws(self.spec))
        assert {row.name for row in rows if row.retained} == {"tier-bucket", "tier-key"}
        free = {"fleet-group", "fleet-node"}
        assert all(row.usd_per_day is None for row in rows if row.name not in free)


class TestReservation:
    thing = TaggedResource(arn=arn("ec2", "capacity-reservation/cr-1"), name="fleet-reservation")

    def test_on_demand_it_bills_the_nodes_that_do_not_run(self):
        spec = replace(spec_of("s3-stream"), buying=BUYING["reservation"])
        running = [TaggedResource(arn=arn("ec2", f"instance/i-{n}"), name="fleet-node") for n in range(3)]
        for nodes, share in ((running, 5 / 8), ([], 1.0)):
            rows = remaining_resources(prices(spec), None, [self.thing, *nodes])
            row = next(row for row in rows if row.name == "fleet-reservation")
            assert row.usd_per_day == pytest.approx(880.32 * 24 * share)
            assert not row.retained

    def test_a_block_is_paid(self):
        spec = spec_of("s3-stream", buying=BUYING["capacity-block"], scenario="s3-stream/p5.48xlarge/capacity-block")
        (row,) = remaining_resources(prices(spec), None, [self.thing])
        assert (row.usd_per_day, row.note) == (0.0, "a Capacity Block: paid upfront, ends automatically")

    def test_a_block_that_was_left_is_paid_and_what_is_reserved_after_it_is_not(self):
        later = TaggedResource(arn=arn("ec2", "capacity-reservation/cr-2"), name="fleet-reservation")
        buying = Buying(kind="reservation", reservation_id="cr-2", left_blocks=("cr-1",))
        spec = spec_of("s3-stream", buying=buying, scenario="s3-stream/p5.48xlarge/capacity-block")
        (row,) = remaining_resources(prices(spec), None, [self.thing, later])
        assert row.ids == ("cr-1", "cr-2")
        assert row.usd_per_day == pytest.approx(880.32 * 24), "of the second alone"
        assert "paid upfront, ends automatically; billed for 8 nodes that do not run" in row.note
        assert row.found != "doubled", "each is the stack's own"


@settings(deadline=None)
@given(st.data())
def test_every_thing_is_in_one_row_and_in_one_only(data):
    spec = spec_of("separate-nvme")
    things = data.draw(st.lists(st.sampled_from(at_aws(spec)), unique_by=lambda thing: thing.arn))
    in_state = data.draw(st.lists(st.sampled_from(known("separate-nvme")), unique_by=lambda entry: entry.name))
    rows = remaining_resources(prices(spec), in_state, things)
    listed = [id_ for row in rows for id_ in row.ids]
    matched = {entry.id for entry in in_state for thing in things if entry.matches(thing)}
    assert sorted(listed) == sorted(
        [thing.id for thing in things] + [entry.id for entry in in_state if entry.id not in matched]
    )


# the verb


def ran(*words: object) -> int:
    with pytest.raises(SystemExit) as done:
        main.run([str(word) for word in words])
    return int(done.value.code or 0)


STORED: dict[str, float] = {}


@pytest.fixture(autouse=True)
def _nothing_stored():
    yield
    STORED.clear()


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    (tmp_path / "Pulumi.dev.yaml").write_text(rendered(spec_of("converged")), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("infra.graph.resource_graph", graph_of)  # each is built once for all tests
    return tmp_path


@pytest.fixture
def aws(monkeypatch) -> list[TaggedResource]:
    """What AWS lists; the test fills it."""
    found: list[TaggedResource] = []
    monkeypatch.setattr("planner.account.stack_resources.stack_resources", lambda stack, region, make: list(found))
    monkeypatch.setattr("planner.account.bucket_size.stored_bytes", lambda bucket, region, now, make: dict(STORED))
    return found


def test_a_stack_that_stands_is_13_with_its_dollars(folder, capsys):
    (folder / "state.json").write_text(json.dumps(state("converged")), encoding="utf-8")
    assert ran("teardown-check", "--stack", "dev", "--state", "state.json") == 13
    out = capsys.readouterr().out
    # less the key, which is kept: (880.32 + 0.18 + 0.045 + 0.005 + 0.03 + 0.007671 + 0.6048 + 0.016438) x 24
    assert "Stack dev still costs at least $21,149.01 per day" in out
    assert "Kept on purpose, which costs at least $0.03 per day" in out
    assert "Also left, free: " in out


def test_what_is_kept_alone_is_0(folder, aws, capsys):
    aws += [thing for thing in at_aws(spec_of("converged")) if thing.name.startswith("tier-")]
    assert ran("teardown-check", "--stack", "dev", "--from-tags") == 0
    assert "nothing is left except what is kept on purpose" in capsys.readouterr().out
    aws.clear()
    assert ran("teardown-check", "--stack", "dev") == 0


def test_a_bucket_bills_what_lies_in_it(folder, aws, capsys):
    aws += [thing for thing in at_aws(spec_of("converged")) if thing.name.startswith("tier-")]
    # 60 TiB: the first 51,200 GiB at 0.023, the other 10,240 at 0.022, in 730 / 24 days
    STORED["StandardStorage"] = 60 * 2**40
    assert ran("teardown-check", "--stack", "dev", "-f", "json") == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["left"]}
    month = 51_200 * 0.023 + 10_240 * 0.022
    assert rows["tier-bucket"]["usd_per_day"] == pytest.approx(month * 24 / 730)
    assert rows["tier-bucket"]["by_use"] == ["storage.s3.get-requests", "storage.s3.put-requests"]
    STORED["GlacierStorage"] = 1.0
    assert ran("teardown-check", "--stack", "dev", "-f", "json") == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["left"]}
    assert rows["tier-bucket"]["usd_per_day"] is None, "a class without a price here is unknown, not free"


def test_json_has_both(folder, aws, capsys):
    (folder / "state.json").write_text(json.dumps(state("converged")), encoding="utf-8")
    aws += [*at_aws(spec_of("converged")), TaggedResource(arn=arn("ec2", "natgateway/nat-9"), name="network-nat")]
    assert ran("teardown-check", "--stack", "dev", "--state", "state.json", "--from-tags", "-f", "json") == 13
    found = json.loads(capsys.readouterr().out)
    assert found["asked"] == {"state": True, "tags": True}
    assert [row["ids"] for row in found["left"] if row["found"] == "doubled"] == [["nat-9"]]
    assert found["usd_per_day"] == pytest.approx(21_149.013816 + 0.045 * 24)
    assert set(found["retained_unknown"]) == {"tier-bucket", "tier-key"}


@pytest.mark.parametrize("width", ["40", "80", "160"])
def test_what_no_state_takes_down_is_first_and_its_id_whole(folder, aws, capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", width)
    (folder / "state.json").write_text(json.dumps(state("converged")), encoding="utf-8")
    twice = "vpce-0123456789abcdef0123456789abcdef0"
    aws += [
        *at_aws(spec_of("converged")),
        TaggedResource(arn=arn("ec2", f"vpc-endpoint/{twice}"), name="network-endpoint-ssm"),
    ]
    assert ran("teardown-check", "--stack", "dev", "--state", "state.json", "--from-tags") == 13
    lines = capsys.readouterr().out.splitlines()
    assert f"doubled: network-endpoint-ssm {twice}" in lines
    rule = next(number for number, line in enumerate(lines) if set(line) == {"─"})
    assert "doubled" in lines[rule + 1]


def test_hostile_tags_stay_text(folder, aws, capsys):
    aws.append(TaggedResource(arn=arn("ec2", "instance/i-7"), name="x\x1b[2J\u202e"))
    assert ran("teardown-check", "--stack", "dev") == 13
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "x\\u001b[2J\\u202e" in out


def test_no_stack_file_and_a_region(tmp_path, monkeypatch, aws, capsys):
    monkeypatch.chdir(tmp_path)
    assert ran("teardown-check", "--stack", "dev") == 2
    assert "name a Region with --region" in capsys.readouterr().err
    aws += at_aws(spec_of("s3-stream"))
    assert ran("teardown-check", "--stack", "dev", "--region", "us-east-1") == 13
    captured = capsys.readouterr()
    assert "costs are unknown" in captured.err
    assert "unknown" in captured.out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "has no deployment"),
        ("[" * 100_000, "is not JSON"),
        (-1, "belongs to stack 'prod'"),
        (1, "of several stacks"),
    ],
)
def test_a_state_that_is_none_of_ours(folder, capsys, text, said):
    """A number: so many resources of a stack that is ours are another's."""
    if isinstance(text, int):
        text = json.dumps(state("s3-stream")).replace("urn:pulumi:dev", "urn:pulumi:prod", text)
    (folder / "state.json").write_text(text, encoding="utf-8")
    assert ran("teardown-check", "--stack", "dev", "--state", "state.json") == 2
    assert said in capsys.readouterr().err


def test_a_file_that_is_not_there(folder, capsys):
    assert ran("teardown-check", "--stack", "dev", "--state", "nowhere.json") == 2
    assert "cannot read nowhere.json" in capsys.readouterr().err
