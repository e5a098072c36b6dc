"""Old import paths, for one release: each loads the module that took its place and says so once.

`planner/__init__.py` asks here for a module that is not found; docs/decisions/0009-rooms.md has the reasons.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {
    "infra.lint": "planner.lint",
    "infra.lint.all": "planner.lint.rules",
    "infra.tier": "infra.data_bucket",
    "planner.account.costs": "planner.account.cost_controls",
    "planner.account.door": "planner.account.aws_client",
    "planner.account.gone": "planner.account.deleted_resources",
    "planner.account.standing": "planner.account.stack_resources",
    "planner.account.stored": "planner.account.bucket_size",
    "planner.account.tagged": "planner.account.tagged_resources",
    "planner.cli.page": "planner.api.page",
    "planner.client": "fleet_pool.client",
    "planner.client.patient": "fleet_pool.client.fallback",
    "planner.decide.alternatives": "planner.decide.variants",
    "planner.decide.bounds": "planner.estimate.bounds",
    "planner.decide.choice": "planner.estimate.choice",
    "planner.decide.defaults": "planner.estimate.defaults",
    "planner.decide.demand": "planner.estimate.demand",
    "planner.decide.derive": "planner.estimate.derivations",
    "planner.decide.evaluate": "planner.decide.enumerate",
    "planner.decide.facts": "planner.estimate.facts",
    "planner.decide.failing": "planner.estimate.interruptions",
    "planner.decide.flips": "planner.decide.break_evens",
    "planner.decide.hopeless": "planner.decide.infeasible",
    "planner.decide.judge": "planner.decide.notices",
    "planner.decide.knobs": "planner.decide.parameters",
    "planner.decide.odds": "planner.decide.probability",
    "planner.decide.outline": "planner.decide.ranking",
    "planner.decide.place": "planner.estimate.place",
    "planner.decide.purchase": "planner.estimate.purchase",
    "planner.decide.rankings": "planner.decide.repricing",
    "planner.decide.reading": "planner.estimate.input",
    "planner.decide.remedy": "planner.decide.relaxations",
    "planner.decide.request": "planner.estimate.request",
    "planner.decide.result": "planner.decide.comparison",
    "planner.decide.run": "planner.estimate.run",
    "planner.decide.scenario": "planner.estimate.scenario",
    "planner.decide.spot": "planner.estimate.spot",
    "planner.decide.throughput": "planner.estimate.throughput",
    "planner.decide.uncertainty": "planner.estimate.ranges",
    "planner.decide.whatif": "planner.decide.what_if",
    "planner.decide.work": "planner.estimate.work",
    "planner.layouts.build": "planner.layouts.registry",
    "planner.layouts.instances": "planner.layouts.shared.instances",
    "planner.layouts.lustre_rates": "planner.layouts.shared.lustre_rates",
    "planner.layouts.lustre_size": "planner.layouts.shared.lustre_size",
    "planner.layouts.network": "planner.layouts.shared.network",
    "planner.layouts.pool": "planner.layouts.shared.pool",
    "planner.layouts.s3": "planner.layouts.shared.s3",
    "planner.layouts.s3_classes": "planner.layouts.shared.s3_classes",
    "planner.plan.say": "planner.plan.messages",
    "planner.pool": "fleet_pool",
    "planner.pool.alerts": "fleet_pool.operate.alerts",
    "planner.pool.buckets": "fleet_pool.operate.buckets",
    "planner.pool.canary": "fleet_pool.operate.canary",
    "planner.pool.capacity": "fleet_pool.operate.capacity",
    "planner.pool.command": "fleet_pool.operate.command",
    "planner.pool.config": "fleet_pool.node.config",
    "planner.pool.drain": "fleet_pool.operate.drain",
    "planner.pool.imds": "fleet_pool.operate.imds",
    "planner.pool.jobs": "fleet_pool.operate.jobs",
    "planner.pool.leave": "fleet_pool.operate.shutdown",
    "planner.pool.members": "fleet_pool.operate.members",
    "planner.pool.node.stray": "fleet_pool.node.rejoin",
    "planner.pool.nodes": "fleet_pool.operate.nodes",
    "planner.pool.notice": "fleet_pool.operate.notice",
    "planner.pool.options": "fleet_pool.operate.options",
    "planner.pool.record": "fleet_pool.compat",
    "planner.pool.s3": "fleet_pool.operate.s3",
    "planner.pool.status": "fleet_pool.operate.status",
    "planner.pool.status_text": "fleet_pool.operate.status_text",
    "planner.pool.table": "fleet_pool.operate.table",
    "planner.pool.verbs_care": "fleet_pool.operate.node_commands",
    "planner.pool.verbs_data": "fleet_pool.operate.bucket_commands",
    "planner.pool.wire": "fleet_pool.http_request",
    "planner.report.answer": "planner.report.wording.answer",
    "planner.report.architecture": "planner.report.pictures.architecture",
    "planner.report.architecture_cards": "planner.report.pictures.architecture_cards",
    "planner.report.as_csv": "planner.report.data.comparison_csv",
    "planner.report.as_diff": "planner.report.terminal.difference_text",
    "planner.report.as_diff_markdown": "planner.report.markdown.difference_markdown",
    "planner.report.as_explain": "planner.report.terminal.explanation_text",
    "planner.report.as_explain_json": "planner.report.data.explanation_json",
    "planner.report.as_findings": "planner.report.terminal.findings_text",
    "planner.report.as_graph": "planner.report.terminal.resources_text",
    "planner.report.as_html": "planner.report.html.page",
    "planner.report.as_json": "planner.report.data.comparison_json",
    "planner.report.as_leftover": "planner.report.terminal.leftovers_text",
    "planner.report.as_markdown": "planner.report.markdown.comparison_markdown",
    "planner.report.as_sensitivity": "planner.report.terminal.sensitivity_text",
    "planner.report.as_table": "planner.report.terminal.comparison_text",
    "planner.report.axis": "planner.report.pictures.axis",
    "planner.report.bill_changes": "planner.report.diff.bills",
    "planner.report.by_hand": "planner.report.wording.commands",
    "planner.report.changes": "planner.report.diff.comparisons",
    "planner.report.chart": "planner.report.pictures.cost_and_time",
    "planner.report.columns": "planner.report.terminal.columns",
    "planner.report.diff_columns": "planner.report.wording.change_columns",
    "planner.report.diff_words": "planner.report.wording.changes",
    "planner.report.difference": "planner.report.diff.differences",
    "planner.report.encoded": "planner.report.data.encoding",
    "planner.report.gathered": "planner.report.data.groups",
    "planner.report.made_by": "planner.report.data.provenance",
    "planner.report.origins": "planner.report.wording.origins",
    "planner.report.page_change": "planner.report.html.what_would_change",
    "planner.report.page_hand": "planner.report.html.calculations",
    "planner.report.page_stack": "planner.report.html.architecture",
    "planner.report.parts": "planner.report.wording.breakdown",
    "planner.report.remarks": "planner.report.wording.notes",
    "planner.report.remedies": "planner.report.wording.relaxations",
    "planner.report.saved": "planner.report.data.saved",
    "planner.report.schemas": "planner.report.data.schemas",
    "planner.report.tornado": "planner.report.pictures.tornado",
    "planner.report.verdict": "planner.report.wording.recommendation",
    "planner.report.what_changes": "planner.report.wording.break_evens",
    "planner.report.words": "planner.report.wording.figures",
    "planner.stack.leftover": "planner.stack.remaining_resources",
    "planner.stack.mapping": "planner.stack.plain_data",
    "planner.stack.moment": "planner.stack.timestamps",
    "planner.stack.placeholder": "planner.stack.placeholders",
    "planner.stack.reserving": "planner.stack.reservations",
    "planner.stack.standing": "planner.stack.deployed_resources",
    "planner.stack.stored": "planner.stack.bucket_costs",
    "planner.stack.window": "planner.stack.run_dates",
}


# names that went to another module while the rest of it stayed
MOVED_NAMES = {
    "planner.models.bill": {
        "planner.models.ledger": ("Ledger", "as_tiers", "blend", "used_tiers", "worst"),
    },
    "planner.models.goodput": {
        "planner.models.interruptions": (
            "mean_wait_hours",
            "no_spare_probability",
            "platform_mtbf",
            "spot_hazard",
            "unheld_hours",
        ),
    },
    "planner.models.metered": {
        "planner.models.tiered_storage": (
            "beyond_tiers",
            "cost_at",
            "storage_cost_curve",
            "tiered_storage",
            "tiered_storage_month",
            "tiered_usd",
        ),
    },
    "planner.plan.types": {
        "planner.plan.training_types": ("Ingest", "Phase", "ThroughputRow", "Work"),
    },
}


def new_name(name: str) -> str | None:
    """Where a module went; None where it did not move. A module below one that moved went with it."""
    parts = name.split(".")
    for end in range(len(parts), 1, -1):
        found = MOVED.get(".".join(parts[:end]))
        if found is not None:
            return ".".join((found, *parts[end:]))
    return None


class _Alias(Loader):
    def __init__(self, name: str) -> None:
        self.name = name

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.name)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the import system has just written the old name over it


def spec_of(name: str) -> ModuleSpec | None:
    """How to import an old path, with a warning; None for a path that never was."""
    found = new_name(name)
    if found is None:
        return None
    warnings.warn(f"{name} is now {found}; the old path goes with the next release", FutureWarning, stacklevel=2)
    return ModuleSpec(name, _Alias(found))


def moved_names(module: str) -> Callable[[str], object]:
    """The `__getattr__` of a module that some of MOVED_NAMES left: each is found at its new place, with a warning."""

    def find(name: str) -> object:
        for home, names in MOVED_NAMES[module].items():
            if name in names:
                message = f"{module}.{name} is now {home}.{name}; the old path goes with the next release"
                warnings.warn(message, FutureWarning, stacklevel=2)
                return getattr(importlib.import_module(home), name)
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return find
