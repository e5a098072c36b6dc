"""Pools of workers for independent, interruptible jobs: simulated, priced and compared."""
