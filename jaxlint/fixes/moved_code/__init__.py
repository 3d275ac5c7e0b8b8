"""What code that moves takes along, reads, does and gives."""
