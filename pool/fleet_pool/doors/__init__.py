"""How do other libraries read and write the pool: fsspec (pandas, PyArrow, Hugging Face datasets), and PyTorch.

Each module imports its library; nothing here is imported by the client or on the pool's nodes. See docs/pool-doors.md.
"""
