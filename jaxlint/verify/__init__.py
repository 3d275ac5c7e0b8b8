"""Proof by running: what a place in a program really makes jax do.

Two processes share this package.  The parent (`prover`, `judge`, `places`) never imports jax.  The child (`worker`,
`loader`, `instrument`, `recorder`) is the only place where jax and the code under test are imported; it is started by
path, so that it can run under the interpreter of another environment, and therefore uses nothing of jaxlint but this
package, nothing of this package but `observation`, and only the standard library besides jax.

Nothing here decides what a rule means.  The child reports what happened in each call (`observation.Observation`); the
parent's `judge` asks whether an effect showed at a place.
"""
