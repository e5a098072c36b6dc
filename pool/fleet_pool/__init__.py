"""The storage pool's runtime: what runs on its nodes, what operates it, and what training jobs read and write with.

`node` and `operate` run on Python 3.9 (Amazon Linux 2023) with the standard library alone and are shipped to nodes as
one file, planner-pool.pyz. `client` needs the extra `client`. Modules here are shared: settings, HTTP, exit codes.
"""

__version__ = "0.1.0"
