"""The AWS account: resources with a stack's tags, capacity that it reserves or could buy, and the two purchases."""
