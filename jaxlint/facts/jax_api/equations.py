"""How many equations JAX stages for one call of a function that is made of several.

Counted in the jaxprs of jax 0.10.2, inner ones included, for small arrays of floats.  What is missing here stages a
few at most, or is a loop of its own, whose equations are those of its body.
"""

from __future__ import annotations

_COUNTED = {
    "jax.nn": ("elu=8 gelu=8 log_softmax=10 logsumexp=13 one_hot=5 selu=10 softmax=9 softplus=10 standardize=15"),
    "jax.numpy": (
        "allclose=16 bincount=10 convolve=5 corrcoef=40 cov=11 cross=28 diag=20 digitize=70 eye=5 "
        "floor_divide=16 gradient=14 histogram=76 interp=101 isclose=13 linspace=14 logaddexp=10 logspace=16 "
        "median=27 mod=9 nan_to_num=9 nanmean=10 nonzero=54 percentile=30 quantile=28 remainder=9 roll=5 "
        "searchsorted=31 sinc=9 std=13 take=6 take_along_axis=6 trace=7 trapezoid=9 tril=6 unique=62 "
        "unwrap=32 vander=5 var=12"
    ),
    "jax.numpy.linalg": (
        "cholesky=10 cond=6 cross=28 det=56 inv=45 lstsq=30 matrix_rank=8 pinv=14 slogdet=54 solve=25"
    ),
    "jax.random": (
        "ball=63 bernoulli=14 beta=16 binomial=273 categorical=18 cauchy=14 chisquare=5 choice=40 "
        "dirichlet=10 exponential=15 gumbel=16 laplace=16 logistic=15 multivariate_normal=25 normal=13 "
        "orthogonal=37 permutation=7 poisson=125 rademacher=17 randint=37 t=23 truncated_normal=24 uniform=13"
    ),
    "jax.scipy.linalg": (
        "cho_factor=9 cho_solve=6 cholesky=9 det=56 expm=161 inv=45 lu=25 solve=25 sqrtm=116 toeplitz=19"
    ),
    "jax.scipy.special": ("bessel_jn=34 betaln=65 factorial=7 gamma=33 logsumexp=13 ndtr=12 xlogy=7"),
}

EQUATIONS = {
    f"{module}.{name}": int(count)
    for module, functions in _COUNTED.items()
    for name, _, count in (entry.partition("=") for entry in functions.split())
}
"""Dotted names of functions, with the number of their equations."""


def equations_of(name: str) -> int:
    """Return how many equations a call of a function of JAX stages, one where it is not known to be more."""
    return EQUATIONS.get(name, 1)
