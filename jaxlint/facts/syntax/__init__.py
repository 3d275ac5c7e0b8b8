"""From text to nodes, scopes and names: what Python alone says."""
