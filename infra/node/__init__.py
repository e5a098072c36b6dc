"""What nodes fetch and run: files rendered from templates/node, the pool's commands as one file, the built daemon."""
