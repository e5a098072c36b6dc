"""What is paid when, as planned, and how much of the budget is for outcomes that go worse."""

from __future__ import annotations

import math
from collections.abc import Sequence

from planner.estimate.result import Scenario
from planner.models.bill_lines import BLOCK_MORE, COMPUTE_FALLBACK
from planner.report.wording import block, figures, rounding

MONTHLY = "monthly"  # the bill of AWS
OF_THE_BILLS = ", on the monthly bills"
MOST = 6  # payments that are named
MOST_ROUNDED = 0.02  # of a payment, so that all add up as printed


def sentences(best: Scenario) -> tuple[str, ...]:
    """Each payment with its day; what the block's extension costs; what of the budget is left for worse outcomes."""
    tail = block.more_cash(best.block_plan) if best.block_plan else ""
    # a run that is planned to outlast its block has that in its monthly bill; the extension, or what replaces it, is
    # said by itself
    beyond = sum(line.effective_cost for line in best.bill if line.line == COMPUTE_FALLBACK) if tail else 0.0
    listed = [entry for entry in best.cash if not (tail and entry.derivation == BLOCK_MORE)]
    due = [(entry, entry.usd - (beyond if entry.due == MONTHLY else 0.0)) for entry in listed]
    usd = _payments([part for _, part in due], [entry.due == MONTHLY for entry, _ in due])
    when = ["on monthly bills" if entry.due == MONTHLY else block.due(best, entry) for entry in listed]
    said = [
        f"{day}: {part}, {entry.what.removesuffix(OF_THE_BILLS)}"
        for day, part, entry in zip(when, usd, listed, strict=True)
    ][:MOST]
    left = len(listed) - MOST
    more = [f"and {figures.many(left, 'later payment')}"] if left > 0 else []
    return (*said, *more, *filter(None, [tail, _rest(best, math.fsum(part for _, part in due), tail)]))


def _payments(parts: Sequence[float], monthly: Sequence[bool]) -> list[str]:
    """Each payment as it is printed elsewhere; the largest monthly one is what is left of the printed total."""
    total = rounding.printed(math.fsum(parts), figures.dollars)
    shown = [rounding.printed(part, figures.dollars) for part in parts]
    rest = max(range(len(parts)), key=lambda at: (monthly[at], parts[at]))
    left = total - math.fsum(shown) + shown[rest]
    if abs(left - parts[rest]) > MOST_ROUNDED * parts[rest]:
        return [figures.usd(part) for part in parts]
    return [rounding.exactly(left) if at == rest else figures.usd(part) for at, part in enumerate(parts)]


def _rest(best: Scenario, listed_usd: float, tail: str) -> str:
    """What of the budget is beyond the payments that are listed: without a word of it they seem to miss a part."""
    cost = best.cost_usd
    if cost is None or math.isinf(cost.p90) or rounding.apart(listed_usd, cost.p90) <= 0:
        return ""
    more, part = rounding.usd_apart(listed_usd, cost.p90), "; the extension is a part of it" if tail else ""
    return f"in reserve: {more} of the budget, for a run that takes longer or is interrupted more often{part}"
