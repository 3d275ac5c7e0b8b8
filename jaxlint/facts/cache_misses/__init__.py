"""What makes the compile cache miss: new functions, static arguments, instances, signatures."""
