"""Sizes of a Slurm controller by AWS PCS."""

from __future__ import annotations

# AWS PCS API reference, CreateCluster: nodes, login nodes among them
SIZES = {"SMALL": 32, "MEDIUM": 512, "LARGE": 2048}
LOGIN_NODES = 1


def size_of(nodes: int) -> str:
    """The smallest controller for so many GPU nodes with the login node; "" where none is large enough."""
    return next((name for name, most in SIZES.items() if nodes + LOGIN_NODES <= most), "")
