"""What every kind of plan shares: a choice as a row with paired draws, which of them is recommended, and why."""
