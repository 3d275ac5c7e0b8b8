"""The doctor: what a run of a program compiled, where, why, and what to change.

Events come from a log or from a live recorder, become one model of the run, and are joined with the findings of the
files that the run was of.
"""
