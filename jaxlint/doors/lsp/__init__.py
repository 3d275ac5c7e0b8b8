"""The language server: `jaxlint lsp`.

`documents` holds what editors have open, `project` what the rest of a workspace says about it, `linting` joins the two,
`actions` and `hints` are what editors offer on a finding, and `server` speaks the protocol.  Only `server` and what it
starts run in the thread of the protocol; reading and linting happen in others.
"""
