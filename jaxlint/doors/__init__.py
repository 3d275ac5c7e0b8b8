"""The ways into jaxlint.  Each fills `Settings`, calls `jaxlint.linter.lint`, and prints what comes out its own way."""
