"""Which program gave a figure: a hash that changes with the model, with nothing else, and stands in every document."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planner import __version__
from planner.report.data import comparison_json, provenance
from planner.report.diff.comparisons import changes
from tests.report.other_documents import diffs, explanations, sensitivities
from tests.report.scenes import small

pytestmark = pytest.mark.xdist_group("documents")  # all of them are made once
FILES = {
    "planner/models/goodput.py": "a = 1\n",
    "planner/plan/assumptions.csv": "key,value\n",
    "pricing/book.py": "b = 2\n",
    "planner/report/wording/figures.py": "c = 3\n",
    "planner/plan/schema.json": "{}\n",
    "planner/models/__pycache__/goodput.pyc": "d",
}


def hash_of(folder: Path, files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    monkeypatch.setattr(provenance, "TOP", folder)
    return provenance.model_sha256.__wrapped__()


def test_the_hash_is_of_the_model_s_source_alone(tmp_path, monkeypatch):
    base = hash_of(tmp_path / "base", FILES, monkeypatch)
    assert hash_of(tmp_path / "again", FILES, monkeypatch) == base
    windows = {name: text.replace("\n", "\r\n") for name, text in FILES.items()}
    assert hash_of(tmp_path / "windows", windows, monkeypatch) == base
    for number, name in enumerate(FILES):
        other = hash_of(tmp_path / str(number), FILES | {name: "other"}, monkeypatch)
        assert (other == base) is (name.split("/")[1] == "report" or not name.endswith((".py", ".csv"))), name
    moved = {name.replace("goodput", "badput"): text for name, text in FILES.items()}
    assert hash_of(tmp_path / "moved", moved, monkeypatch) != base


def test_what_it_is_made_of_is_there():
    for pattern in provenance.MODEL:
        assert any(path.suffix == ".py" for path in provenance.TOP.glob(pattern)), pattern


@pytest.mark.thorough
def test_every_document_says_which_program_wrote_it():
    written = {"version": __version__, "model_sha256": provenance.model_sha256()}
    for document in (comparison_json.document(small()), *sensitivities(), *explanations(), *diffs()):
        assert document["planner"] == written


def test_a_difference_tells_a_changed_model_from_a_changed_plan():
    def notes(*, before: str | None, after: str | None) -> list[str]:
        sides = []
        for model in (before, after):
            side = json.loads(comparison_json.render(small()))
            side.pop("planner")
            sides.append(side | ({"planner": {"version": "0.1.0", "model_sha256": model}} if model else {}))
        found = changes(*sides)
        assert (found.before.model_sha256, found.after.model_sha256) == (before, after)
        assert not found.different
        return [note for note in found.notes if "model" in note]

    one, other = "1" * 64, "2" * 64
    assert notes(before=one, after=one) == notes(before=None, after=None) == []
    assert notes(before=one, after=other) == [
        "the models differ, which may explain some of the changes: "
        f"planner 0.1.0, model {one[:12]}; then planner 0.1.0, model {other[:12]}"
    ]
    assert notes(before=None, after=other) == [
        "before does not say which model calculated it: changes may come from another model"
    ]
