"""What speaks for and against a finding, and how sure it is."""
