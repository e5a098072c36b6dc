"""Files that are replaced only by complete ones: a full disk or Ctrl-C leaves what was there."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path


def write_whole(path: Path, text: str, *, overwrite: bool = True) -> None:
    """Write text to a file as UTF-8, in one step: a temporary file beside it, synchronized, then renamed.

    An existing file keeps its mode, and a link its target. A device or a pipe is written directly. overwrite: whether a
    file that is there may be replaced. Raises FileExistsError, OSError, and ValueError for a path that cannot be one.
    """
    at = path.resolve() if path.is_symlink() else path
    before = at.stat().st_mode if at.exists() else None
    if before is not None and not stat.S_ISREG(before):
        at.write_text(text, encoding="utf-8", newline="\n")
        return
    if before is not None and not overwrite:
        raise FileExistsError(path)
    temporary = at.with_name(f".planner-{secrets.token_hex(4)}.part")
    # what replaces a private file is never readable by others, not even for a moment
    number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if before is None else 0o600)
    try:
        with open(number, "w", encoding="utf-8", newline="\n") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        if before is not None:
            temporary.chmod(stat.S_IMODE(before))
        if overwrite:
            temporary.replace(at)
        else:
            os.link(temporary, at)  # refuses in one step with the check: of two at once one is told
            temporary.unlink()
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
