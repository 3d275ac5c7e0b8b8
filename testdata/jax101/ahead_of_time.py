"""Lowering and inspecting: the point of the call is to compile, or not to compile at all."""

import jax
import jax.numpy as jnp


def compile_for(width):
    """Builds one executable; whoever calls this keeps it."""
    def forward(x):
        return jnp.tanh(x) * 2

    return jax.jit(forward).lower(jnp.zeros(width)).compile()  # once: JAX101


def compile_in_steps(width):
    @jax.jit  # ok: JAX101
    def forward(x):
        return jnp.tanh(x) * 2

    lowered = forward.lower(jnp.zeros(width))
    compiled = lowered.compile()
    return compiled


def cost(width):
    def forward(x):
        return jnp.tanh(x) * 2

    compiled = jax.jit(forward)  # ok: JAX101
    return compiled.lower(jnp.zeros(width)).cost_analysis()


def text_of(width):
    def forward(x):
        return jnp.tanh(x) * 2

    return jax.jit(forward).lower(jnp.zeros(width)).as_text()  # ok: JAX101


def shape_of(width):
    def forward(x):
        return jnp.stack([x, x])

    return jax.jit(forward).eval_shape(jax.ShapeDtypeStruct((width,), jnp.float32))  # ok: JAX101


def shape_of_decorated(width):
    @jax.jit  # ok: JAX101
    def forward(x):
        return jnp.stack([x, x])

    return jax.eval_shape(forward, jax.ShapeDtypeStruct((width,), jnp.float32))


def equations_of(width):
    def forward(x):
        return jnp.stack([x, x])

    return len(jax.jit(forward).trace(jnp.zeros(width)).jaxpr.eqns)  # ok: JAX101


def program_of(width):
    @jax.jit  # ok: JAX101
    def forward(x):
        return jnp.stack([x, x])

    return jax.make_jaxpr(forward)(jnp.zeros(width))


class Server:
    """One executable for each padded length."""

    def __init__(self, lengths):
        def forward(x):
            return x.sum()

        self.programs = {n: jax.jit(forward).lower(jnp.zeros(n)).compile() for n in lengths}  # ok: JAX101

    def serve(self, x):
        return self.programs[x.shape[0]](x)


def jaxlint_examples():
    compiled = compile_in_steps(3)
    return {
        "compile_for": (3,),
        "compile_in_steps": lambda: compiled(jnp.ones(3)),
        "cost": (3,),
        "text_of": (3,),
        "shape_of": (3,),
        "shape_of_decorated": (3,),
        "equations_of": (3,),
        "program_of": (3,),
        "Server.serve": (Server([2, 3]), jnp.ones(3)),
    }
