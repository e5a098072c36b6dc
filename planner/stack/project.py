"""The files that make a folder a Pulumi project of this program: a stack file alone cannot be deployed."""

from __future__ import annotations

from pathlib import Path

from planner.errors import UsageProblem
from planner.stack.file import PROJECT, write

PROJECT_FILE = "Pulumi.yaml"
FILES = {
    PROJECT_FILE: f"""name: {PROJECT}
description: A GPU fleet on AWS. `planner stack PLAN` writes Pulumi.STACK.yaml.
# Pulumi runs the python3 on PATH: activate the environment in which the planner and its extra `deploy` are installed,
# or name it here with `options: {{virtualenv: FOLDER}}`.
runtime: python
main: program/
""",
    "program/__main__.py": '''"""What `pulumi up` runs: the program that the planner brings, over the stack file."""

from infra.__main__ import main

main()
''',
}


def write_missing(folder: Path) -> tuple[str, ...]:
    """Makes a folder a project where it is none, and names the files that were written. Raises UsageProblem."""
    if (folder / PROJECT_FILE).exists():
        return ()
    for name, text in FILES.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageProblem(f"cannot make the folder {path.parent}: {error.strerror}") from None
        write(path, text)
    return tuple(FILES)
