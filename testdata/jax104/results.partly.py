"""`jit` of what a call has returned: what counts is whether the call made it anew."""

import dataclasses
import functools

import haiku as hk
import jax
import jax.numpy as jnp


def make_loss(target):
    def loss(x):
        return jnp.sum((x - target) ** 2)

    return loss


def make_penalty(weight):
    return lambda x: weight * jnp.sum(jnp.abs(x))


def make_partial(target):
    return functools.partial(_misfit, target=target)


def make_gradient(target):
    return jax.grad(make_loss(target))


def _misfit(x, target):
    return jnp.sum((x - target) ** 2)


def _zero(x):
    return 0.0 * jnp.sum(x)


def get_default():
    """Returns a function of the module, always the same."""
    return _zero


@functools.cache
def cached_loss(target):
    return make_loss(target)


def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


@logged
def decorated(x):
    return jnp.sum(x)


LOSS = make_loss(1.0)


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return x * self.factor


@dataclasses.dataclass(frozen=True)
class EqualScale:
    factor: float

    def __call__(self, x):
        return x * self.factor


SCALE = Scale(3.0)


_loss = jax.jit(make_loss(0.5))


def of_a_factory(x):
    return _loss(x)


_of_a_lambda_factory = jax.jit(make_penalty(0.5))


def of_a_lambda_factory(x):
    return _of_a_lambda_factory(x)


_of_a_partial_factory = jax.jit(make_partial(0.5))


def of_a_partial_factory(x):
    return _of_a_partial_factory(x)


_of_a_transform_factory = jax.jit(make_gradient(0.5))


def of_a_transform_factory(x):
    return _of_a_transform_factory(x)


def of_a_local_result(x):
    loss = make_loss(0.5)
    return jax.jit(loss)(x)


_of_a_decorator_wrapper = jax.jit(logged(_zero))


def of_a_decorator(x):
    return _of_a_decorator_wrapper(x)


@jax.jit
def _in_a_loop_loss(x, t):
    return make_loss(t)(x)


def in_a_loop(x, targets):
    return [_in_a_loop_loss(x, t) for t in targets]


def reused(x):
    return [_loss(x * k) for k in range(3)]


_of_a_callable_object = jax.jit(Scale(2.0))


def of_a_callable_object(x):
    return _of_a_callable_object(x)


def of_an_equal_object(x):
    """Equal to the last one, which is gone."""
    scale = EqualScale(2.0)
    return jax.jit(scale)(x)


def transformed(x):
    """A haiku network that is put together on each call."""
    network = hk.without_apply_rng(hk.transform(lambda v: v * hk.get_parameter("w", (), init=jnp.ones)))
    params = {"~": {"w": jnp.ones(())}}
    return jax.jit(network.apply)(params, x)


_init = jax.jit(hk.transform(lambda v: hk.Linear(2)(v)).init)


def network_start(key, x):
    return _init(key, x)


def of_a_kept_object(x):
    return jax.jit(SCALE)(x)


def of_a_getter(x):
    return jax.jit(get_default())(x)


def of_a_cached_factory(x):
    return jax.jit(cached_loss(0.5))(x)


def of_a_module_variable(x):
    return jax.jit(LOSS)(x)


def of_a_decorated_function(x):
    return jax.jit(decorated)(x)


def of_a_choice(x, name):
    return jax.jit(getattr(jnp, name))(x)


def of_a_lookup(x, name):
    return jax.jit({"zero": _zero}[name])(x)


def kept(target):
    return jax.jit(make_loss(target))


def made_once(x):
    return compiled(x)


compiled = jax.jit(make_loss(2.0))


class Model:
    def __init__(self, target):
        self.loss = jax.jit(make_loss(target))

    def __call__(self, x):
        return self.loss(x)


def create(x):
    return _loss(x)


def jaxlint_examples():
    x = jnp.ones(3)
    loss = kept(1.0)
    names = (
        "of_a_factory", "of_a_lambda_factory", "of_a_partial_factory", "of_a_transform_factory", "of_a_local_result",
        "of_a_decorator", "of_a_callable_object", "of_an_equal_object", "of_a_kept_object", "reused", "transformed", "of_a_getter", "of_a_cached_factory", "of_a_module_variable",
        "of_a_decorated_function", "made_once", "create",
    )  # fmt: skip
    return {name: (x,) for name in names} | {
        "in_a_loop": (x, [0.5, 1.0]),
        "of_a_choice": (x, "sin"),
        "of_a_lookup": (x, "zero"),
        "network_start": (jax.random.key(0), x),
        "kept": lambda: loss(x),
        "Model.__call__": (Model(1.0), x),
    }
