"""What runs operation by operation outside any compiled function."""
