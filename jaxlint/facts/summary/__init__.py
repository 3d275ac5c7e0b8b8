"""What one file tells the others of its project."""
