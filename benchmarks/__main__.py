"""Run every benchmark: python -m benchmarks."""

from benchmarks import cold_start, draws, many_scenarios

for anchor in (cold_start, draws, many_scenarios):
    print(f"== {anchor.__doc__}")
    print(anchor.main())
    print()
