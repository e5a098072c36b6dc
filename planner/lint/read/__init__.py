"""A resource graph as rules read it: its resources, what stands where, what lets what through, who may do what."""
