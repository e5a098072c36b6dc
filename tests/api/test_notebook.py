"""The example notebook runs from top to bottom, and what it shows is what the package says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.typed import ROOT

nbformat = pytest.importorskip("nbformat", reason="needs nbclient: make .venv/.dev")
nbclient = pytest.importorskip("nbclient", reason="needs nbclient: make .venv/.dev")
pytest.importorskip("ipykernel", reason="needs ipykernel: make .venv/.dev")

NOTEBOOK = ROOT / "examples" / "notebook.ipynb"


def test_it_is_stored_without_results():
    stored = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(stored)
    assert not any(cell.get("outputs") for cell in stored.cells)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::RuntimeWarning")
def test_every_cell_runs_and_shows_a_table_where_it_should(tmp_path: Path):
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(NOTEBOOK.parent)}}
    )
    client.execute()
    shown = {
        cell.source.splitlines()[-1]: output.data
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "execute_result"
    }
    assert "recommended: " in shown["comparison"]["text/html"]
    assert "storage.s3.standard" in shown["best.bill"]["text/html"]
    search = next(data for line, data in shown.items() if line.startswith("planner.optimize"))
    assert "evaluated" in search["text/html"]
    assert "what its cost depends on" in shown['planner.sensitivity(comparison, "best")']["text/html"]
    assert "<table>" in shown["planner.diff(comparison, doubled)"]["text/html"]
