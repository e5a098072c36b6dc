"""What AWS has: instance types with their cards, actions of its services, metrics."""
