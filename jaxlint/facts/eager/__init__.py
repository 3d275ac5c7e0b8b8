"""What runs operation by operation outside any jitted function."""
