"""What a module means to JAX, built in one pass over its statements; rules only ask."""
