"""All faults that are known, by name."""

from __future__ import annotations

from tests.pool import faults_of_bytes, faults_of_control, faults_of_grey, faults_of_nodes, faults_of_s3
from tests.pool.fault import FAULTS, Fault

__all__ = [
    "FAULTS",
    "Fault",
    "faults_of_bytes",
    "faults_of_control",
    "faults_of_grey",
    "faults_of_nodes",
    "faults_of_s3",
]
