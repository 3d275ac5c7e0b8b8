"""What to do about what a run shows, where no finding says it better; after jax's guide on slow compilation."""

from __future__ import annotations

from jaxlint.doctor.causes import Cause

ADVICE = {
    Cause.NEW_FUNCTION: (
        "The first call of a function always traces and compiles.  The persistent cache (jax_compilation_cache_dir) "
        "saves the compilation on the next start of the program, but not the trace."
    ),
    Cause.REDEFINED_FUNCTION: (
        "Each call creates a new function object, so JAX recompiles it.  Define and jit it once, at module level or in "
        "__init__, and pass what differs between calls as arguments."
    ),
    Cause.SHAPE: (
        "Each new shape recompiles.  Pad to a few fixed sizes (buckets) and mask; drop or pad the last batch.  "
        "jax.export with symbolic shapes saves traces, but not compilations."
    ),
    Cause.DTYPE: "Each new dtype recompiles.  Convert the argument to one dtype before the call.",
    Cause.WEAK_TYPE: (
        "A Python number is weakly typed and an array is not, so each compiles separately.  Pass an array from the "
        "first call on: jnp.asarray(x, dtype)."
    ),
    Cause.STATIC_VALUE: (
        "Each new value of a static argument recompiles, and so does each object that equals no earlier one.  Keep "
        "static what tracing needs (shapes, axes, options) and what has few distinct values; pass numbers that are "
        "only computed with as arrays."
    ),
    Cause.PYTREE: (
        "Call with the same pytree structure each time: the same keys and lengths, None in the same places, and each "
        "argument always by position or always by keyword."
    ),
    Cause.CONTEXT: "Set what tracing depends on (precision, x64, mesh, default device) once, before the first call.",
    Cause.UNKNOWN: "Compare the calls: devices and shardings of the arguments, options, settings.",
}

OF_A_LIBRARY = (
    "The library creates this function on each call, so JAX recompiles it.  Call it once, or from one jitted function "
    "that takes what differs between calls as arguments."
)
COMMITTED = (
    "Arguments that are committed to a device in one call and not in another recompile too.  Put them there before the "
    "first call: jax.device_put(x, device)."
)
FLOOD = (
    "Each operation outside a jitted function compiles separately, once per shape.  Put them in one jitted function, "
    "or use NumPy for what runs once."
)
LARGE = "Python loops unroll under trace.  Use jax.lax.scan or jax.lax.fori_loop, or jit the loop body."
COMPILE = (
    "Jit it once: `compiled = {compiled}`, and call that instead of `{name}`.  It compiles once per shape of its "
    "arguments."
)
WHERE_DEFINED = (
    "Jit it where it is defined, for all its calls: `{name} = {compiled}`, or as a decorator.  It compiles once per "
    "shape of its arguments."
)
CONSTANTS = (
    "This runs while a function is traced, but depends on none of its traced arguments.  Compute it with NumPy, or "
    "once outside the function."
)
GROWTH = (
    "Each new shape recompiles, also in a jitted function.  Allocate the largest size once and write into it, or pad "
    "to a few fixed sizes and mask."
)
CHANGES = "it changes or makes an object, so it cannot be jitted from here"
AKIN = "`{name}` at line {line} runs the same operations, and compiles them if this does not"
PERSISTENT = (
    "The persistent cache (jax_compilation_cache_dir, with jax_persistent_cache_min_compile_time_secs=0) saves the "
    "compilation on the next start of the program."
)
HEAVY = "most of this is the cost of the operations themselves, such as random numbers, which one program pays too"
PLACELESS = "JAX's log does not say where they ran; `jaxlint run` does."

MANY_EQUATIONS = 1000
"""From how many equations on a program is large; JAX301 takes the same."""
