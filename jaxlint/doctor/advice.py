"""What to do about what a run shows, where no finding says it better; after jax's guide on slow compilation."""

from __future__ import annotations

from jaxlint.doctor.causes import Cause

ADVICE = {
    Cause.NEW_FUNCTION: (
        "The first call of a function always traces and compiles.  The persistent cache (jax_compilation_cache_dir) "
        "saves the compile when the program is started again, not the trace."
    ),
    Cause.REDEFINED_FUNCTION: (
        "Each call makes a new function, which jax cannot know to be the old one.  Define it once, at module level or "
        "in __init__, compile it there, and pass what differs from call to call as arguments."
    ),
    Cause.SHAPE: (
        "Each new shape is compiled anew.  Pad to a few fixed sizes (buckets) and mask; drop or pad the last batch.  "
        "jax.export with symbolic shapes saves traces, but not compiles."
    ),
    Cause.DTYPE: "Each dtype is compiled anew.  Convert the argument to one dtype before the call.",
    Cause.WEAK_TYPE: (
        "A Python number is weakly typed, an array is not, and each is compiled for.  Pass an array from the first "
        "call on: jnp.asarray(x, dtype)."
    ),
    Cause.STATIC_VALUE: (
        "Each new value of a static argument is compiled anew, and so is each object that is equal to no earlier one. "
        "Leave static what tracing must know (shapes, axes, options), of few values that compare equal; pass numbers "
        "that are only computed with as arrays."
    ),
    Cause.PYTREE: (
        "Call with the same structure each time: the same keys and lengths, None for the same values, and each "
        "argument always by position or always by keyword."
    ),
    Cause.CONTEXT: "Set what tracing depends on (precision, x64, mesh, default device) once, before the first call.",
    Cause.UNKNOWN: "Look at what differs between the calls: devices and shardings of arguments, options, settings.",
}

FLOOD = (
    "Each operation that runs outside of a compiled function is compiled by itself, for each shape.  Put them into one "
    "function under jax.jit, or compute with numpy what runs once."
)
LARGE = (
    "Python loops are written out when they are traced.  Write them as jax.lax.scan or jax.lax.fori_loop, or compile "
    "the body by itself."
)
COMPILE = (
    "Compile the call: `compiled = {compiled}`, once, and call that in place of `{name}`.  It is one program for each "
    "shape of its arguments."
)
CONSTANTS = (
    "This runs while a function is traced, and comes of none of its traced arguments.  Compute it with numpy, or once "
    "outside of the function."
)
GROWTH = (
    "Each new shape is compiled anew, in a jitted function as well.  Allocate the largest size once and write into it, "
    "or pad to a few fixed sizes and mask."
)
HEAVY = "most of this is what the operations take by themselves, as random numbers do: one program compiles that too"
PLACELESS = "jax's log does not say where they were run: `jaxlint run` does."

MANY_EQUATIONS = 1000
"""From how many equations on a program is large; JAX301 takes the same."""
