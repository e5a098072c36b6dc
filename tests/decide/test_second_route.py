"""One small run priced again in plain Python, line by line, from the price book's own rows."""

from __future__ import annotations

import math

import pytest

from planner.models.goodput import optimal_interval
from tests.builders import book_of, months_of, plan_of, scenario_of

REGION, NODES, SPARES = "us-east-1", 4, 1


@pytest.fixture(scope="module")
def scenario():
    plan = plan_of(
        fleet={"nodes": NODES, "spares": SPARES},
        purchase={"options": ["on-demand"]},
        storage={"layouts": ["converged"], "retention": "30d"},
        data={"kept_in_s3": "6TB", "ingest": {"source": "upload"}},
        people={"engineers": 2, "months_before": 1, "experiments": True},
    )
    return scenario_of(plan, "converged/")


def _price(service: str, item: str) -> float:
    (tier,) = book_of().metered(service, item, REGION).tiers
    return tier.usd


def _by_hand() -> dict[str, float]:
    """4,000 useful GPU-hours on 3 of 4 p4d that read 20 MB/s a GPU from a pool over S3."""
    book, training = book_of(), NODES - SPARES
    gpus = training * 8
    compute = 4000 / gpus  # hours
    read = gpus * 0.020  # GB/s
    hot_gb, object_gb, checkpoint_gb = 4000, 0.1, 14
    # the pool: 4 nodes x 8 TB x 0.99 x 0.70 = 22.2 TB hold all 4 TB; S3 gives 2 GB/s a node, far above 0.48 GB/s
    assert NODES * 8 * 0.99 * 0.70 > 4
    assert read < NODES * 2
    # failures: 3 nodes x 6.5 a 1,000 node-days; a write goes to 32 drives of 1 GB/s, then to S3 at 1 GB/s a node
    mtbf = 24_000 / (training * 6.5)
    write = (30 + checkpoint_gb * (1 / 32 + 1 / 4)) / 3600
    restart = 10 / 60 + checkpoint_gb / (NODES * 2) / 3600
    out_of_service = training * 6.5 / 24_000 * 0.5
    wait = out_of_service / (1 + out_of_service) * 0.5 / 2  # one spare: the first of two nodes, if both are away
    work = optimal_interval(mtbf_hours=mtbf, write_hours=write)
    segment = (mtbf + wait) * math.exp(restart / mtbf) * (math.exp((work + write) / mtbf) - 1)
    hours = 0.5 + compute * segment / work
    kept_hours = hours + 30 * 24

    written = compute / work
    stored = min(3, written)
    read_gb = compute * 3600 * read
    gets = min(hot_gb, read_gb) / object_gb / 1000  # the first epoch; later ones hit
    puts = (written * checkpoint_gb + 6000) / object_gb / 1000
    gib = 1e9 / 2**30
    p4d = book.on_demand("p4d.24xlarge", REGION).usd
    ebs = _price("AmazonEBS", "gp3 storage")
    s3 = book.metered("AmazonS3", "S3 Standard storage", REGION).tiers[0].usd  # far below 50 TB
    staff = 330_000 * 1.325 / 12
    return {
        "fleet.compute": NODES * hours * p4d,
        "fleet.ebs": NODES * 200 * months_of(hours) * ebs,
        "network.nat-gateway": hours * _price("AmazonVPC", "NAT gateway hour"),
        "network.public-ipv4": hours * _price("AmazonVPC", "Public IPv4 address, in use"),
        "network.interface-endpoints": 3 * hours * _price("AmazonVPC", "Interface endpoint, per availability zone"),
        "network.nat-data": NODES * 20 * _price("AmazonVPC", "NAT gateway data processed"),
        "network.endpoint-data": NODES
        * hours
        / 24
        * 0.05
        * book.metered("AmazonVPC", "Interface endpoint data processed", REGION).tiers[0].usd,
        "network.flow-logs": NODES * hours / 24 * 0.2 * _price("AmazonCloudWatch", "Logs ingestion"),
        "guard.alarms": 8 * months_of(hours) * _price("AmazonCloudWatch", "Standard resolution alarm"),
        "guard.metrics": 5 * months_of(hours),
        "pool.control-nodes": 3 * hours * book.on_demand("m7i.xlarge", REGION).usd,
        "pool.control-ebs": 3 * 50 * months_of(hours) * ebs,
        "storage.s3.standard": 6000 * gib * months_of(kept_hours) * s3,
        "storage.s3.checkpoints": stored * checkpoint_gb * gib * months_of(kept_hours) * s3,
        "storage.s3.get-requests": gets * _price("AmazonS3", "S3 Standard GET and all other"),
        "storage.s3.put-requests": puts * _price("AmazonS3", "S3 Standard PUT/COPY/POST/LIST"),
        "storage.kms.key": months_of(kept_hours) * _price("awskms", "Customer managed key"),
        "storage.kms.requests": (gets + puts) / 10 * 0.01 * _price("awskms", "Symmetric requests"),
        "people.staff": 2 * (1 + hours / 730) * staff,
        "people.experiments": NODES * hours * 1.19 * p4d,
    }


def test_every_line(scenario):
    expected = _by_hand()
    got = {line.line: line.effective_cost for line in scenario.bill}
    assert got.keys() == expected.keys()
    for line, usd in expected.items():
        assert got[line] == pytest.approx(usd, rel=1e-9), line


def test_total(scenario):
    assert scenario.complete
    assert scenario.cost_usd.plan == pytest.approx(math.fsum(_by_hand().values()), rel=1e-9)


def test_hourly_dollars_are_what_stands(scenario):
    """Effective rate x count for what bills while it stands; nothing for what bills by use or by people."""
    p4d = book_of().on_demand("p4d.24xlarge", REGION).usd
    hourly = {line.line: line.usd_per_hour for line in scenario.bill}
    assert hourly["fleet.compute"] == pytest.approx(NODES * p4d)
    assert hourly["fleet.ebs"] == pytest.approx(NODES * 200 * _price("AmazonEBS", "gp3 storage") / 730)
    assert hourly["network.nat-gateway"] == _price("AmazonVPC", "NAT gateway hour")
    by_use = ("requests", "standard", "checkpoints", "data", "flow-logs", "people")
    assert all(usd is None for line, usd in hourly.items() if any(word in line for word in by_use))
    assert all(usd for line, usd in hourly.items() if not any(word in line for word in by_use))
