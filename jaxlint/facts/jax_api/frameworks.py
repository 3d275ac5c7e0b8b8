"""Classes and decorators of the libraries around JAX by which they trace what a user writes."""

from __future__ import annotations

MODULE_BASES = frozenset(
    {
        "flax.linen.Module",
        "flax.linen.module.Module",
        "flax.nnx.Module",
        "flax.experimental.nnx.Module",
        "haiku.Module",
        "equinox.Module",
    }
)
"""Base classes whose `__call__` is meant to be traced by whoever uses the module."""

BOUND_ONLY = (".linen.Module", ".linen.module.Module", "haiku.Module", ".hk.Module")
"""Base classes whose methods work only within the library's own `apply`, whatever their names."""

NETWORKS = ("flax", "haiku", "jax.nn")
"""Modules whose use tells that a file is about neural networks, whose parameters have many leaves."""

COMPACT = frozenset({"compact", "nowrap", "transparent"})
"""The last names of decorators of methods that are traced with their module."""

DEFINES_RULES = frozenset({"defvjp", "defjvp", "defjvps", "def_vmap", "defpartial"})
"""Methods all of whose arguments are traced: the rules of a custom derivative."""


def is_module_base(name: str) -> bool:
    """Whether a base class, by its dotted name, is one of these, or of another library or project that does alike."""
    return name in MODULE_BASES or (name.rpartition(".")[2] == "Module" and not name.startswith("torch."))
