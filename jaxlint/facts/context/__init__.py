"""Who calls and traces what, how often, and in which contexts functions run."""
