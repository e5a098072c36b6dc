"""Quantiles of Student's t: how far from its estimate a quantity may be that was estimated from few rows."""

from __future__ import annotations

from planner.models.values import Z_95

# 95th percentile with 1 to 10 degrees of freedom; any table of the distribution
_FEW = (6.3138, 2.9200, 2.3534, 2.1318, 2.0150, 1.9432, 1.8946, 1.8595, 1.8331, 1.8125)


def student_t_95(degrees_of_freedom: int) -> float:
    """The 95th percentile; beyond ten degrees of freedom by Fisher's expansion, right to four digits."""
    if 1 <= degrees_of_freedom <= len(_FEW):
        return _FEW[degrees_of_freedom - 1]
    z, n = Z_95, float(degrees_of_freedom)
    first = (z**3 + z) / (4 * n)
    second = (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    return z + first + second + third
