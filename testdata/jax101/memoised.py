"""A compiled function made on first use and kept: one compile for each key, however it is kept."""

import functools

import jax
import jax.numpy as jnp

_BY_ORDER = {}
_KERNEL = None
_scratch = {}


def by_dictionary(x, order):
    if order not in _BY_ORDER:
        @jax.jit  # ok: JAX101
        def moment(v):
            return jnp.mean(v**order)

        _BY_ORDER[order] = moment
    return _BY_ORDER[order](x)


def by_dictionary_direct(x, order):
    if ("direct", order) not in _scratch:
        def moment(v):
            return jnp.mean(v**order)

        _scratch["direct", order] = jax.jit(moment)  # ok: JAX101
    return _scratch["direct", order](x)


def by_get(x, order):
    compiled = _scratch.get(("get", order))
    if compiled is None:
        def moment(v):
            return jnp.mean(v**order)

        compiled = _scratch["get", order] = jax.jit(moment)  # ok: JAX101
    return compiled(x)


def by_exception(x, order):
    try:
        compiled = _scratch["try", order]
    except KeyError:
        def moment(v):
            return jnp.mean(v**order)

        compiled = jax.jit(moment)  # ok: JAX101
        _scratch["try", order] = compiled
    return compiled(x)


def by_global(x):
    global _KERNEL
    if _KERNEL is None:
        def kernel(v):
            return jnp.exp(-0.5 * v * v)

        _KERNEL = jax.jit(kernel)  # ok: JAX101
    return _KERNEL(x)


def by_function_attribute(x):
    if not hasattr(by_function_attribute, "compiled"):
        def kernel(v):
            return jnp.exp(-0.5 * v * v)

        by_function_attribute.compiled = jax.jit(kernel)  # ok: JAX101
    return by_function_attribute.compiled(x)


@functools.lru_cache(maxsize=None)
def _cached_kernel(width):
    def kernel(v):
        return jnp.exp(-0.5 * (v / width) ** 2)

    return jax.jit(kernel)  # ok: JAX101


def by_lru_cache(x, width):
    return _cached_kernel(width)(x)  # ok: JAX101


@functools.cache
def _cached_decorated(width):
    @jax.jit  # ok: JAX101
    def kernel(v):
        return jnp.exp(-0.5 * (v / width) ** 2)

    return kernel


def by_cache(x, width):
    return _cached_decorated(width)(x)


@functools.cache
def table_of_roots(n):
    """What is cached here is the result, which needs one compile for each argument."""
    def roots(k):
        return jnp.sqrt(jnp.arange(k))

    return jax.jit(roots, static_argnums=0)(n)  # ok: JAX101


class Spectrum:
    def __init__(self, power):
        self.power = power
        self._density = None
        self._by_name = {}

    def density(self, x):
        if self._density is None:
            def formula(v):
                return v**-self.power

            self._density = jax.jit(formula)  # ok: JAX101
        return self._density(x)

    def named(self, name, x):
        if name not in self._by_name:
            @jax.jit  # ok: JAX101
            def formula(v):
                return v**-self.power

            self._by_name[name] = formula
        return self._by_name[name](x)

    def by_hasattr(self, x):
        if not hasattr(self, "_late"):
            def formula(v):
                return v**-self.power

            self._late = jax.jit(formula)  # ok: JAX101
        return self._late(x)

    def by_getattr(self, x):
        compiled = getattr(self, "_other", None)
        if compiled is None:
            def formula(v):
                return v**-self.power

            compiled = jax.jit(formula)  # ok: JAX101
            self._other = compiled
        return compiled(x)

    @functools.cached_property
    def integral(self):
        def formula(v):
            return jnp.trapezoid(v**-self.power)

        return jax.jit(formula)  # ok: JAX101

    def integrate(self, x):
        return self.integral(x)


class Lazy:
    """The compiled object is made once for the class."""

    _shared = None

    @classmethod
    def shared(cls, x):
        if cls._shared is None:
            def formula(v):
                return v + 1

            cls._shared = jax.jit(formula)  # ok: JAX101
        return cls._shared(x)


def jaxlint_examples():
    x = jnp.ones(3)
    spectrum = Spectrum(2.0)
    return {
        "by_dictionary": (x, 2),
        "by_dictionary_direct": (x, 2),
        "by_get": (x, 2),
        "by_exception": (x, 2),
        "by_global": (x,),
        "by_function_attribute": (x,),
        "_cached_kernel": lambda: _cached_kernel(2.0)(x),
        "by_lru_cache": (x, 3.0),
        "_cached_decorated": lambda: _cached_decorated(2.0)(x),
        "by_cache": (x, 3.0),
        "table_of_roots": (3,),
        "Spectrum.density": (spectrum, x),
        "Spectrum.named": (spectrum, "a", x),
        "Spectrum.by_hasattr": (spectrum, x),
        "Spectrum.by_getattr": (spectrum, x),
        "Spectrum.integral": lambda: spectrum.integral(x),
        "Spectrum.integrate": (spectrum, x),
        "Lazy.shared": (x,),
    }
