"""A toy kind of plan: a machine for some hours that are not known exactly. It has every part that a verb asks for."""

from planner.kinds.kind import Kind

KIND = Kind(
    name="toy",
    title="a toy plan",
    package="tests.kinds.toy",
    refused={"quote": "quote compares training runs", "report --bill": "a toy has no bill of AWS"},
)
