"""What a module means to JAX, built in one pass over its kept statements; rules only ask.

Importing this package loads no LibCST: `outline` runs on every file, the rest on the few that matter.
"""
