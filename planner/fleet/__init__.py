"""A fleet that many projects share: its jobs, its queue, what each choice costs and how long jobs wait."""
