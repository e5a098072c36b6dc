"""How many outcomes a comparison simulates by default, and at most. Apart, so that `--help` loads no model."""

DEFAULT_DRAWS, MAX_DRAWS = 5000, 1_000_000
DEFAULT_SEED, MAX_SEED = 0, 2**32 - 1
