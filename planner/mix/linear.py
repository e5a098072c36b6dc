"""The one door to HiGHS, through highspy: small linear programs that grow by rows."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from planner.errors import UsageProblem
from planner.extras import how_to_install
from planner.mix.model import Array


@contextmanager
def _silent() -> Iterator[None]:
    """Without standard output: from 1.16 HiGHS prints its name when it is first made, before it can be asked not to."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


class Program:
    """Minimise cost . x over bounded columns, with rows >= lower that are added as they are found."""

    def __init__(self, cost: Array, lower: Array, upper: Array) -> None:
        """Raises UsageProblem where highspy is not installed."""
        try:
            import highspy
        except ImportError as missing:
            remedy = how_to_install("mix")
            raise UsageProblem(f"the proof of a mix needs the solver HiGHS, package highspy; {remedy}") from missing
        self._status = highspy.HighsModelStatus.kOptimal
        with _silent():
            self._solver = highspy.Highs()
        self._solver.setOptionValue("output_flag", False)
        nothing = np.array([], dtype=np.int32)
        self._solver.addCols(cost.size, cost, lower, upper, 0, nothing, nothing, np.array([], dtype=np.float64))

    def add(self, lower: float, at: Sequence[int], values: Array) -> None:
        """A row: sum of values x columns >= lower."""
        self._solver.addRow(lower, float("inf"), len(at), np.asarray(at, dtype=np.int32), values)

    def solve(self) -> tuple[float, Array]:
        """The least cost and a point that has it. Raises ArithmeticError where HiGHS finds no optimum."""
        self._solver.run()
        if self._solver.getModelStatus() != self._status:
            raise ArithmeticError(f"HiGHS ended with {self._solver.getModelStatus()}")
        return self._solver.getInfo().objective_function_value, np.array(self._solver.getSolution().col_value)
