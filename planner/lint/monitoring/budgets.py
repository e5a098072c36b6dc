"""What watches the money: budgets with what they do, notices of anomalies, addresses."""

from __future__ import annotations

from planner.lint.read.graph import Graph
from planner.lint.read.topology import GROUP
from planner.lint.read.values import at, given, literal, many, number, one, texts
from planner.lint.rule import WARNING, Hits, rule

NOTICES = 5  # notifications of one budget
BUDGET, NOTICE = "budgets:Budget", "costexplorer:AnomalySubscription"


@rule(
    "BUDGET-NONE",
    GROUP,
    severity=WARNING,
    what="groups of nodes and no budget",
    why="a fleet that nobody stops is noticed on the monthly bill",
    remedy="a budget at the plan's forecast, with somebody to tell",
    example="a stack with an Auto Scaling group and no Budget",
)
def there_is_a_budget(graph: Graph) -> Hits:
    groups = sorted(graph.of(GROUP), key=lambda group: (-(group.usd_per_hour or 0), group.urn))
    if groups and not graph.of(BUDGET):
        yield groups[0], "", "no budget in the stack"


@rule(
    "BUDGET-LIMIT",
    BUDGET,
    what="a budget that limits nothing or tells nobody",
    why="AWS refuses it, or it never speaks",
    remedy="limitAmount above 0, notifications with a threshold above 0 and somebody to tell",
    example='limitAmount: "0"',
)
def budget_limits(graph: Graph) -> Hits:
    for budget in graph.of(BUDGET):
        value, amount = budget.inputs.get("limitAmount"), number(budget.inputs.get("limitAmount"))
        adjusted = given(budget.inputs.get("autoAdjustData")) or given(budget.inputs.get("plannedLimits"))
        unknown = isinstance(value, str) and given(value) and literal(value) is None
        if not adjusted and not unknown and (amount is None or amount <= 0):
            yield budget, "limitAmount", f"{value!r} is no amount" if amount is None else f"a limit of {amount:g}"
        unit = literal(budget.inputs.get("limitUnit"))
        if budget.inputs.get("budgetType") == "COST" and unit is not None and unit not in ("USD", "CNY"):
            yield budget, "limitUnit", f"{unit!r}: a budget of costs is in USD"
        notices = many(budget.inputs.get("notifications"))
        if not notices and not any(
            graph.target(a.inputs.get("budgetName"), BUDGET) for a in graph.of("budgets:BudgetAction")
        ):
            yield budget, "notifications", "nobody is told"
        if len(notices) > NOTICES:
            yield budget, "notifications", f"{len(notices)} notifications; a budget has {NOTICES} at most"
        for i, notice in enumerate(notices):
            threshold = number(notice.get("threshold"))
            if threshold is not None and threshold <= 0:
                yield budget, f"notifications[{i}].threshold", f"{threshold:g}"
            elif threshold is not None and threshold <= 1 and notice.get("thresholdType") == "PERCENTAGE":
                yield budget, f"notifications[{i}].threshold", f"{threshold:g} % of the budget: 80 means 80 %"
            if not any(given(notice.get(k)) for k in ("subscriberEmailAddresses", "subscriberSnsTopicArns")):
                yield budget, f"notifications[{i}]", "nobody to tell"


@rule(
    "BUDGET-ACTION",
    "budgets:BudgetAction",
    what="an action that does nothing when the budget is passed",
    why="the nodes go on being bought: a notice alone stops nothing, least of all at night",
    remedy="approvalModel AUTOMATIC, a threshold of 100 % or less, a policy and whom it binds",
    example="approvalModel: MANUAL",
)
def budget_acts(graph: Graph) -> Hits:
    for action in graph.of("budgets:BudgetAction"):
        if action.inputs.get("approvalModel") == "MANUAL":
            yield action, "approvalModel", "it waits for somebody to approve"
        threshold = one(action.inputs.get("actionThreshold"))
        value = number(threshold.get("actionThresholdValue"))
        percent = threshold.get("actionThresholdType") == "PERCENTAGE"
        if value is not None and (value <= 0 or (percent and value > 100)):
            yield action, "actionThreshold.actionThresholdValue", f"{value:g}{' %' if percent else ''} of the budget"
        bound = one(at(action.inputs, "definition.iamActionDefinition"))
        if action.inputs.get("actionType") == "APPLY_IAM_POLICY":
            if not any(given(bound.get(key)) for key in ("groups", "roles", "users")):
                yield action, "definition.iamActionDefinition", "it binds nobody"
            if not given(bound.get("policyArn")):
                yield action, "definition.iamActionDefinition.policyArn", "no policy"


@rule(
    "ANOMALY-NOTICE",
    NOTICE,
    what="a notice of anomalies that AWS refuses",
    why="IMMEDIATE goes to SNS only, DAILY and WEEKLY to mail only",
    remedy="SNS with IMMEDIATE, EMAIL with DAILY or WEEKLY",
    example="frequency: IMMEDIATE with an EMAIL subscriber",
)
def notices_fit(graph: Graph) -> Hits:
    for notice in graph.of(NOTICE):
        subscribers = many(notice.inputs.get("subscribers"))
        wanted = {"IMMEDIATE": "SNS", "DAILY": "EMAIL", "WEEKLY": "EMAIL"}.get(str(notice.inputs.get("frequency")))
        if not subscribers:
            yield notice, "subscribers", "nobody is told"
        for i, subscriber in enumerate(subscribers):
            if wanted and subscriber.get("type") in ("SNS", "EMAIL") and subscriber["type"] != wanted:
                message = f"{notice.inputs['frequency']} goes to {wanted}, not {subscriber['type']}"
                yield notice, f"subscribers[{i}].type", message


@rule(
    "NOTIFY-ADDRESS",
    BUDGET,
    NOTICE,
    "sns:TopicSubscription",
    what="an address for notices that is none",
    why="the subscription is refused, or the warnings go nowhere",
    remedy="a mail address that somebody reads",
    example="endpoint: ops",
)
def addresses_are_some(graph: Graph) -> Hits:
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
            yield resource, where, f"{text!r} is no mail address"
