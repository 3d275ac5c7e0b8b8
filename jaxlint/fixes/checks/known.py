"""Names that are known: the public ones of JAX and similar functions, and libraries whose functions only compute."""

from __future__ import annotations

import functools
import pkgutil

PURE = (
    "jax.",
    "numpy.",
    "scipy.",
    "math.",
    "operator.",
    "functools.",
    "itertools.",
    "typing.",
    "collections.abc.",
    "dataclasses.",
    "optax.",
    "einops.",
    "chex.",
    "jaxtyping.",
    "equinox.",
    "flax.",
    "distrax.",
    "rlax.",
    "lineax.",
    "optimistix.",
    "diffrax.",
    "jmp.",
    "numpyro.distributions.",
    "tensorflow_probability.substrates.jax.",
)
"""Libraries whose functions give the same for the same arguments."""
IMPURE = (
    "jax.config",
    "jax.live_arrays",
    "jax.clear_caches",
    "jax.experimental.io_callback",
    "numpy.random.",
    "numpy.load",
    "numpy.save",
    "numpy.get_printoptions",
    "numpy.seterr",
    "numpy.geterr",
    "functools.lru_cache",
    "functools.cache",
    "itertools.count",
    "itertools.cycle",
    "flax.nnx.",
)
"""What in them reads or does more."""


def only_computes(dotted: str) -> bool:
    """Whether something imported gives the same for the same arguments, whatever happens around it."""
    root = f"{dotted}."
    return root.startswith(PURE) and not any(root == f"{name}." or dotted.startswith(name) for name in IMPURE)


_OPTIMISERS = frozenset(
    f"optax.{name}"
    for name in "adabelief adafactor adagrad adam adamw add_decayed_weights apply_every apply_if_finite chain clip "
    "clip_by_global_norm constant_schedule cosine_decay_schedule ema exponential_decay fromage identity lamb lars "
    "join_schedules linear_schedule lion masked multi_transform novograd piecewise_constant_schedule radam rmsprop "
    "polynomial_schedule scale scale_by_adam scale_by_schedule set_to_zero sgd sm3 trace warmup_cosine_decay_schedule "
    "yogi zero_nans".split()
)


def makes_records(dotted: str) -> bool:
    """Whether a call only makes a record of functions, and no array: an optimizer of Optax, or its schedule."""
    return dotted in _OPTIMISERS


@functools.cache
def _names() -> frozenset[str]:
    text = (pkgutil.get_data(__name__, "names.txt") or b"").decode()
    found: set[str] = set()
    module = ""
    for line in text.splitlines():
        if line.startswith("["):
            module = line.strip("[]")
            found.add(module)
        elif not line.startswith("#"):
            found.update(f"{module}.{name}" for name in line.split())
    return frozenset(found)


def exists(dotted: str) -> bool:
    """Whether a dotted name is there in each version that is supported, so that reading it cannot raise."""
    return dotted in _names()
