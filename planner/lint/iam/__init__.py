"""Rules over identity: policies, roles, and what a node may do."""
