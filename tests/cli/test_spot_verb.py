"""`planner spot` as somebody types it, and as cron reads its exit code; CloudWatch's answers are given."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from planner.account import aws_client
from planner.cli import main
from planner.cli.spot import command
from planner.cli.stack import command as stack_command
from planner.errors import AwsProblem, CredentialsProblem, UsageProblem
from planner.stack.file import read
from tests.account.stubs import Cloud
from tests.typed import SMALL

SCENARIO = "converged/p4d.24xlarge/spot-fallback"
GROUP = "planner-dev-fleet-group"


@pytest.fixture
def written(tmp_path, monkeypatch):
    """The stack file of a run on spot with fallback, in the current folder."""
    monkeypatch.chdir(tmp_path)
    given = ["--ami", "ami-0123456789abcdef0", "--zone-id", "use1-az4", "--notify", "a@example.org"]
    done = CliRunner().invoke(
        stack_command, [SMALL, "--scenario", SCENARIO, "--stack", "dev", *given], standalone_mode=False
    )
    assert done.exception is None, done.exception
    return tmp_path / "Pulumi.dev.yaml"


@pytest.fixture
def cloud(monkeypatch):
    made = Cloud()
    monkeypatch.setattr(aws_client, "client", made.client)
    return made


def run(*words: str):
    done = CliRunner().invoke(command, list(words), standalone_mode=False)
    if done.exception:
        raise done.exception
    return done


def answer(cloud: Cloud, hours: int, short: range, *, missing: range = range(0), pages: int = 1, minutes: bool = True):
    """Records of a gang of four for so many hours until now, with three nodes in some of them. What is asked first, by
    the hour, says since when there are records; what is asked next is by the minute."""
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    stub = cloud.stub("cloudwatch")
    for step in (60, 1) if minutes else (60,):
        at = [now - timedelta(hours=hours) + timedelta(minutes=m) for m in range(0, hours * 60, step)]
        at = [t for t in at if int((t - at[0]).total_seconds() // 3600) not in missing]
        nodes = {t: 3.0 if int((t - at[0]).total_seconds() // 3600) in short else 4.0 for t in at}
        for page in range(pages):
            part = at[page * len(at) // pages : (page + 1) * len(at) // pages]
            series = {
                "wanted": [4.0] * len(part), "fewest": [nodes[t] for t in part], "most": [nodes[t] for t in part]
            }  # fmt: skip
            found = [{"Id": n, "Timestamps": part, "Values": v, "StatusCode": "Complete"} for n, v in series.items()]
            more = {"NextToken": f"t{page}"} if page + 1 < pages else {}
            stub.add_response("get_metric_data", {"MetricDataResults": found, **more})


def test_the_stack_file_has_the_rule_with_which_the_scenario_was_priced(written):
    spec = read(written)
    assert spec.fallback is not None
    assert (spec.buying.kind, spec.fallback.nodes) == ("spot", 4)
    explained = CliRunner().invoke(
        main.command, ["explain", SMALL, SCENARIO, "run.fallback_threshold_hours", "-f", "json"]
    )
    threshold = json.loads(explained.stdout)["value"]
    assert spec.fallback.threshold_hours == pytest.approx(threshold, abs=0.01)


def test_a_quiet_run_stays(written, cloud):
    answer(cloud, 48, range(0))
    done = run("watch", "--stack", "dev")
    assert done.return_value == 0
    assert "Stay on spot." in done.stdout
    assert re.search(r"0\.0 h +waiting for nodes", done.stdout)
    cloud.done()


@pytest.mark.parametrize("pages", [1, 3])
def test_a_run_that_waits_too_long_moves(written, cloud, pages):
    threshold = read(written).fallback.threshold_hours
    answer(cloud, 200, range(5, int(threshold) + 10), pages=pages)
    done = run("watch", "--stack", "dev", "-f", "json")
    found = json.loads(done.stdout)
    assert done.return_value == 15
    assert (found["move"], found["interruptions"]) == (True, 1)
    assert found["waits_hours"]["low"] == pytest.approx(int(threshold) + 5, abs=0.1)
    cloud.done()


def test_hours_that_cloudwatch_does_not_know_are_said(written, cloud):
    answer(cloud, 48, range(0), missing=range(10, 13))
    done = run("watch", "--stack", "dev")
    assert "0.0 to 3.0 h  without a record" in done.stdout


def test_an_old_stack_is_read_in_coarser_periods(written, cloud):
    answer(cloud, 24 * 100, range(0), minutes=False)
    assert run("watch", "--stack", "dev").return_value == 0
    cloud.done()


def test_a_group_that_is_not_there_yet(written, cloud):
    empty = [{"Id": name, "Timestamps": [], "Values": []} for name in ("wanted", "fewest", "most")]
    cloud.stub("cloudwatch").add_response("get_metric_data", {"MetricDataResults": empty})
    with pytest.raises(UsageProblem, match=f"no record of group {GROUP}"):
        run("watch", "--stack", "dev")


@pytest.mark.parametrize(
    ("code", "kind"),
    [("ExpiredToken", CredentialsProblem), ("Throttling", AwsProblem), ("InternalFailure", AwsProblem)],
)
def test_what_aws_refuses_is_said(written, cloud, code, kind):
    cloud.stub("cloudwatch").add_client_error("get_metric_data", code)
    with pytest.raises(kind, match=code):
        run("watch", "--stack", "dev")


def test_it_leaves_once_and_keeps_everything_else(written, cloud):
    text = written.read_text().replace("config:\n", "config:\n  # ours\n  team:name: vision\n")
    written.write_text(text)
    before = read(written)
    done = run("leave", "--stack", "dev")
    assert "pulumi up --stack dev" in done.stdout
    assert f"start-instance-refresh --auto-scaling-group-name {GROUP}" in done.stdout
    after = written.read_text()
    old, new = text.splitlines(), after.splitlines()
    assert [line.strip() for line in old if line not in new] == ["kind: spot"]
    more = [line.strip() for line in new if line not in old]
    assert ("kind: on-demand" in more, more[-2:]) == (True, ["switched_from:", f"- {before.layout}/spot"])
    assert read(written).fallback == before.fallback
    assert "has left spot already" in run("leave", "--stack", "dev").stderr
    assert "nothing to watch" in run("watch", "--stack", "dev").stderr
    assert written.read_text() == after


def test_writing_the_stack_again_does_not_move_it_back(written, cloud):
    run("leave", "--stack", "dev")
    after = written.read_text()
    done = CliRunner().invoke(stack_command, [SMALL, "--scenario", SCENARIO, "--stack", "dev"], standalone_mode=False)
    assert done.exception is None, done.exception
    assert written.read_text() == after
    done = CliRunner().invoke(stack_command, [SMALL, "--check", "--stack", "dev"], standalone_mode=False)
    assert done.exception is None, done.exception


def test_a_stack_without_a_rule_and_one_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageProblem, match=r"there is no Pulumi\.dev\.yaml"):
        run("watch", "--stack", "dev")
    CliRunner().invoke(
        stack_command, [SMALL, "--scenario", "s3-stream/p4d.24xlarge/on-demand", "--stack", "dev"],
        standalone_mode=False,
    )  # fmt: skip
    with pytest.raises(UsageProblem, match="which has no rule that leaves spot"):
        run("watch", "--stack", "dev")
