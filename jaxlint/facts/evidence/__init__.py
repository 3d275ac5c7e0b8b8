"""What supports and weakens a finding, and how sure it is."""
