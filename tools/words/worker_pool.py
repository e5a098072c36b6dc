"""The keys of the JSON of a worker pool: `planner compare -f json` and `planner simulate -f json` with such a plan."""

from __future__ import annotations

from tools.words import compare
from tools.words.word import Word, word

USES = {
    "work": "work that is kept",
    "repeated": "work done again after interruptions",
    "loading": "downloads of models and checkpoints",
    "checkpoints": "uploads of checkpoints that work waits for",
    "failed": "jobs until they failed",
    "idle": "nodes without a job",
    "boot": "nodes that boot, where that is billed",
}


def _spread(path: str, unit: str, what: str, over: str = "runs") -> list[Word]:
    """The object of a figure, with its mean and percentiles."""
    return [
        word(path, "object?", f"{what}, over all {over}; null for a choice that cannot be simulated"),
        word(f"{path}.mean", "number?", f"{what}: the mean; null if some never finish", unit),
        word(f"{path}.p10", "number?", f"{what}: 10 % of the {over} are below", unit),
        word(f"{path}.p50", "number?", f"{what}: half of the {over} are below", unit),
        word(f"{path}.p90", "number?", f"{what}: 10 % of the {over} are above; null beyond those that finish", unit),
    ]


# described once, for every kind of plan
SHARED = (
    *("schema_version", "planner", "plan", "prices", "seed", "scenarios[].bill", "unpriced", "assumptions", "notes"),
    *(
        "stale",
        "scenarios[].effort_usd",
        "scenarios[].mean_cost_usd",
        "scenarios[].worst_tenth_usd",
        "scenarios[].finish_fraction",
        "scenarios[].limit_days",
    ),
    *("scenarios[].on_time_fraction", "scenarios[].in_budget_fraction", "scenarios[].cheapest_fraction"),
    "scenarios[].below_best_fraction",
    *("scenarios[].futures", "scenarios[].held_back", "remedies"),
)

KEYS: tuple[Word, ...] = (
    *(one for one in compare.KEYS if one.path.startswith(SHARED)),
    word("kind", "= worker-pool", "the kind of the plan"),
    word("runs", "count", "simulated runs of each choice", "runs"),
    word("jobs", "count", "jobs of the plan", "jobs"),
    word("steps", "count", "steps of one job", "steps"),
    word("answer", "object", "what is recommended"),
    word("answer.recommended", "text?", "id of the recommended choice; null if none is eligible"),
    word("answer.reason", "text", "why, in sentences"),
    word("answer.tied", "texts", "ids of the choices that tie, the recommended one included; empty without a tie"),
    word("answer.alternatives", "objects", "at most two other choices to consider"),
    word("answer.alternatives[].id", "text", "id of the choice"),
    word("answer.alternatives[].kind", "cheaper-if | safest", "cheaper, not eligible or not deployed; or lowest P90"),
    word("scenarios", "objects", "every choice: eligible ones by cost, complete ones, the others"),
    word("scenarios[].id", "text", "workers/NAME/PURCHASE"),
    word("scenarios[].layout", "= workers", "how nodes are held together: each job has one of its own"),
    word("scenarios[].worker", "text", "name of the kind of node, or its instance type"),
    word(
        "scenarios[].purchase",
        "list | spot | on-demand | spot-fallback",
        "how nodes are bought; list: at the plan's own price list; spot-fallback: spot, then On-Demand",
    ),
    word("scenarios[].gpu", "text", "kind of GPU"),
    word("scenarios[].feasible", "flag", "whether it could be simulated"),
    word("scenarios[].why_not", "texts", "why it could not be simulated; empty if it could"),
    word("scenarios[].complete", "flag", "whether everything on its bill has a price; else its cost is a lower bound"),
    word("scenarios[].eligible", "flag", "whether it may be recommended"),
    word("scenarios[].why_not_eligible", "texts", "reasons; empty if it is eligible"),
    *_spread("scenarios[].days", "days", "time until the last job ends"),
    word("scenarios[].days.plan", "number?", "the mean; null if some never finish", "days"),
    *_spread("scenarios[].cost_usd", "USD before tax", "cost of all jobs"),
    word("scenarios[].cost_usd.plan", "number?", "the sum of the bill, which is the mean", "USD before tax"),
    *_spread("scenarios[].usd_per_useful_gpu_hour", "USD/h", "cost by GPU-hours of work that is kept"),
    word("scenarios[].goodput", "object?", "what becomes of node hours; null for a choice that cannot be simulated"),
    word("scenarios[].goodput.scaling_efficiency", "number", "1: jobs do not depend on each other", "fraction"),
    word(
        "scenarios[].goodput.input_fraction", "number", "without downloads and uploads that work waits for", "fraction"
    ),
    word(
        "scenarios[].goodput.availability_fraction",
        "number",
        "without repeated, failed, idle and boot hours",
        "fraction",
    ),
    word("scenarios[].goodput.useful_fraction", "number", "work that is kept, by hours that are paid", "fraction"),
    *_spread("scenarios[].usd_per_job", "USD before tax", "cost of all jobs by jobs that ended"),
    *_spread("scenarios[].usd_per_step", "USD before tax", "cost of a job by its steps"),
    *_spread("scenarios[].usd_per_node_hour", "USD/h", "price of a node"),
    *_spread("scenarios[].dead_letters", "jobs", "jobs that failed for good"),
    *_spread("scenarios[].queue_wait_hours", "h", "wait of a job before its first start", "jobs"),
    *_spread("scenarios[].job_node_hours", "h", "time on nodes of a job that ended", "jobs"),
    *_spread("scenarios[].job_billed_usd", "USD before tax", "time on nodes of a job x price", "jobs"),
    *_spread(
        "scenarios[].loss_per_interruption_minutes",
        "min",
        "from a job's last checkpoint until it is there again on another node",
        "interruptions",
    ),
    word("scenarios[].interruptions_per_job", "number", "mean number of interruptions of a job", "events"),
    word("scenarios[].interrupted_job_fraction", "fraction", "share of the jobs with at least one", "fraction"),
    word("scenarios[].nodes_lost", "number", "mean number of interrupted nodes in a run", "nodes"),
    word("scenarios[].nodes_replaced", "number", "mean number of nodes replaced by the bad-node rule", "nodes"),
    word("scenarios[].most_nodes", "count", "most nodes at a time in any run", "nodes"),
    word("scenarios[].events", "count", "events of all runs", "events"),
    word("scenarios[].utilisation", "object?", "what paid node hours were used for; null if not simulated"),
    *(
        one
        for name, what in USES.items()
        for one in _spread(f"scenarios[].utilisation.{name}", "fraction", f"share of paid node hours: {what}")
    ),
    word("scenarios[].bill[].what", "text", "what is paid for"),
    word("scenarios[].one_job_alone", "object?", "one job with a node always at hand; null if not simulated"),
    word("scenarios[].one_job_alone.uninterrupted_hours", "number", "without any interruption", "h"),
    word(
        "scenarios[].one_job_alone.mean_hours_between_interruptions",
        "number?",
        "of its node; null if the rate is not constant",
        "h",
    ),
    word("scenarios[].one_job_alone.closed_form_hours", "number?", "expected hours on nodes by equation G32", "h"),
    *_spread("scenarios[].one_job_alone.sampled_hours", "h", "the same, drawn", "draws"),
    word("scenarios[].interrupted_job", "object?", "the most interrupted job of all runs; null if there is none"),
    word("scenarios[].interrupted_job.job", "count", "its place in the queue, from 0"),
    word("scenarios[].interrupted_job.run", "count", "the run, from 0"),
    word("scenarios[].interrupted_job.queue_wait_hours", "number", "before its first start", "h"),
    word("scenarios[].interrupted_job.interruptions", "count", "how often it was interrupted", "events"),
    word("scenarios[].interrupted_job.billed_usd", "number?", "its time on nodes x price", "USD before tax"),
    word("scenarios[].interrupted_job.attempts", "objects", "its starts, in order"),
    word("scenarios[].interrupted_job.attempts[].node", "count", "number of the node, from 0"),
    word("scenarios[].interrupted_job.attempts[].start_hours", "number", "since the submission", "h"),
    word("scenarios[].interrupted_job.attempts[].end_hours", "number", "since the submission", "h"),
    word("scenarios[].interrupted_job.attempts[].how", "done | interrupted | failed", "how it ended"),
    word("scenarios[].interrupted_job.attempts[].load_hours", "number", "downloads", "h"),
    word("scenarios[].interrupted_job.attempts[].kept_hours", "number", "until its last checkpoint", "h"),
    word("scenarios[].interrupted_job.attempts[].lost_hours", "number", "work after it, which is done again", "h"),
)
