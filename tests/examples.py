"""The example plans of each kind."""

from __future__ import annotations

from pathlib import Path

EVERY = sorted((Path(__file__).parents[1] / "examples").glob("*.yaml"))
POOLS = [path for path in EVERY if "kind: worker-pool" in path.read_text(encoding="utf-8")]
FLEETS = [path for path in EVERY if "kind: fleet" in path.read_text(encoding="utf-8")]
TRAINING = [path for path in EVERY if path not in POOLS and path not in FLEETS]
COMPARED = [path for path in TRAINING if path.stem != "rehearsal"]  # which asks for one choice alone
