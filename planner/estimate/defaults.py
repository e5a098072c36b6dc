"""What a comparison draws where nobody says otherwise; apart, so that the command's help loads no model."""

DEFAULT_DRAWS = 5000
DEFAULT_SEED = 0
