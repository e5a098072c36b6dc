"""The pool broken on purpose: real daemons, real XFS, a real S3 server, network namespaces as nodes."""
