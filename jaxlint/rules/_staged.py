"""What the rules on code that fails under trace share."""

from __future__ import annotations

WORDS = frozenset(
    "jit pjit pmap filter_jit filter_pmap eval_shape make_jaxpr remat checkpoint scan while_loop fori_loop cond switch "
    "vmap filter_vmap filter_grad filter_value_and_grad "
    "grad value_and_grad jacfwd jacrev hessian vjp jvp linearize".split()
)
"""The identifiers by which jit and whatever else traces the functions that it is given are written."""

CUES = frozenset({"if", "nonzero", "flatnonzero", "argwhere", "unique"})
"""Words by which traced code may depend on data; `if` covers any test of it."""

NEEDS = {
    "shape": "a shape",
    "size": "a size",
    "axis": "an axis",
    "range": "`range`",
    "slice": "a slice bound",
    "index": "an index into a Python container",
    "key": "a key",
    "dtype": "a dtype",
    "format": "string formatting",
    "text": "a comparison with text",
    "option": "an option of the called function",
    "static": "a static argument of the called function",
    "test": "a Python condition",
    "order": "a comparison",
    "conversion": "a conversion",
    "call": "a call",
    "numpy": "NumPy or `math`",
}
"""What a demand is for, in words; each is followed by `needs a concrete value`."""

_RAISES = {
    "shape": "TypeError",
    "size": "TypeError",
    "conversion": "ConcretizationTypeError",
    "text": "TypeError",
    "range": "TracerIntegerConversionError",
    "index": "TracerIntegerConversionError",
    "test": "TracerBoolConversionError",
    "order": "TracerBoolConversionError",
    "key": "TypeError",
    "format": "TypeError",
    "call": "TypeError",
    "static": "ValueError",
}
"""What JAX raises, for the demands where it is always the same exception, or one derived from it."""


def raises(use: str) -> str:
    """Say what JAX does where a demand meets a traced value."""
    return f"JAX raises {_RAISES[use]}" if use in _RAISES else "JAX raises an error"
