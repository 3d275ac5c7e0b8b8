"""How findings are fixed: what the rules share to build edits, and what applies them.

A fix is made for a finding that is shown, so it may take its time: it looks at the whole file, by `ast`, where the
facts know only the statements that matter to the rules.
"""
