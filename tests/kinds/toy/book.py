"""Its plan against a price book."""

from planner.errors import PlanProblems


def check_book(loaded, book):
    known = {row["instance_type"] for row in book.rows("on_demand")}
    unknown = [name for name in loaded.plan.types if name not in known]
    if unknown:
        raise PlanProblems((loaded.problem_at(("types",), f"{unknown[0]} has no price", "name another"),))
