"""What keys mean together: each rule with the plan that breaks it, where it points and what to do."""

from __future__ import annotations

import pytest

from planner.plan.catalogue_check import check_against_catalogue
from pricing.catalog import InstanceType
from tests.plan.plans import FULL, SMALL, load, only, place, problems, with_line

TABLE = "work: {samples: 1e6}\n  throughput: [{gpus: 8, samples_per_second: 100}]"


def _instance(name: str, gpus: int, gpu: str, *, drives: int = 8, peak: float | None = 312.0) -> InstanceType:
    return InstanceType(
        name=name,
        vcpu=96,
        memory_mib=1_179_648,
        gpu_count=gpus,
        gpu_name=gpu,
        nvme_drives=drives,
        nvme_drive_gb=1000.0,
        network_mbps=400_000,
        network_cards=4,
        max_network_interfaces=60,
        efa_interfaces=4,
        nitro_version=3,
        ebs_mbps=19_000,
        peak_tflops=peak,
        source="test",
    )


CATALOGUE = (
    _instance("p4d.24xlarge", 8, "A100"),
    _instance("p5.48xlarge", 8, "H100"),
    _instance("g5.xlarge", 1, "A10G", peak=None),
    _instance("i3en.24xlarge", 0, ""),
    _instance("m6i.2xlarge", 0, "", drives=0),
)


@pytest.mark.parametrize(
    ("old", "new", "where", "message", "remedy"),
    [
        ("  work: {gpu_hours: 4000}", "  kind: training", "3:1", "run.work is missing", "gpu_hours"),
        ("{gpu_hours: 4000}", "{}", "4:3", "the amount of work is missing", "gpu_hours: 4000"),
        (
            "{gpu_hours: 4000}",
            "{gpu_hours: 4000, flop: 1e20, mfu: 40%}",
            "4:27",
            "flop and gpu_hours are both set",
            "keep",
        ),
        ("{gpu_hours: 4000}", "{flop: 1e22, mfu: 0%}", "4:10", "flop needs mfu above 0", "write mfu: 40%"),
        (
            "{gpu_hours: 4000}",
            "{flop: 1e22, mfu: 40%, mfu_by_gpu: {A100: 40%}}",
            "4:22",
            "mfu and mfu_by_gpu are both set",
            "keep one",
        ),
        ("{gpu_hours: 4000}", "{gpu_hours: 4000, mfu: 40%}", "4:27", "mfu is used only with flop", "remove"),
        ("{gpu_hours: 4000}", "{samples: 1e6}", "3:1", "without a throughput table", "samples_per_second"),
        (
            "work: {gpu_hours: 4000}",
            "work: {samples: 1e6}\n  throughput: [{gpus: 8, samples_per_second: 1}, {gpus: 8, samples_per_second: 2}]",
            "5:51",
            "8 GPUs have a row already: throughput[0]",
            "keep one",
        ),
        (
            "work: {gpu_hours: 4000}",
            "work: {gpu_hours: 4000}\n  phases: [{name: a, gpu_hours: 1}]",
            "4:3",
            "run.work and run.phases are both set",
            "move work",
        ),
        (
            "work: {gpu_hours: 4000}",
            "phases: [{name: a, gpu_hours: 1}]\n  throughput: [{gpus: 8, samples_per_second: 1}]",
            "5:3",
            "run.throughput and run.phases are both set",
            "move throughput",
        ),
        ("work: {gpu_hours: 4000}", "phases: [{name: a}]", "4:12", "the amount of work is missing", ""),
        ("work: {gpu_hours: 4000}", "phases: [{name: a, samples: 5}]", "4:12", "without a throughput table", ""),
        (
            "work: {gpu_hours: 4000}",
            "phases: [{name: a, gpu_hours: 1}, {name: a, gpu_hours: 1}]",
            "4:37",
            "another phase has the same name",
            "",
        ),
        ("4TB}", "4TB, samples: 5, sample: 5KB}", "5:26", "samples and sample are both set", "keep one"),
        ("4TB}", "4TB, sample: 5KB, read_per_gpu: 5MB/s}", "5:39", "read_per_gpu and sample are both set", "keep one"),
        ("4TB}", "4TB, kept_in_s3: 3TB}", "5:26", "smaller than hot_dataset", "at least"),
        ("4TB}", "4TB, ingest: {rate: 1GB/s}}", "5:35", "rate is not used with source: in-s3", "upload"),
        ("4TB}", "4TB, ingest: {source: other-region}}", "5:35", "needs from_region", "from_region: us-west-2"),
        (
            "4TB}",
            "4TB, ingest: {source: upload, from_region: us-west-2}}",
            "5:51",
            "not used with source: upload",
            "other-region",
        ),
        (
            "4TB}",
            "4TB, ingest: {source: other-region, from_region: us-east-1}}",
            "5:57",
            "the same as the plan's region",
            "in-s3",
        ),
        (", nodes: 4", "", "6:1", "fleet needs nodes or gpus", "A100:512"),
        ("nodes: 4", "nodes: 4, gpus: A100:8", "6:51", "gpus and nodes are both set", "keep one"),
        ("nodes: 4", "nodes: 4, spares: 4", "6:51", "4 spares of 4 nodes leave no node for training", "fewer"),
        ("nodes: 4", "nodes: 4..16, spares: 5", "6:55", "5 spares of 4 nodes leave no node for training", "fewer"),
        ("[p4d.24xlarge]", "[p4d.24xlarge, p4d.24xlarge]", "6:40", "'p4d.24xlarge' is listed twice", "keep one"),
        ("4}", "4}\npurchase: {options: [spot, sp-2y]}", "7:28", "unknown purchase option 'sp-2y'", ""),
        (
            "4}",
            "4}\npurchase: {options: [ri-1y-standard-no-upfrnt]}",
            "7:22",
            "unknown purchase option",
            "did you mean ri-1y-standard-no-upfront?",
        ),
        ("4}", "4}\npurchase: {options: [spot, spot]}", "7:28", "'spot' is listed twice", ""),
        (
            "[p4d.24xlarge], nodes: 4}",
            "[p4d.24xlarge, p5.48xlarge], nodes: 4}\npurchase: {spot_usd_per_hour: 9}",
            "7:12",
            "is the price of one instance type; the plan has 2",
            "name one type in fleet.instance_types",
        ),
        ("4}", "4}\npurchase: {private_discount: 100%}", "7:12", "makes the nodes free", "below 100%"),
        ("4}", "4}\nstorage: {layouts: [s3-stream, s3-stream]}", "7:32", "'s3-stream' is listed twice", ""),
        (
            "4}",
            "4}\nstorage: {fsx-lustre: {deployment: SCRATCH_2, throughput_mbps_per_tib: [125]}}",
            "7:47",
            "SCRATCH_2 has no throughput tiers",
            "",
        ),
        ("4}", "4}\nstorage: {separate-nvme: {protection: 2+1}}", "7:27", "3 to 16 data shards", "16+4"),
        (
            "4}",
            "4}\nassumptions: {s3.prefixes: {value: 2, low: 3}}",
            "7:15",
            "not in order: 3 <= 2",
            "low <= value <= high",
        ),
        (
            "4}",
            "4}\nassumptions: {s3.prefixes: {value: 2, high: 1}}",
            "7:15",
            "not in order: 2 <= 1",
            "low <= value <= high",
        ),
    ],
)
def test_rules_that_need_only_the_plan(old, new, where, message, remedy):
    problem = only(with_line(SMALL, old, new))
    assert place(problem) == f"p.yaml:{where}"
    assert message in problem.message
    assert remedy in problem.remedy
    assert problem.remedy


def test_one_measured_row_is_enough_only_for_its_own_size():
    text = with_line(SMALL, "work: {gpu_hours: 4000}", TABLE)
    gpus = with_line(text, "nodes: 4", "gpus: A100:8")
    assert load(gpus)
    other = with_line(text, "nodes: 4", "gpus: A100:64")
    assert "64 GPUs are not in the table" in only(other).message
    assert load(other, "run.scaling=linear")
    more = with_line(other, "per_second: 100}", "per_second: 100}, {gpus: 16, samples_per_second: 190}")
    assert load(more)
    unmeasured = with_line(more, "per_second: 190}", "per_second: 190, measured: false}")
    assert "needs two measured rows and only one row is measured" in only(unmeasured).message


def test_a_shard_is_no_larger_than_the_data_sets_that_are_read():
    shard = with_line(SMALL, "hot_dataset: 4TB", "hot_dataset: 4TB, shard: 4TB")
    assert load(shard)
    found = only(with_line(shard, "shard: 4TB", "shard: 4001GB"))
    assert (found.line, found.message) == (
        5,
        "shard (4.001TB) is larger than data.hot_dataset (4TB), which consists of shards",
    )
    assert "100MB" in found.remedy
    assert only(shard, "data.shard=5TB").where == "--set data.shard"
    # the data set that no phase reads has no shards
    phases = "run.phases=[{name: a, gpu_hours: 1, hot_dataset: 9TB}, {name: b, gpu_hours: 1, hot_dataset: 5TB}]"
    assert load(shard, "run.work=null", phases, "data.shard=5TB")
    assert (
        "larger than run.phases[1].hot_dataset (5TB)" in only(shard, "run.work=null", phases, "data.shard=6TB").message
    )


def _judged(text: str, *overrides: str):
    return check_against_catalogue(load(text, *overrides), CATALOGUE)


@pytest.mark.parametrize(
    ("overrides", "where", "message", "remedy"),
    [
        (
            ["fleet.instance_types=[p4d.24xlarg]"],
            "fleet.instance_types",
            "not an instance type",
            "did you mean p4d.24xlarge?",
        ),
        (["fleet.instance_types=[m6i.2xlarge]"], "fleet.instance_types", "has no GPUs", "p4d.24xlarge"),
        (
            ["fleet.nodes=null", "fleet.gpus=A100:60"],
            "fleet.gpus",
            "60 GPUs are not a whole number of p4d.24xlarge nodes with 8 each",
            "write A100:56 or A100:64",
        ),
        (["fleet.nodes=null", "fleet.gpus=A100:4"], "fleet.gpus", "not a whole number", "write A100:8"),
        (
            [
                "fleet.nodes=null",
                "fleet.gpus=A100:64",
                "fleet.instance_types=[p4d.24xlarge, p5.48xlarge]",
                "run.relative_speed={A100: 1, H100: 2}",
            ],
            "fleet.gpus",
            "p5.48xlarge has H100 GPUs, but gpus lists only A100",
            "add H100:64",
        ),
        (
            ["fleet.nodes=null", "fleet.gpus=[A100:64, V100:8]"],
            "fleet.gpus",
            "none of the instance types has V100 GPUs",
            "they have A100",
        ),
        (
            ["storage.separate-nvme.instance_type=i3e.24xlarge"],
            "storage.separate-nvme.instance_type",
            "not an instance type",
            "i3en.24xlarge?",
        ),
        (
            ["storage.separate-nvme.instance_type=m6i.2xlarge"],
            "storage.separate-nvme.instance_type",
            "no NVMe drives",
            "i3en",
        ),
        (
            ["fleet.instance_types=[g5.xlarge]", "run.work={flop: 1e20, mfu: 0.4}"],
            "fleet.instance_types",
            "the peak FLOP/s of g5.xlarge is not known",
            "gpu_hours",
        ),
        (["run.work={flop: 3e10}"], "run.work", "3e+10 FLOP are less than a second of one GPU", "6 x parameters"),
        (["run.work={flop: 3.2e24}"], "run.work", "take 32 GPUs more than 10 years even at their peak", "exponent"),
        (
            ["run.work={gpu_hours: 2.9e6}"],
            "run.work",
            "2.9e+06 GPU-hours take 32 GPUs more than 10 years",
            "more nodes",
        ),
    ],
)
def test_rules_that_need_the_catalogue(overrides, where, message, remedy):
    (problem,) = _judged(SMALL, *overrides)
    assert problem.where == f"--set {where}"
    assert message in problem.message
    assert remedy in problem.remedy


TWO = ["fleet.instance_types=[p4d.24xlarge, p5.48xlarge]"]


@pytest.mark.parametrize(
    ("overrides", "message", "remedy"),
    [
        ([], "gpu_hours depends on the kind of GPU, and A100, H100 are compared", "{A100: 1} if gpu_hours is of A100"),
        (
            ["run.relative_speed={A10G: 1}"],
            "lacks A100, H100, and no speed of A10G is published",
            "{A100: ..., H100: ...}",
        ),
        (["run.work={flop: 1e21, mfu: 40%}"], "different shares of their peak", "mfu_by_gpu: {A100: 40%, H100: 40%}"),
        (["run.work={flop: 1e21, mfu_by_gpu: {A100: 40%}}"], "mfu_by_gpu lacks H100", "H100: 40%"),
        (["run.relative_speed={A100: 1, H100: 2, B200: 4}"], "none of the instance types has B200 GPUs", "remove it"),
    ],
)
def test_work_that_differs_between_kinds_of_gpu_needs_a_figure_for_each(overrides, message, remedy):
    (problem,) = _judged(SMALL, *TWO, *overrides)
    assert message in problem.message
    assert remedy in problem.remedy


@pytest.mark.parametrize(
    "overrides",
    [
        ["run.relative_speed={A100: 1, H100: 2.5}"],
        ["run.relative_speed={A100: 1}"],
        ["run.relative_speed={H200: 1.1}"],
        ["run.work={flop: 1e21, mfu_by_gpu: {A100: 45%, H100: 40%}}"],
    ],
)
def test_work_with_a_figure_for_each_kind_of_gpu_is_compared(overrides):
    assert not _judged(SMALL, *TWO, *overrides)


def test_the_number_of_gpus_per_node_comes_from_the_catalogue():
    text = with_line(SMALL, "work: {gpu_hours: 4000}", TABLE)
    (problem,) = _judged(text)
    assert place(problem) == "p.yaml:5:3"
    assert "32 GPUs are not in the table" in problem.message
    assert not _judged(text, "fleet.nodes=1")
    assert not _judged(text, "fleet.nodes=2", "fleet.spares=1")


def test_valid_plans_pass_the_catalogue_check():
    assert not _judged(SMALL)
    assert not _judged(FULL)
    assert not _judged(SMALL, "fleet.nodes=null", "fleet.gpus=a100:64")


def test_catalogue_problems_are_in_file_order():
    text = FULL.replace("m6i.2xlarge", "m6i.3xlarge").replace("g5.xlarge", "g5.tiny").replace("p5.48x", "p5.49x")
    lines = [problem.line for problem in _judged(text)]
    assert len(lines) == 3
    assert lines == sorted(lines)


def test_all_broken_rules_are_reported_at_once():
    text = with_line(SMALL, "nodes: 4", "nodes: 4, spares: 9") + "purchase: {options: [x], private_discount: 1}\n"
    assert len(problems(text)) == 3


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"run": {"work": {"flop": 1e22, "mfu": "0.4%"}}}, "lower than any published run"),
        (
            {
                "run": {
                    "work": {"flop": 1e22, "mfu": "40%"},
                    "throughput": [{"gpus": 32, "samples_per_second": 100.0}],
                }
            },
            "a throughput table and flop are both set",
        ),
        ({"run": {"work": {"gpu_hours": 40}}, "data": {"hot_dataset": "4TB", "sample": "40KB"}}, "throughput table"),
    ],
)
def test_plans_that_would_be_priced_wrongly_are_refused(change, expected):
    from planner.plan.check import check_plan
    from planner.plan.types import Plan

    base = {
        "apiVersion": "planner/v1",
        "name": "x",
        "data": {"hot_dataset": "4TB"},
        "fleet": {"instance_types": ["p4d.24xlarge"], "nodes": 4},
    }
    assert any(expected in message for _, message, _ in check_plan(Plan.model_validate({**base, **change})))


def test_bits_are_not_bytes():
    from planner.plan.quantities import parse_bytes

    with pytest.raises(ValueError, match="bits"):
        parse_bytes("2.4Tb")
    assert parse_bytes("2.4tb") == parse_bytes("2.4TB")
