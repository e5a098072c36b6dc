"""The default and the maximum number of simulated outcomes. A module of its own, so that `--help` imports no model."""

DEFAULT_DRAWS, MAX_DRAWS = 5000, 1_000_000
DEFAULT_SEED, MAX_SEED = 0, 2**32 - 1
