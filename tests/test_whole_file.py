"""What was written before stays until the new file is complete: on a full disk, at Ctrl-C, beside another writer."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from planner.whole_file import write_whole

ROOT = Path(__file__).parent.parent
OLD = "the page that somebody has signed\n"
VERBS = {
    "report": ("report", "examples/small.yaml", "--no-architecture", "--draws", "200", "-o", "{out}"),
    "sheet": ("report", "examples/small.yaml", "--sheet", "--draws", "200", "-o", "{out}"),
    "compare": ("compare", "examples/small.yaml", "-f", "json", "--draws", "200", "-o", "{out}"),
    "init": ("init", "--force", "{out}"),
}


def limited(size: int, *words: str) -> subprocess.CompletedProcess[str]:
    """The command, where no file can grow beyond `size` bytes, as on a disk that has so many left."""
    code = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}));"
        "from planner.cli.main import run; run()"
    )
    return subprocess.run(
        [sys.executable, "-B", "-c", code, *words], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of a process")
@pytest.mark.parametrize("verb", VERBS)
def test_on_a_full_disk_the_old_file_stays(verb: str, tmp_path: Path) -> None:
    out = tmp_path / ("out.html" if verb in ("report", "sheet") else "out")
    out.write_text(OLD)
    done = limited(1000, *(word.replace("{out}", str(out)) for word in VERBS[verb]))
    assert done.returncode == 2
    assert f"cannot write {out}: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert out.read_text() == OLD
    assert list(tmp_path.iterdir()) == [out]


def test_ctrl_c_while_writing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "plan.yaml"
    out.write_text(OLD)

    def interrupted(number: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(out, "half")
    assert out.read_text() == OLD
    assert list(tmp_path.iterdir()) == [out]


def test_a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    write_whole(tmp_path / "new", "1")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode
    private = tmp_path / "private"
    private.write_text(OLD)
    private.chmod(0o600)
    write_whole(private, "2")
    assert private.stat().st_mode & 0o777 == 0o600


def test_a_link_keeps_its_target_and_a_pipe_is_written_into(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text(OLD)
    link.symlink_to(target)
    write_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    write_whole(Path(os.devnull), "anything")
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize("before", [lambda path: None, lambda path: path.write_text(OLD)])
def test_what_may_not_be_overwritten_is_refused(before: Callable[[Path], object], tmp_path: Path) -> None:
    out = tmp_path / "plan.yaml"
    before(out)
    if out.exists():
        with pytest.raises(FileExistsError):
            write_whole(out, "new", overwrite=False)
        assert out.read_text() == OLD
    else:
        write_whole(out, "new", overwrite=False)
        assert out.read_text() == "new"
    assert list(tmp_path.iterdir()) == [out]
