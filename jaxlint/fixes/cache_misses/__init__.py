"""Fixes of what misses the compile cache: jitted functions are created once, arguments are hashed alike."""
