"""What training jobs hold of the pool."""
