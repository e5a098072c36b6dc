"""A plan out of five answers: what each question means, what it accepts, and the plan that they write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from planner.errors import PlanProblems
from planner.plan.load import LoadedPlan, load_text

# MLPerf Storage v2.0: a checkpoint of 70B parameters has 912 GiB
BYTES_PER_PARAMETER = 14
READS = "read_per_gpu: 20MB/s   # what one GPU reads while it trains: write yours"


@dataclass(frozen=True, kw_only=True)
class Question:
    """key: of the answer. text, default: as asked. changes: what the answer changes in the result. lines: the lines of
    the plan, by section."""

    key: str
    text: str
    default: str
    changes: str
    lines: Callable[[str], Mapping[str, Sequence[str]]]


def _work(answer: str) -> Mapping[str, Sequence[str]]:
    """`7B on 2T tokens`: 6 x parameters x tokens; `4e22 flop`; `38000 gpu-hours`."""
    amount, _, unit = answer.strip().partition(" ")
    parts = answer.replace(" on ", " ").split()
    if len(parts) >= 2 and parts[0][-1:] in "MBT" and parts[1][-1:] in "MBT":
        flop = 6 * _scaled(parts[0]) * _scaled(parts[1])
        checkpoint = BYTES_PER_PARAMETER * _scaled(parts[0]) / 1e9
        return {
            "run": [f"work: {{flop: {flop:g}}}   # 6 x {parts[0]} parameters x {parts[1]} tokens"],
            "data": ["profile: tokens   # how fast a GPU reads", f"checkpoint: {checkpoint:g}GB"],
        }
    if unit.strip().lower() in ("gpu-hours", "gpu hours", "h", "hours"):
        return {"run": [f"work: {{gpu_hours: {float(amount.replace(',', '')):g}}}"], "data": [READS]}
    if unit.strip().lower() in ("flop", "flops"):
        return {"run": [f"work: {{flop: {float(amount):g}}}"], "data": [READS]}
    raise ValueError("write parameters and tokens (7B on 2T tokens), 4e22 flop, or 38000 gpu-hours")


def _scaled(text: str) -> float:
    return float(text[:-1]) * {"M": 1e6, "B": 1e9, "T": 1e12}[text[-1]]


def _fleet(answer: str) -> Mapping[str, Sequence[str]]:
    count, _, instance = answer.lower().replace(" x ", " ").strip().partition(" ")
    if not count.isdigit() or not instance:
        raise ValueError("write how many nodes, and of what type: 8 p5.48xlarge")
    return {"fleet": [f"instance_types: [{instance.strip()}]", f"nodes: {count}"]}


QUESTIONS = (
    Question(
        key="work",
        text="What do you train (parameters and tokens, FLOP or GPU-hours)?",
        default="7B on 1T tokens",
        changes="the hours that are paid: twice the work is about twice the cost",
        lines=_work,
    ),
    Question(
        key="fleet",
        text="On which GPU nodes, and how many?",
        default="16 p5.48xlarge",
        changes="the price of an hour and the days; `planner optimize` finds the best count",
        lines=_fleet,
    ),
    Question(
        key="data",
        text="How much data does training read?",
        default="8TB",
        changes="which storage layouts fit, and what they cost",
        lines=lambda answer: {"data": [f"hot_dataset: {answer}"]},
    ),
    Question(
        key="deadline",
        text="By when must it be done, from its start?",
        default="60d",
        changes="which choices are recommended: those that are late in more than 1 of 10 outcomes are not",
        lines=lambda answer: {"run": [f"deadline: {answer}"]},
    ),
    Question(
        key="region",
        text="In which AWS Region?",
        default="us-east-1",
        changes="all prices; only us-east-1 has nearly every one",
        lines=lambda answer: {"": [f"region: {answer}"]},
    ),
)


def plan_of(answers: Mapping[str, str], *, schema: str) -> str:
    """The text of the plan of these answers; of a question without one, its default. Raises ValueError."""
    sections: dict[str, list[str]] = {
        "": ["apiVersion: planner/v1", "name: my-run"],
        "run": [],
        "data": [],
        "fleet": [],
    }
    for question in QUESTIONS:
        for section, lines in question.lines(answers.get(question.key) or question.default).items():
            sections[section] += lines
    sections["data"].append("shard: 100MB")
    text = f"# yaml-language-server: $schema={schema}\n"
    text += "# Written by `planner init --ask`. `planner init -` shows every key.\n"
    for section, lines in sections.items():
        text += f"{section}:\n" if section else ""
        text += "".join(f"{'  ' if section else ''}{line}\n" for line in lines)
    return text


def problem_of(
    question: Question, answer: str, before: Mapping[str, str], check: Callable[[LoadedPlan], object]
) -> str:
    """What is wrong with an answer, after those before it; "" for nothing. check: raises PlanProblems for what the
    price book does not know."""
    try:
        if len(answer.splitlines()) > 1 or set(answer) & set("#{}[]:&*!|>'\"%@`"):
            raise ValueError("write it without quotes, brackets and colons")
        check(load_text(plan_of({**before, question.key: answer}, schema=""), where="answer"))
    except PlanProblems as found:
        return "; ".join(f"{one.message}{f' ({one.remedy})' if one.remedy else ''}" for one in found.problems)
    except (ValueError, KeyError) as error:
        return str(error)
    return ""
