"""What all builders share: drafts of edits, the file as Python parses it, scopes, imports, whole lines."""
