"""What the functions of JAX, NumPy and the libraries around them do: tables, and nothing about the linted code."""
