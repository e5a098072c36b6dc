"""Budgets, budget actions, cost anomaly subscriptions, and email addresses."""

from __future__ import annotations

from planner.lint.read.graph import Graph
from planner.lint.read.topology import GROUP
from planner.lint.read.values import at, given, literal, many, number, one, texts
from planner.lint.rule import WARNING, Hits, rule

NOTICES = 5  # allowed notifications of one budget
BUDGET, NOTICE = "budgets:Budget", "costexplorer:AnomalySubscription"


@rule(
    "BUDGET-NONE",
    GROUP,
    severity=WARNING,
    what="Auto Scaling groups without a budget",
    why="A fleet that keeps running is noticed only on the monthly bill",
    remedy="Add a budget at the plan's forecast, with someone to notify",
    example="a stack with an Auto Scaling group and no Budget",
)
def no_budget(graph: Graph) -> Hits:
    groups = sorted(graph.of(GROUP), key=lambda group: (-(group.usd_per_hour or 0), group.urn))
    if groups and not graph.of(BUDGET):
        yield groups[0], "", "no budget in the stack"


@rule(
    "BUDGET-LIMIT",
    BUDGET,
    what="a budget without a limit or without anyone to notify",
    why="AWS rejects the budget, or it never sends a notification",
    remedy="Set limitAmount above 0, and notifications with a threshold above 0 and a subscriber",
    example='limitAmount: "0"',
)
def budget_without_limit(graph: Graph) -> Hits:
    for budget in graph.of(BUDGET):
        value, amount = budget.inputs.get("limitAmount"), number(budget.inputs.get("limitAmount"))
        adjusted = given(budget.inputs.get("autoAdjustData")) or given(budget.inputs.get("plannedLimits"))
        unknown = isinstance(value, str) and given(value) and literal(value) is None
        if not adjusted and not unknown and (amount is None or amount <= 0):
            yield budget, "limitAmount", f"{value!r} is not an amount" if amount is None else f"a limit of {amount:g}"
        unit = literal(budget.inputs.get("limitUnit"))
        if budget.inputs.get("budgetType") == "COST" and unit is not None and unit not in ("USD", "CNY"):
            yield budget, "limitUnit", f"{unit!r}: a cost budget is in USD"
        notices = many(budget.inputs.get("notifications"))
        if not notices and not any(
            graph.target(a.inputs.get("budgetName"), BUDGET) for a in graph.of("budgets:BudgetAction")
        ):
            yield budget, "notifications", "nobody is notified"
        if len(notices) > NOTICES:
            yield budget, "notifications", f"{len(notices)} notifications; allowed: {NOTICES}"
        for i, notice in enumerate(notices):
            threshold = number(notice.get("threshold"))
            if threshold is not None and threshold <= 0:
                yield budget, f"notifications[{i}].threshold", f"{threshold:g}"
            elif threshold is not None and threshold <= 1 and notice.get("thresholdType") == "PERCENTAGE":
                yield (
                    budget,
                    f"notifications[{i}].threshold",
                    f"{threshold:g} means {threshold:g} % of the budget; write 80 for 80 %",
                )
            if not any(given(notice.get(k)) for k in ("subscriberEmailAddresses", "subscriberSnsTopicArns")):
                yield budget, f"notifications[{i}]", "a notification without a subscriber"


@rule(
    "BUDGET-ACTION",
    "budgets:BudgetAction",
    what="a budget action that does nothing",
    why="Nodes keep starting after the budget is exceeded: a notification alone stops nothing, least of all at night",
    remedy="Set approvalModel: AUTOMATIC, a threshold of at most 100 %, a policy, and the groups or roles it "
    "applies to",
    example="approvalModel: MANUAL",
)
def budget_action_has_no_effect(graph: Graph) -> Hits:
    for action in graph.of("budgets:BudgetAction"):
        if action.inputs.get("approvalModel") == "MANUAL":
            yield action, "approvalModel", "the action waits for someone to approve it"
        threshold = one(action.inputs.get("actionThreshold"))
        value = number(threshold.get("actionThresholdValue"))
        percent = threshold.get("actionThresholdType") == "PERCENTAGE"
        if value is not None and (value <= 0 or (percent and value > 100)):
            yield action, "actionThreshold.actionThresholdValue", f"threshold {value:g}{' %' if percent else ''}"
        bound = one(at(action.inputs, "definition.iamActionDefinition"))
        if action.inputs.get("actionType") == "APPLY_IAM_POLICY":
            if not any(given(bound.get(key)) for key in ("groups", "roles", "users")):
                yield action, "definition.iamActionDefinition", "applies to no group, role or user"
            if not given(bound.get("policyArn")):
                yield action, "definition.iamActionDefinition.policyArn", "no policy is attached"


@rule(
    "ANOMALY-NOTICE",
    NOTICE,
    what="an invalid cost anomaly subscription",
    why="AWS rejects the subscription: IMMEDIATE works with SNS only, DAILY and WEEKLY with email only",
    remedy="Use SNS with IMMEDIATE, or EMAIL with DAILY or WEEKLY",
    example="frequency: IMMEDIATE with an EMAIL subscriber",
)
def invalid_anomaly_subscription(graph: Graph) -> Hits:
    for notice in graph.of(NOTICE):
        subscribers = many(notice.inputs.get("subscribers"))
        wanted = {"IMMEDIATE": "SNS", "DAILY": "EMAIL", "WEEKLY": "EMAIL"}.get(str(notice.inputs.get("frequency")))
        if not subscribers:
            yield notice, "subscribers", "nobody is notified"
        for i, subscriber in enumerate(subscribers):
            if wanted and subscriber.get("type") in ("SNS", "EMAIL") and subscriber["type"] != wanted:
                message = f"{notice.inputs['frequency']} needs {wanted}, not {subscriber['type']}"
                yield notice, f"subscribers[{i}].type", message


@rule(
    "NOTIFY-ADDRESS",
    BUDGET,
    NOTICE,
    "sns:TopicSubscription",
    what="an invalid email address for notifications",
    why="AWS rejects the subscription, or nobody gets the notifications",
    remedy="Use an email address that someone reads",
    example="endpoint: ops",
)
def invalid_email_address(graph: Graph) -> Hits:
    found = [
        (s, "endpoint", s.inputs.get("endpoint"))
        for s in graph.of("sns:TopicSubscription")
        if str(s.inputs.get("protocol")).startswith("email")
    ]
    for budget in graph.of(BUDGET):
        for i, block in enumerate(many(budget.inputs.get("notifications"))):
            where = f"notifications[{i}].subscriberEmailAddresses"
            found += [(budget, where, text) for text in texts(block.get("subscriberEmailAddresses"))]
    for notice in graph.of(NOTICE):
        for i, block in enumerate(many(notice.inputs.get("subscribers"))):
            if one(block).get("type") == "EMAIL":
                found.append((notice, f"subscribers[{i}].address", block.get("address")))
    for resource, where, value in found:
        text = literal(value)
        if text is not None and ("@" not in text.strip("@") or any(char.isspace() for char in text)):
            yield resource, where, f"{text!r} is not an email address"
