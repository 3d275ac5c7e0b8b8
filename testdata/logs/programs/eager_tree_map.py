"""One program for each operation and shape, then the same as one compiled function."""
import jax
import jax.numpy as jnp
import numpy as np


def normalised(leaf):
    centred = leaf - jnp.mean(leaf)
    return centred / (jnp.std(centred) + 1e-6)


@jax.jit
def normalised_tree(tree):
    return jax.tree_util.tree_map(normalised, tree)


weights = {f"layer{i}": np.ones((i + 2, 3), np.float32) for i in range(2)}
jax.tree_util.tree_map(normalised, weights)
normalised_tree(weights)
