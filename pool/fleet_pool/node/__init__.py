"""What a node of the pool does to itself when it starts: drives, cores, files, certificates, and what it reports."""
