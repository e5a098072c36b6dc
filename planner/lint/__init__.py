"""Rules over a resource graph, whoever made it: pure functions of its JSON, with the standard library only.

Question: what is wrong with this resource graph?

`rules.lint(read.graph.parse(text))` gives the findings. The graph is the output of `planner preview -f json`,
`pulumi preview --json --show-sames` or `pulumi stack export`.
"""
