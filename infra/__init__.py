"""The plan, standing up: the Pulumi program, the graph of what it makes, and rules over such a graph."""
