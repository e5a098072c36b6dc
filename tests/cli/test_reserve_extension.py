"""planner reserve --extend: more days for a block, and no dollar that was not confirmed, whatever AWS answers."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import pytest
from botocore.exceptions import ReadTimeoutError

from planner.account import aws_client
from planner.cli import confirm, main
from planner.stack.file import read, rendered
from planner.stack.spec import Block, Buying, ClusterSpec
from planner.stack.timestamps import timestamp_text
from tests.account.stubs import Cloud, extension, extension_offering, reservation
from tests.stack.specs import block

NOW = datetime.now(UTC).replace(microsecond=0)
ENDS = NOW + timedelta(days=2)
ID, SECOND = "cr-0abcdef0123456789", "cr-0fedcba9876543210"
DAYS_SHOWN = (1, 2, 3, 7, 14)
ONE_DAY = extension_offering(ENDS, 1)


def stack(ends: datetime = ENDS, **buying: Any) -> ClusterSpec:
    """Four p4d in a block that is bought, at 47.20 dollars an hour by the plan."""
    whole = block(
        scenario="converged/p4d.24xlarge/capacity-block",
        zone_id="use1-az6",
        usd_per_hour={"fleet.compute": 47.2},
        buying=Buying(kind="capacity-block", reservation_id=ID, ends=timestamp_text(ends), **buying),
    )
    fleet = replace(whole.fleet, instance_type="p4d.24xlarge", nodes=4, vcpu=96, network_cards=4, efa_interfaces=4)
    return replace(whole, fleet=fleet)


@pytest.fixture
def cloud(monkeypatch) -> Cloud:
    made = Cloud()
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setattr(aws_client, "client", made.client)
    return made


@pytest.fixture
def file(tmp_path) -> Path:
    return written(tmp_path, stack())


def written(folder: Path, spec: ClusterSpec) -> Path:
    path = folder / "Pulumi.dev.yaml"
    path.write_text(rendered(spec, "config:\n  # mine\n  mine:key: 1\n"), encoding="utf-8")
    return path


def ran(*words: object) -> int:
    with pytest.raises(SystemExit) as done:
        main.run(["reserve", *map(str, words), "--extend"])
    return int(done.value.code or 0)


def known(
    cloud: Cloud, *past: dict[str, Any], ends: datetime = ENDS, state: str = "active", also: tuple[Any, ...] = ()
) -> None:
    """AWS's answers about the stack's blocks and their earlier extensions."""
    held = [reservation(state=state, EndDate=ends), *also]
    asked = {"CapacityReservationIds": [one["CapacityReservationId"] for one in held]}
    ec2 = cloud.stub("ec2")
    ec2.add_response("describe_capacity_reservations", {"CapacityReservations": held}, asked)
    ec2.add_response("describe_capacity_block_extension_history", {"CapacityBlockExtensions": list(past)}, asked)


def offered(cloud: Cloud, *entries: dict[str, Any], days: int = 1, id: str = ID) -> None:
    asked = {"CapacityReservationId": id, "CapacityBlockExtensionDurationHours": days * 24}
    answer = {"CapacityBlockExtensionOfferings": list(entries)}
    cloud.stub("ec2").add_response("describe_capacity_block_extension_offerings", answer, asked)


def purchase(cloud: Cloud, entry: dict[str, Any], status: str = "payment-pending", id: str = ID) -> None:
    asked = {
        "CapacityBlockExtensionOfferingId": entry["CapacityBlockExtensionOfferingId"],
        "CapacityReservationId": id,
    }
    made = {**extension(entry, status, NOW), "CapacityReservationId": id}
    cloud.stub("ec2").add_response("purchase_capacity_block_extension", {"CapacityBlockExtensions": [made]}, asked)


def said(capsys) -> str:
    return " ".join(capsys.readouterr().err.split())


def test_each_length_is_shown_with_its_price_and_end_and_none_is_bought(cloud, file, capsys):
    before = file.read_bytes()
    known(cloud)
    for days in DAYS_SHOWN:
        offered(cloud, *([extension_offering(ENDS, days, f"{1132.8 * days:.2f}", days)] if days < 7 else []), days=days)
    assert ran(file) == 10
    found = capsys.readouterr()
    # 1,132.80 / (4 nodes x 8 GPUs x 24 h) = 1.4750
    for days, fee in ((1, "1,132.80"), (2, "2,265.60"), (3, "3,398.40")):
        until = f"{ENDS + timedelta(days=days):%Y-%m-%d %H:%M}"
        assert any(line.split()[:5] == [fee, "1.4750", str(days), *until.split()] for line in found.out.splitlines())
    assert "choose a length with --days: nothing bought" in found.err
    assert file.read_bytes() == before
    cloud.done()


def test_what_is_shown_can_be_checked_by_hand(cloud, file, capsys):
    known(cloud)
    offered(cloud, extension_offering(ENDS, 2, "2492.16"), days=2)
    assert ran(file, "--days", "2", "--dry-run") == 0
    out = " ".join(capsys.readouterr().out.split())
    until = ENDS + timedelta(days=2)
    assert f"{ID} with 4 nodes, 32 GPUs, ends on {until:%Y-%m-%d %H:%M} UTC, not on {ENDS:%Y-%m-%d %H:%M}" in out
    assert "$2,492.16 in all, paid at once and non-refundable" in out
    # 12 hours, since the block ends later than that; 47.20 x 48 = 2,265.60
    due = {f"{NOW + timedelta(hours=12, minutes=late):%Y-%m-%d %H:%M}" for late in range(30)}
    assert any(f"cannot charge it by {moment} UTC" in out for moment in due)
    assert "these hours cost $2,265.60: the offer is 10.0% more" in out
    cloud.done()


def test_a_payment_that_is_pending_leaves_the_end_in_the_file(cloud, file, capsys):
    before = file.read_bytes()
    known(cloud)
    offered(cloud, extension_offering(ENDS, 1, "4600", 2), ONE_DAY)
    offered(cloud, extension_offering(ENDS, 1, "4600", 2), ONE_DAY)
    purchase(cloud, ONE_DAY)
    assert ran(file, "--days", "1", "--accept-usd", "4531.20") == 0
    found = capsys.readouterr()
    assert found.out.endswith(f"{ID}\n")
    assert "payment to extend cr-0abcdef0123456789 is pending" in found.err
    assert "planner reserve --stack dev --extend` again; it buys nothing" in found.err
    assert file.read_bytes() == before, "the fleet must scale to zero for the old end if the payment fails"
    assert cloud.attempts[-1] == ("ec2", 1), "the client must not try a purchase twice by itself"
    cloud.done()


def test_a_payment_that_succeeded_is_written_and_says_by_when_to_deploy(cloud, file, capsys):
    known(cloud)
    offered(cloud, ONE_DAY)
    offered(cloud, ONE_DAY)
    purchase(cloud, ONE_DAY, "payment-succeeded")
    assert ran(file, "--days", "1", "--accept-usd", "4531.20") == 0
    later = timestamp_text(ENDS + timedelta(days=1))
    assert read(file) == stack(ENDS + timedelta(days=1))
    assert read(file).buying.ends == later
    assert "  # mine\n  mine:key: 1\n" in file.read_text(encoding="utf-8")
    by = f"{ENDS - timedelta(minutes=45):%Y-%m-%d %H:%M}"
    assert f"Next: pulumi up --stack dev before {by} UTC, or the fleet scales to zero for the old end" in said(capsys)
    cloud.done()


def test_a_payment_that_failed_at_once_is_an_error_and_changes_nothing(cloud, file, capsys):
    before = file.read_bytes()
    known(cloud)
    offered(cloud, ONE_DAY)
    offered(cloud, ONE_DAY)
    purchase(cloud, ONE_DAY, "payment-failed")
    assert ran(file, "--days", "1", "--accept-usd", "4531.20") == 4
    error = said(capsys)
    assert f"the payment to extend {ID} failed: the block still ends at {ENDS:%Y-%m-%d %H:%M} UTC" in error
    assert "payment method in the AWS Billing console" in error
    assert file.read_bytes() == before
    cloud.done()


def test_a_fee_that_is_not_the_confirmed_one_is_never_silent(cloud, file, capsys):
    known(cloud)
    offered(cloud, ONE_DAY)
    offered(cloud, ONE_DAY)
    purchase(cloud, {**ONE_DAY, "UpfrontFee": "9000.00"}, "payment-succeeded")
    assert ran(file, "--days", "1", "--accept-usd", "4531.20") == 0
    assert "AWS charges 9,000.00 for cr-0abcdef0123456789, and 4,531.20 was confirmed" in said(capsys)


@pytest.mark.parametrize("typed", ["4531", "4531.2", "y", "", "4531.21", "45312.0"])
def test_an_amount_that_is_typed_wrongly_buys_nothing(cloud, file, monkeypatch, typed):
    monkeypatch.setattr(confirm, "at_a_terminal", lambda: True)
    monkeypatch.setattr(click, "prompt", lambda *_, **__: typed)
    before = file.read_bytes()
    known(cloud)
    offered(cloud, ONE_DAY)
    assert ran(file, "--days", "1") == 10
    assert file.read_bytes() == before
    cloud.done()


def test_the_amount_that_is_typed_to_the_cent_buys_the_lowest_fee(cloud, file, monkeypatch):
    monkeypatch.setattr(confirm, "at_a_terminal", lambda: True)
    monkeypatch.setattr(click, "prompt", lambda *_, **__: "$4,531.20")
    dearer = extension_offering(ENDS, 1, "4600", 2)
    known(cloud)
    offered(cloud, dearer, ONE_DAY)
    offered(cloud, dearer, ONE_DAY)
    purchase(cloud, ONE_DAY, "payment-succeeded")
    assert ran(file, "--days", "1") == 0
    cloud.done()


@pytest.mark.parametrize("usd", ["4508", "4554", "0", "nan", "-4531.2"])
def test_another_amount_beforehand_buys_nothing(cloud, file, usd):
    known(cloud)
    offered(cloud, ONE_DAY)
    assert ran(file, "--days", "1", f"--accept-usd={usd}") == 10
    cloud.done()


def test_without_a_terminal_or_an_amount_nothing_is_bought(cloud, file, capsys):
    known(cloud)
    offered(cloud, ONE_DAY)
    assert ran(file, "--days", "1") == 10
    assert "no --accept-usd 4531.20: nothing bought" in said(capsys)
    cloud.done()


def test_a_price_that_changes_while_it_is_typed_buys_nothing(cloud, file, capsys):
    known(cloud)
    offered(cloud, ONE_DAY)
    offered(cloud, extension_offering(ENDS, 1, "4700.00"))
    assert ran(file, "--days", "1", "--accept-usd", "4531.20") == 10
    assert f"AWS has changed the fee to extend {ID} from 4,531.20 to 4,700.00: nothing bought. Run" in said(capsys)
    cloud.done()


def test_an_offer_that_is_gone_by_then_buys_nothing(cloud, file, capsys):
    known(cloud)
    offered(cloud, ONE_DAY)
    offered(cloud)
    assert ran(file, "--days", "1", "--accept-usd", "4531.20") == 10
    assert f"AWS no longer offers to extend {ID}" in said(capsys)
    cloud.done()


def test_the_same_offer_under_another_id_is_bought_by_that_id(cloud, file):
    known(cloud)
    renamed = extension_offering(ENDS, 1, number=77)
    offered(cloud, ONE_DAY)
    offered(cloud, renamed)
    purchase(cloud, renamed, "payment-succeeded")
    assert ran(file, "--days", "1", "--accept-usd", "4531.20") == 0
    cloud.done()


def test_no_offer_says_what_else_there_is(cloud, file, capsys):
    known(cloud)
    for days in DAYS_SHOWN:
        offered(cloud, days=days)
    assert ran(file, "--accept-usd", "4531.20") == 10
    error = said(capsys)
    assert f"no offer to extend {ID} by 1, 2, 3, 7, 14 days: nothing bought" in error
    assert "`planner leave --stack dev` continues the run On-Demand" in error
    cloud.done()


def test_an_offer_that_was_named_and_is_not_there(cloud, file, capsys):
    known(cloud)
    offered(cloud, ONE_DAY)
    assert ran(file, "--days", "1", "--offering", "cbe-other", "--accept-usd", "4531.20") == 10
    assert "nothing bought" in said(capsys)
    cloud.done()


@pytest.mark.parametrize(
    ("state", "ends", "words"),
    [
        ("active", NOW - timedelta(minutes=5), "AWS extends a block only before its end. `planner leave --stack dev`"),
        ("expired", NOW - timedelta(days=1), "ended at"),
        ("active", NOW + timedelta(minutes=59), "AWS extends it until one hour before its end. `planner leave"),
        ("active", NOW + timedelta(days=57), "AWS extends it from 56 days before its end. Run the command again from"),
        ("payment-pending", ENDS, "is payment-pending: AWS extends a block only if it is active or scheduled"),
        ("cancelled", ENDS, "is cancelled: AWS extends a block only if it is active or scheduled. `planner leave"),
    ],
)
def test_a_block_that_aws_does_not_extend_now(cloud, tmp_path, capsys, state, ends, words):
    """No offer is asked for, so nothing can be bought."""
    file = written(tmp_path, stack(ends))
    known(cloud, state=state, ends=ends)
    assert ran(file, "--days", "1", "--accept-usd", "4531.20") == 10
    error = said(capsys)
    assert words in error
    assert error.endswith("nothing bought")
    cloud.done()


def test_a_block_that_has_not_begun_may_be_extended(cloud, file):
    known(cloud, state="scheduled")
    offered(cloud, ONE_DAY)
    assert ran(file, "--days", "1", "--dry-run") == 0
    cloud.done()


class TestTwice:
    """The same command again, in each state of the first purchase."""

    BUY = ("--days", "1", "--accept-usd", "4531.20")

    def test_while_the_payment_is_pending_it_buys_nothing(self, cloud, file, capsys):
        before = file.read_bytes()
        known(cloud, extension(ONE_DAY, "payment-pending", NOW))
        assert ran(file, *self.BUY) == 10
        error = said(capsys)
        assert f"{ID} was extended by 1 day on {NOW:%Y-%m-%d %H:%M} UTC for $4,531.20: payment-pending" in error
        assert f"if it is not by {NOW + timedelta(hours=12):%Y-%m-%d %H:%M} UTC" in error
        assert "nothing bought. Run the command again then" in error
        assert file.read_bytes() == before
        cloud.done()

    @pytest.mark.parametrize("moved", [True, False])
    def test_once_it_is_paid_it_writes_the_new_end_and_buys_nothing(self, cloud, file, capsys, moved):
        """Also where the reservation has not got its new end yet."""
        later = ENDS + timedelta(days=1)
        known(cloud, extension(ONE_DAY, "payment-succeeded", NOW), ends=later if moved else ENDS)
        assert ran(file, *self.BUY) == 0
        assert read(file) == stack(later)
        found = capsys.readouterr()
        assert found.out == f"{ID}\n"
        assert f"the stack file has {timestamp_text(ENDS)}: nothing bought" in " ".join(found.err.split())
        cloud.done()

    def test_a_script_that_runs_once_more_is_told_and_buys_nothing(self, cloud, tmp_path, capsys):
        later = ENDS + timedelta(days=1)
        file = written(tmp_path, stack(later))
        known(cloud, extension(ONE_DAY, "payment-succeeded", NOW), ends=later)
        offered(cloud, extension_offering(later, 1, number=2))
        assert ran(file, *self.BUY) == 10
        error = said(capsys)
        assert "was extended by 1 day" in error
        assert f"{ID} was extended before: nothing bought. To extend it again, name the offer: --offering cbe-" in error
        cloud.done()

    def test_a_second_extension_names_its_offer(self, cloud, tmp_path):
        later = ENDS + timedelta(days=1)
        again = extension_offering(later, 1, number=2)
        file = written(tmp_path, stack(later))
        known(cloud, extension(ONE_DAY, "payment-succeeded", NOW), ends=later)
        offered(cloud, again)
        offered(cloud, again)
        purchase(cloud, again, "payment-succeeded")
        assert ran(file, *self.BUY, "--offering", again["CapacityBlockExtensionOfferingId"]) == 0
        assert read(file) == stack(later + timedelta(days=1))
        cloud.done()

    def test_after_a_payment_that_failed_the_same_command_buys(self, cloud, file, capsys):
        known(cloud, extension(ONE_DAY, "payment-failed", NOW - timedelta(hours=13)))
        offered(cloud, ONE_DAY)
        offered(cloud, ONE_DAY)
        purchase(cloud, ONE_DAY)
        assert ran(file, *self.BUY) == 0
        assert "its payment failed, so it adds nothing" in said(capsys)
        cloud.done()


@pytest.mark.parametrize(
    ("code", "exit_code", "words"),
    [
        ("RequestLimitExceeded", 4, "Nothing bought. AWS limits how often it is called. Wait a minute"),
        ("UnsupportedOperation", 4, "Nothing bought. AWS does not extend this block"),
        ("InvalidParameterValue", 4, "Nothing bought. The offer or the block has changed"),
        ("UnauthorizedOperation", 3, "AWS refuses offers to extend cr-0abcdef0123456789: UnauthorizedOperation"),
    ],
)
def test_what_aws_answers_instead_of_offers(cloud, file, capsys, code, exit_code, words):
    known(cloud)
    cloud.stub("ec2").add_client_error("describe_capacity_block_extension_offerings", code, "no", 400)
    assert ran(file, "--days", "1", "--accept-usd", "4531.20") == exit_code
    error = said(capsys)
    assert words in error
    assert "infra/deployer-policy-*.json lists what it needs" in error or exit_code == 4
    cloud.done()


@pytest.mark.parametrize(
    ("code", "status", "exit_code", "words"),
    [
        ("RequestLimitExceeded", 503, 4, "Nothing bought. AWS limits how often it is called"),
        ("UnsupportedOperation", 400, 4, "Nothing bought. AWS does not extend this block"),
        ("InvalidOfferingId.NotFound", 400, 4, "Nothing bought. The offer or the block has changed"),
        ("UnauthorizedOperation", 403, 3, "AWS refuses the extension of cr-0abcdef0123456789"),
        (
            "InternalError",
            500,
            4,
            "The purchase may have succeeded. `aws ec2 describe-capacity-block-",
        ),
    ],
)
def test_what_aws_answers_instead_of_a_purchase(cloud, file, capsys, code, status, exit_code, words):
    before = file.read_bytes()
    known(cloud)
    offered(cloud, ONE_DAY)
    offered(cloud, ONE_DAY)
    cloud.stub("ec2").add_client_error("purchase_capacity_block_extension", code, "no", status)
    assert ran(file, "--days", "1", "--accept-usd", "4531.20") == exit_code
    assert words in said(capsys)
    assert file.read_bytes() == before
    cloud.done()


def test_a_purchase_that_is_not_answered_says_how_to_find_out(cloud, file, capsys):
    known(cloud)
    offered(cloud, ONE_DAY)
    offered(cloud, ONE_DAY)
    events = cloud.stub("ec2").client.meta.events

    def cut(**_: object) -> None:
        raise ReadTimeoutError(endpoint_url="https://ec2.us-east-1.amazonaws.com")

    events.register("before-parameter-build.ec2.PurchaseCapacityBlockExtension", cut)
    assert ran(file, "--days", "1", "--accept-usd", "4531.20") == 4
    assert "The purchase may have succeeded. `aws ec2 describe-capacity-block-extension-history" in said(capsys)


def test_a_block_that_the_account_does_not_have(cloud, file, capsys):
    ec2 = cloud.stub("ec2")
    ec2.add_client_error("describe_capacity_reservations", "InvalidCapacityReservationId.NotFound", "no such id", 400)
    assert ran(file, "--days", "1") == 4
    error = said(capsys)
    assert f"Capacity Block {ID}: InvalidCapacityReservationId.NotFound" in error
    assert "`aws sts get-caller-identity` shows the account" in error


def test_a_block_that_aws_does_not_list(cloud, file, capsys):
    cloud.stub("ec2").add_response("describe_capacity_reservations", {"CapacityReservations": []}, None)
    assert ran(file, "--days", "1") == 4
    assert f"AWS lists no Capacity Block {ID}" in said(capsys)


def test_of_two_blocks_the_one_that_ends_first_is_extended(cloud, tmp_path):
    """The first waits for its payment, so it ends last."""
    further = Block(nodes=2, reservation_id=SECOND, ends=timestamp_text(ENDS))
    spec = stack(further_blocks=(further,))
    file = written(tmp_path, replace(spec, fleet=replace(spec.fleet, nodes=6)))
    second = reservation(CapacityReservationId=SECOND, TotalInstanceCount=2, EndDate=ENDS, State="active")
    known(cloud, extension(ONE_DAY, "payment-pending", NOW), also=(second,))
    offered(cloud, ONE_DAY, id=SECOND)
    offered(cloud, ONE_DAY, id=SECOND)
    purchase(cloud, ONE_DAY, "payment-succeeded", id=SECOND)
    assert ran(file, "--days", "1", "--accept-usd", "4531.20") == 0
    assert [one.ends for one in read(file).blocks] == [
        timestamp_text(ENDS),
        timestamp_text(ENDS + timedelta(days=1)),
    ]
    cloud.done()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--days", "15"), "beyond 14 days AWS sells whole weeks"),
        (("--nodes", "8"), "--extend keeps the nodes and the zone"),
        (("--zone-id", "use1-az4"), "--extend keeps the nodes and the zone"),
        (("--capacity-reservation",), "--extend keeps the nodes and the zone"),
    ],
)
def test_words_that_do_not_go_together(cloud, file, capsys, words, message):
    assert ran(file, *words) == 2
    assert message in said(capsys)
    cloud.done()


def test_a_stack_without_a_block(cloud, tmp_path, capsys):
    missing = Buying(kind="capacity-block", reservation_id="PLACEHOLDER-reservation", ends="PLACEHOLDER-ends")
    assert ran(written(tmp_path, replace(stack(), buying=missing))) == 2
    assert "has no Capacity Block that is bought; `planner reserve` buys one" in said(capsys)
    cloud.done()
