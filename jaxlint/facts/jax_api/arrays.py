"""What the functions of JAX, NumPy and Python do with arrays: which make them, which need Python values of them."""

from __future__ import annotations

_ROOTS = ("jax.numpy.", "jax.lax.", "jax.nn.", "jax.random.", "jax.scipy.", "jax.image.", "jax.ops.")
_NO_ARRAYS = frozenset(
    "shape ndim size dtype result_type promote_types issubdtype isdtype can_cast finfo iinfo broadcast_shapes "
    "iscomplexobj isrealobj isscalar iterable axis_size key_impl canonicalize_dtype ndarray integer floating inexact "
    "number generic signedinteger unsignedinteger complexfloating newaxis pi e inf nan euler_gamma set_printoptions "
    "get_printoptions save savez load bool_ int_ ResizeMethod Precision GatherDimensionNumbers "
    "ScatterDimensionNumbers ConvDimensionNumbers conv_dimension_numbers GatherScatterMode RandomAlgorithm "
    "padtype_to_pads reduce_window_shape_tuple dtypes conv_general_shape_tuple".split()
)
_MAYBE_TREES = frozenset(
    "scan while_loop fori_loop cond switch map associative_scan custom_root custom_linear_solve stop_gradient "
    "optimization_barrier psum pmean pmax pmin ppermute all_gather all_to_all platform_dependent reduce_precision "
    "pcast pvary".split()
)

_TRANSFERS_AND_KEYS = frozenset(
    "asarray array copy split fold_in PRNGKey key key_data wrap_key_data clone stop_gradient float32 float64 float16 "
    "bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64 complex128 bool_ device_get".split()
)
"""Functions that move data or manage keys: every loop on the host has some."""

ATTRIBUTES_OF_PYTHON = frozenset(
    "shape ndim dtype size itemsize nbytes sharding aval weak_type device devices is_fully_addressable name".split()
)
"""Attributes of an array that Python knows under trace as well."""

ARRAY_ATTRIBUTES = frozenset({"T", "mT", "real", "imag", "at", "flat"})
"""Attributes of an array that are arrays."""

ARRAY_METHODS = frozenset(
    "all any argmax argmin argpartition argsort astype choose clip compress conj conjugate copy cumprod cumsum "
    "diagonal dot flatten max mean min nonzero prod ptp ravel repeat reshape round searchsorted sort squeeze std sum "
    "swapaxes take trace transpose var view".split()
)
"""Methods of an array that give arrays."""

ANNOTATIONS = frozenset({"Array", "ArrayLike", "ndarray", "PRNGKey", "PRNGKeyArray", "Float", "Int", "Scalar"})
"""The last parts of annotations that mention a JAX array, NumPy's aside."""

UPDATES = frozenset({"set", "add", "subtract", "multiply", "mul", "divide", "power", "min", "max", "apply", "get"})
"""Methods of `x.at[i]`."""

HEAVY = frozenset(
    "dot matmul einsum tensordot vdot inner outer kron dot_general conv conv_general_dilated convolve".split()
)
"""Functions that cost as a matrix product does."""

DATA_DEPENDENT = {
    "nonzero": 1,
    "flatnonzero": 1,
    "argwhere": 1,
    "unique": 1,
    "unique_all": 1,
    "unique_counts": 1,
    "unique_inverse": 1,
    "unique_values": 1,
    "where": 1,
    "extract": 2,
    "compress": 2,
    "union1d": 2,
    "intersect1d": 2,
    "setdiff1d": 2,
    "setxor1d": 2,
    "bincount": 1,
}
"""Functions of `jax.numpy` whose result's shape depends on values, with the number of data arguments they are given
in that case (`where` with three gives a fixed shape)."""

NUMPY_GENERATORS = frozenset({"numpy.random.default_rng", "numpy.random.RandomState"})
"""What makes a random generator of NumPy."""

SEGMENTED = frozenset(f"jax.ops.segment_{name}" for name in ("sum", "prod", "max", "min"))
"""Functions that take the number of segments from their data where it is not given."""

COLLECTIVES = frozenset(
    f"jax.lax.{name}"
    for name in "psum pmean pmax pmin psum_scatter all_gather all_to_all ppermute pshuffle pswapaxes axis_index".split()
)
"""Functions of the named axis of a mapped function: where nothing maps, they fail."""

_KERNEL_ONLY = frozenset(
    "program_id num_programs load store swap multiple_of ds dslice when debug_print semaphore_signal semaphore_wait "
    "async_copy make_async_copy".split()
)


def is_kernel_only(name: str) -> bool:
    """Whether a function works within a Pallas kernel alone, which is staged wherever it is launched."""
    return name.startswith("jax.experimental.pallas.") and name.rpartition(".")[2] in _KERNEL_ONLY


NUMPY_ON_METHODS = frozenset(
    "all amax amin any argmax argmin argsort around cumprod cumsum flip imag max mean min moveaxis permute_dims prod "
    "real repeat reshape round squeeze std sum swapaxes tile transpose var".split()
)
"""Functions of NumPy that call the method of a traced array, and so give another one."""

NUMPY_MAKERS = frozenset(
    "array asarray arange linspace logspace geomspace zeros ones empty full eye identity zeros_like ones_like "
    "empty_like full_like load loadtxt genfromtxt fromfile tri tril triu concatenate stack hstack vstack "
    "random.rand random.randn random.normal random.uniform random.randint random.random random.permutation".split()
)
"""Functions of NumPy that give one array, whatever they are given."""


def makes_array(name: str) -> bool:
    """Whether a call of this dotted name gives an array, which under a staging trace has no value in Python."""
    if not name.startswith(_ROOTS):
        return False
    last = name.rpartition(".")[2]
    if last in _NO_ARRAYS or last in _MAYBE_TREES or "initializers" in name or last.endswith("_p"):
        return False
    return last[:1].islower()


def may_make_tree(name: str) -> bool:
    """Whether a call of this dotted name gives a pytree of arrays."""
    return name.startswith(_ROOTS) and name.rpartition(".")[2] in _MAYBE_TREES


def is_array_function(name: str) -> bool:
    """Whether a dotted name is a function whose every call dispatches array operations."""
    return makes_array(name) or may_make_tree(name)


def is_operation(name: str) -> bool:
    """Whether a call of this dotted name dispatches an operation that counts: no transfer, nothing about keys."""
    return is_array_function(name) and name.rpartition(".")[2] not in _TRANSFERS_AND_KEYS
