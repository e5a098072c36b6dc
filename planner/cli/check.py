"""`planner check`: what an AWS account would say to a stack, asked read only before it is deployed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from planner.cli.gates import check_junit
from planner.cli.options import STACK, Asked, common, evidence_options, priced_plan, scenario_option
from planner.cli.output import format_of, room_of, say, write_result
from planner.cli.progress import progress
from planner.cli.stack_shared import deployed
from planner.errors import ExitCode

if TYPE_CHECKING:
    from planner.check.wanted import Wanted
    from planner.stack.spec import ClusterSpec
    from pricing.book import PriceBook


@click.command()
@priced_plan
@scenario_option("The scenario to deploy", default="the stack file's, else best")
@STACK
@click.option("--deployer", metavar="ARN", default="", help="Role or user that deploys. [default: the caller]")
@click.option("--operator", metavar="ARN", default="", help="Role or user that operates the stack.")
@evidence_options("is not known")
@common
def command(
    asked: Asked,
    scenario: str | None,
    stack: str | None,
    deployer: str,
    operator: str,
    strict: bool,
    junit: str | None,
    style: str | None,
    out: str | None,
    color: str,
    quiet: bool,
    debug: bool,
) -> int:
    """Ask AWS about the deployment of one scenario of PLAN: rights, quotas, zone, capacity, images, prices.

    Only calls that read; infra/check-policy.json lists them. The stack file is used where there is one. Each line says
    what was asked, what AWS said, what it costs if ignored and what mends it. What AWS did not answer is "not known".
    Exits with 13 if something blocks.
    """
    from planner.account import aws_client
    from planner.account.patience import Patience
    from planner.check.calls import asker
    from planner.check.run import check, counts
    from planner.check.written import evidence
    from planner.check.written import junit as as_junit
    from planner.report.terminal.check_text import table

    style = format_of(style, out, ("table", "json"))
    check_junit(junit, out)
    spec, asking = deployed(asked, scenario, stack, quiet)
    wanted = _wanted(spec, asking.book, deployer, operator)
    with progress("Asking AWS", quiet=quiet) as shown:

        def started(part: str) -> None:
            shown.what = f"Asking AWS about {part}"

        ask = asker(aws_client.client, spec.region, Patience(attempts=4, say=lambda text: say(text, quiet)))
        lines = check(wanted, ask, started)
    if style == "json":
        text = evidence(lines, wanted)
    else:
        room = room_of(out, color)
        head = f"Stack {spec.stack}: {spec.scenario} in {spec.region}, asked on {wanted.now:%Y-%m-%d %H:%M} UTC"
        plain = [line.as_json() for line in lines]
        text = table(plain, head, width=room.width, colour=room.colour, quiet=quiet)
    if junit is not None:
        write_result(as_junit(lines, wanted), junit)
    write_result(text, out)
    found = counts(lines)
    return ExitCode.BLOCKER if found["blocks"] or (strict and found["not known"]) else ExitCode.OK


def _wanted(spec: ClusterSpec, book: PriceBook, deployer: str, operator: str) -> Wanted:
    from infra.deployer import SCHEDULER_FILE, policies
    from infra.derived import interfaces_of
    from infra.network import ENDPOINTS
    from infra.nics import addresses_per_node
    from infra.node.built import FOLDER, expected, missing
    from infra.operate import FILE, policy
    from planner.check.wanted import Wanted, types_of
    from planner.stack.spec import is_known

    files = policies()
    buys = any(not is_known(block.reservation_id) for block in spec.blocks)
    unused = {FILE} | ({SCHEDULER_FILE} if spec.scheduler is None else set())
    unused |= set() if buys else {"deployer-policy-reserve.json"}
    needed = [name for name in files if name not in unused]
    each = [(one.most_nodes, interfaces_of(one)) for one in spec.by_type]
    book_usd = {}
    for name in types_of(spec):
        try:
            book_usd[name] = float(book.listed_on_demand(name, spec.region).usd)
        except LookupError:
            continue  # said in the line of that type
    try:
        nat = book.metered("AmazonVPC", "NAT gateway data processed", spec.region).tiers[0].usd
    except LookupError:
        nat = None  # said in the line of a bucket that is elsewhere
    return Wanted(
        spec=spec,
        now=datetime.now(UTC),
        interfaces=sum(nodes * len(found) for nodes, found in each),
        endpoints=ENDPOINTS[: spec.interface_endpoints],
        addresses=sum(nodes * addresses_per_node(found) for nodes, found in each),
        book_usd=book_usd,
        policies={name: files[name] for name in needed},
        operating={FILE: policy(spec.stack)},
        deployer=deployer,
        operator=operator,
        nat_usd_per_gb=nat,
        bundle=missing(expected(), FOLDER) if spec.pool else None,
    )
