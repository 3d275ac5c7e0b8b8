"""Fixes of what raises under trace, and of what `jax.jit` is told about arguments."""
