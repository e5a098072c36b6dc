"""The lines of an acceptance: each measured value beside the plan's, and the plan again where it misses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from planner.acceptance.found import CHECKPOINT, Found, Part, Rate
from planner.acceptance.knob import knob_of
from planner.acceptance.line import MISS, NOT_MEASURED, PASS, Line
from planner.acceptance.miss import Change, change_of
from planner.acceptance.network import FACTOR, LEAST_OF_LINE, Fabric, fabric_of, time_factor
from planner.acceptance.planned import BOOT, READ, RESTORE, SAVE, Expected, evaluated, expected_of, read_at
from planner.acceptance.words import beside, costs, number
from planner.check.wanted import waiting
from planner.estimate.request import Request
from planner.models.number import median
from planner.stack.spec import ClusterSpec

SWAP = "planner node swap --stack {stack} --node {node}"
SWAP_IN_SLURM = "docs/day-2.md, swap a node: {node}"
END = "aws ec2 terminate-instances with the storage node at {node}: its group launches another"
AGAIN = "planner acceptance, once it can be measured"


@dataclass(frozen=True, kw_only=True)
class Accepted:
    """request, scenario: the plan of what stands."""

    request: Request
    scenario: str
    spec: ClusterSpec
    found: Found


def lines_of(given: Accepted) -> list[Line]:
    """Every line, in the order in which a person would look. Raises LookupError for a scenario that is not there."""
    judge = _Judge(given)
    return [
        judge.ready(),
        judge.slow(),
        *judge.storage(),
        judge.boot(),
        *judge.network(),
    ]


class _Judge:
    def __init__(self, given: Accepted) -> None:
        self.given, self.found = given, given.found
        self.entry = evaluated(given.request, given.scenario)
        self.expected = {one.quantity.id: one for one in expected_of(given.request, self.entry)}
        self.table = given.request.central(recording=False).table

    def ready(self) -> Line:
        found, spec = self.found, self.given.spec
        well, wanted = len(found.nodes) - len(found.not_ready), spec.fleet.nodes
        what = "nodes that are ready"
        if well >= wanted:
            return Line(id="ready", state=PASS, what=what, said=f"{well} of {wanted}", unit="nodes", measured=well)
        wrong = (
            "; ".join(f"{node}: {why}" for node, why in sorted(found.not_ready.items())) or "the others do not stand"
        )
        first = next(iter(sorted(found.not_ready)), "")
        return Line(
            id="ready",
            state=MISS,
            what=what,
            said=f"{well} of {wanted}: {wrong}",
            unit="nodes",
            measured=well,
            planned=wanted,
            means=waiting(spec, well)[1],
            mends=self._swap(first) if first else "",
        )

    def slow(self) -> Line:
        what = "nodes that are as fast as the others"
        slow = {**self.found.slow, **dict.fromkeys(self.found.slow_pairs, "its network, in pairs")}
        if slow:
            said = "; ".join(f"{node} is slow in {where}" for node, where in sorted(slow.items()))
            means = "all nodes wait for a slow one: its cost is in the lines below"
            return Line(id="slow-nodes", state=MISS, what=what, said=said, means=means, mends=self._swap(min(slow)))
        if not self.found.parts:
            return self._not("slow-nodes", what, "bench")
        return Line(id="slow-nodes", state=PASS, what=what, said=f"all {len(self.found.nodes)}")

    def _swap(self, node: str) -> str:
        """How a node is replaced: of the gang, of Slurm's, or of the storage cluster, which is known by its address."""
        spec = self.given.spec
        if spec.scheduler:
            return SWAP_IN_SLURM.format(node=node)
        return (SWAP if node in self.found.nodes or not spec.nvme else END).format(stack=spec.stack, node=node)

    def storage(self) -> Iterator[Line]:
        parts = self.found.parts
        lacking = [] if any(part.name == CHECKPOINT for part in parts) else [SAVE, RESTORE]
        for id in lacking if parts else [READ, *lacking]:
            yield self._not(id, self.expected[id].quantity.what, "bench")
        planned_bytes = median(self.entry.planned.run.demand.object_bytes) if self.entry.planned else 0.0
        for part in parts:
            if part.name == CHECKPOINT:
                cold = "cold" not in self.found.why
                for id, rate in ((SAVE, part.write), *([(RESTORE, part.read)] if cold else [])):
                    line = self._of(self.expected[id], rate.seconds, rate.gb_per_s, _requests(rate))
                    yield self._failed(line, rate)
                if not cold:
                    yield self._not(RESTORE, self.expected[RESTORE].quantity.what, "cold")
                continue
            yield self._failed(
                self._read(part, abs(part.object_bytes / planned_bytes - 1) < 0.5 / planned_bytes),
                part.read,
                part.write,
            )
        if self.given.spec.lustre:
            yield self._files()

    def _read(self, part: Part, as_planned: bool) -> Line:
        """Only objects of the plan's size change its run."""
        rate = part.read
        said = f"{_requests(rate)}; written at {part.write.gb_per_s:.3g} GB/s"
        if as_planned:
            expected = self.expected[READ]
            return replace(self._of(expected, rate.gb_per_s, rate.gb_per_s, said), id=f"read.{part.object_bytes}")
        expected = read_at(self.given.request, self.given.scenario, part.object_bytes)
        line = self._line(expected, rate.gb_per_s, said)
        means = "not the plan's size of objects: it changes nothing of the run" if line.state == MISS else ""
        return replace(line, id=f"read.{part.object_bytes}", means=means)

    def _failed(self, line: Line, *rates: Rate) -> Line:
        """A measurement whose requests failed is a miss, and no value of a plan: its rate is that of the rest."""
        failed = sum(rate.failed for rate in rates)
        if not failed:
            return line
        means = f"{failed:,} requests failed: this is no rate of storage that works"
        mends = (
            "planner pool status" if self.given.spec.pool else "read what the nodes said: -f json, then run it again"
        )
        return replace(line, state=MISS, change=None, assumption="", value=None, means=means, mends=mends)

    def _files(self) -> Line:
        what, rate = "files opened, written, read and removed by all nodes, a second", self.found.files_per_s
        if rate is None:
            return self._not("files", what, "files")
        iops = self.given.spec.lustre.metadata_iops if self.given.spec.lustre else 0
        said = f"{number(rate)}/s; the file system is sized for {iops:,} metadata operations a second"
        return Line(id="files", state=PASS, what=what, said=said, unit="files/s", measured=rate)

    def boot(self) -> Line:
        expected = self.expected[BOOT]
        if self.found.boot_hours is None:
            return self._not(BOOT, expected.quantity.what, BOOT)
        return self._of(expected, self.found.boot_hours, self.found.boot_hours, "")

    def network(self) -> Iterator[Line]:
        fabric = fabric_of(self.entry, self.table)
        if fabric is None:
            return
        what, line_rate = "bus bandwidth of an all-reduce over all nodes", fabric.efa_gb_per_s
        measured = self.found.all_reduce
        if measured is None:
            yield self._not("all-reduce", what, "all-reduce")
        else:
            least = LEAST_OF_LINE * line_rate
            state = PASS if measured >= least else MISS
            said = f"{measured:.3g} GB/s; the line rate is {line_rate:.0f}, and less than {least:.0f} is a miss"
            said += f"; earlier: {self.found.usual}" if self.found.usual else ""
            line = Line(id="all-reduce", state=state, what=what, said=said, unit="GB/s", measured=measured, low=least)
            yield self._slower(line, fabric, least, measured) if state == MISS else line
        tcp = self.found.tcp
        # a rate that was measured beside one that was, and a line rate beside a line rate
        efa, over = (measured or line_rate, tcp) if tcp else (line_rate, fabric.ip_gb_per_s)
        said = f"{over:.3g} GB/s over TCP against {efa:.3g} GB/s over EFA" + (
            "" if tcp else ": line rates, since the gang without EFA was not measured"
        )
        line = Line(id="tcp", state=NOT_MEASURED if tcp is None else PASS, what="price of a fallback to TCP", said=said)
        if tcp is not None and tcp > efa:
            line = replace(line, state=MISS, said=f"{said}: EFA is not in use")
        yield self._slower(replace(line, unit="GB/s", measured=tcp), fabric, efa, over)

    def _slower(self, line: Line, fabric: Fabric, planned: float, measured: float) -> Line:
        """With what the run costs at its slower steps: the higher end, said with the lower one."""
        low, high = (self._at(share, planned, measured) for share in (fabric.low, fabric.high))
        share = f"if between {fabric.low:.0%} and {fabric.high:.0%} of a step waits for the network"
        means = f"{costs(low)} to {costs(high)} over the run, {share}"
        return replace(line, change=high, means=means)

    def _at(self, share: float, planned: float, measured: float) -> Change:
        entry = self.table[FACTOR]
        value = entry.value / max(time_factor(share, planned, measured), 1.0)
        return change_of(self.given.request, self.given.scenario, self.table, FACTOR, max(value, entry.least))

    def _of(self, expected: Expected, measured: float, rate: float, more: str) -> Line:
        """With the assumption that it contradicts, and the run again where it misses. rate: as `knob_of` has it."""
        line = self._line(expected, measured, more)
        knob = knob_of(expected.quantity, self.entry, self.table, rate)
        if knob is None:
            means = (
                "no single assumption of the plan gives this rate: its cost is not known" if line.state == MISS else ""
            )
            return replace(line, means=means)
        key, value = knob
        line = replace(line, assumption=key, value=value)
        if line.state != MISS:
            return line
        change = change_of(self.given.request, self.given.scenario, self.table, key, value)
        return replace(line, change=change, means=f"{costs(change)} over the run")

    def _line(self, expected: Expected, measured: float, more: str) -> Line:
        quantity = expected.quantity
        well = measured >= expected.low if quantity.more_is_better else measured <= expected.high
        said = beside(measured, expected) + (f"; {more}" if more else "")
        return Line(
            id=quantity.id,
            state=PASS if well else MISS,
            what=quantity.what,
            said=said,
            unit=quantity.unit,
            measured=measured,
            low=expected.low,
            planned=expected.planned,
            high=expected.high,
        )

    def _not(self, id: str, what: str, why: str) -> Line:
        said = self.found.why.get(why, "it was not asked for")
        expected = self.expected.get(id)
        line = Line(id=id, state=NOT_MEASURED, what=what, said=said, mends=AGAIN)
        if expected is None:
            return line
        unit = expected.quantity.unit
        return replace(line, unit=unit, low=expected.low, planned=expected.planned, high=expected.high)


def _requests(rate: Rate) -> str:
    failed = f", {rate.failed} failed" if rate.failed else ""
    return f"{number(rate.objects_per_s)} objects/s, p50 {rate.p50_ms:.3g} ms, p99 {rate.p99_ms:.3g} ms{failed}"
