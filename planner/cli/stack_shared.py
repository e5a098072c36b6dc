"""What the verbs of a stack share: where its file is, and a file that somebody named."""

from __future__ import annotations

import sys
from pathlib import Path

from planner.errors import UsageProblem


def project_folder(out: str | None = None) -> Path:
    """Where the stack file belongs: beside the project file, here or above; here where there is none."""
    if out is not None:
        if Path(out).exists() and not Path(out).is_dir():
            raise UsageProblem(f"--out {out!r} is not a folder")
        return Path(out)
    here = Path.cwd()
    found = next((folder for folder in (here, *here.parents) if (folder / "Pulumi.yaml").is_file()), here)
    return Path() if found == here else found


def stack_path(stack: str) -> Path:
    """The file of a stack, beside the project file."""
    from planner.stack.file import name_of

    return project_folder() / name_of(stack)


def text_of(file: str) -> str:
    """The text of a file, or of standard input for `-`. Raises UsageProblem."""
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UsageProblem(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageProblem(f"{file}: not UTF-8 at byte {error.start:,}") from None
