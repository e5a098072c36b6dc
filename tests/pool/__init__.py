"""Fault injection in a real pool: real daemons, XFS, an S3 server, and network namespaces as nodes."""
