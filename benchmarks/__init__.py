"""Benchmarks: one file an anchor, each figure beside a reference measured in the same run."""
