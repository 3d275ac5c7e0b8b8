"""What expressions hold: kinds, sizes, lengths, bounds of loops, and what work they are."""
