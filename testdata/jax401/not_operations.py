"""Maps that compute nothing on the device: shapes, types, transfers, numpy, waiting."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P


def shapes(tree):
    return jax.tree.map(lambda x: x.shape, tree)  # ok: JAX401


def shapes_by_function(tree):
    return jax.tree.map(jnp.shape, tree)  # ok: JAX401


def ranks(tree):
    return jax.tree.map(lambda x: x.ndim + len(x.shape), tree)  # ok: JAX401


def sizes(tree):
    return sum(jax.tree.leaves(jax.tree.map(lambda x: x.size, tree)))  # ok: JAX401


def bytes_of(tree):
    return jax.tree.map(lambda x: x.size * x.dtype.itemsize, tree)  # ok: JAX401


def types(tree):
    return jax.tree.map(lambda x: str(x.dtype), tree)  # ok: JAX401


def shardings(tree):
    return jax.tree.map(lambda x: x.sharding, tree)  # ok: JAX401


def structures(tree):
    return jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), tree)  # ok: JAX401


def described(tree):
    return jax.tree.map(lambda x: f"{x.shape} {x.dtype}", tree)  # ok: JAX401


def labelled(tree):
    return jax.tree.map_with_path(lambda path, x: "bias" if x.ndim == 1 else "weight", tree)  # ok: JAX401


def named(tree):
    return jax.tree_util.tree_map_with_path(lambda path, x: jax.tree_util.keystr(path), tree)  # ok: JAX401


def nothing(tree):
    return jax.tree.map(lambda x: None, tree)  # ok: JAX401


def same(tree):
    return jax.tree.map(lambda x: x, tree)  # ok: JAX401


def masks(tree):
    return jax.tree.map(lambda x: x.ndim > 1, tree)  # ok: JAX401


def on_host(tree):
    return jax.tree.map(np.asarray, tree)  # ok: JAX401


def on_host_by_jax(tree):
    return jax.tree.map(jax.device_get, tree)  # ok: JAX401


def on_device(tree):
    return jax.tree.map(jax.device_put, tree)  # ok: JAX401


def on_device_by_lambda(tree):
    return jax.tree.map(lambda x: jax.device_put(x, jax.devices()[0]), tree)  # ok: JAX401


def from_numpy(tree):
    """Transfers make a tiny program for each shape, which no larger program can save."""
    return jax.tree.map(jnp.asarray, tree)  # once: JAX401


def copies(tree):
    return jax.tree.map(jnp.array, tree)  # once: JAX401


def computed_by_numpy(tree):
    return jax.tree.map(lambda x: np.asarray(x) * 2, tree)  # ok: JAX401


def norms_by_numpy(tree):
    return jax.tree.map(np.linalg.norm, tree)  # ok: JAX401


class Held:
    def __init__(self, value):
        self.value = value

    def __getitem__(self, index):
        return self.value


def as_held(x, kind: str):
    """The comparison is one of text."""
    return Held(x) if kind == "held" else x


def held(trees):
    found = {}
    for kind in sorted(trees):
        found[kind] = jax.tree.map(lambda x: as_held(x, kind), trees[kind])  # ok: JAX401
    return found


def unheld(tree):
    """An index of `...` reads what is held."""
    return jax.tree.map(lambda held: {"value": held[...]}, tree, is_leaf=lambda x: isinstance(x, Held))  # ok: JAX401


def keep_unheld():
    for _ in range(3):
        unheld(held({"held": {"w": np.ones(3)}})["held"])


keep_unheld()


def listed(tree):
    return jax.tree.map(lambda x: x.tolist(), tree)  # ok: JAX401


def awaited(tree):
    return jax.tree.map(lambda x: x.block_until_ready(), tree)  # ok: JAX401


def unchanged_type(tree):
    return jax.tree.map(lambda x: x.astype(x.dtype), tree)  # ok: JAX401


def of_numbers(config):
    """No arrays in this tree."""
    return jax.tree.map(lambda value: value * 2, {"width": 3, "depth": 4})  # ok: JAX401


def checked(tree, other):
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b), tree, other)  # ok: JAX401
    return jax.tree.map(lambda a, b: a.shape == b.shape, tree, other)  # ok: JAX401


def typed(tree):
    return jax.tree.map(lambda x: type(x).__name__, tree)  # ok: JAX401


def without_axis(tree):
    """The leaves are specifications of shardings."""
    specs = jax.tree.map(lambda x: P(*(None,) * x.ndim), tree)
    return jax.tree.map(lambda spec: P(*(spec[0:1] + spec[2:])), specs, is_leaf=lambda s: isinstance(s, P))  # ok: JAX401


def copy_into(source, target, start):
    """Arrays of JAX refuse this."""
    target[start : start + len(source)] = source * 2
    return target


def filled(host):
    chunks = jax.tree.map(lambda x: np.zeros((2 * len(x), *x.shape[1:]), x.dtype), host)
    for start in range(2):
        chunks = jax.tree.map(functools.partial(copy_into, start=start), host, chunks)  # ok: JAX401
    return chunks


def first_of_each(tree):
    """The leaves are NumPy's, which dispatch nothing."""
    params, rest = jax.device_get((tree, tree))
    return jax.tree.map(lambda x: x[0], params), jax.tree.map(lambda x: x[0] * 2, rest)  # ok: JAX401


def leaves(tree):
    return len(jax.tree.leaves(tree)), jax.tree.structure(tree)  # ok: JAX401


def main():
    tree = {f"w{i}": np.ones((i + 2, 3), np.float32) for i in range(4)}
    print(shapes(tree), shapes_by_function(tree), ranks(tree), sizes(tree), bytes_of(tree), types(tree))
    params = on_device(tree)
    print(shardings(params), structures(params), described(params), labelled(params), named(params), nothing(params))
    print(same(params), masks(params), on_host(params), on_host_by_jax(params), on_device_by_lambda(params))
    print(from_numpy(tree), copies(params), computed_by_numpy(params), norms_by_numpy(tree), listed(params))
    print(awaited(params), unchanged_type(params), of_numbers(tree), typed(tree), leaves(tree))
    print(without_axis(params), filled(tree), first_of_each(params))
    checked(params, params)


def jaxlint_examples():
    host = {f"w{i}": np.ones((i + 2, 3), np.float32) for i in range(4)}
    tree = {name: jax.device_put(value) for name, value in host.items()}
    names = (
        "shapes shapes_by_function ranks sizes bytes_of types shardings structures described labelled named nothing same "
        "masks on_host on_host_by_jax on_device on_device_by_lambda copies computed_by_numpy norms_by_numpy listed "
        "awaited unchanged_type of_numbers typed leaves without_axis first_of_each"
    )
    return {name: (tree,) for name in names.split()} | {"from_numpy": (host,), "filled": (host,), "checked": (tree, tree)}
