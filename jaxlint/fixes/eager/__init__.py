"""Fixes that compile what ran eagerly."""
