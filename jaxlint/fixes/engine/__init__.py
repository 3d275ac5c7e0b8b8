"""Applying fixes, writing files, and showing what changes."""
