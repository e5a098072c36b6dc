"""The account: what stands in it under our tags, what capacity it holds and could buy, and the two purchases."""
