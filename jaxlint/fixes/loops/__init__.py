"""Fixes of Python loops, and what they need to know of an iteration."""
