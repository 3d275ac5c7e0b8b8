"""The persistent cache saves compiles, not traces; and it does not keep what compiles quickly."""
import tempfile

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_compilation_cache_dir", tempfile.mkdtemp())
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)


def spectrum(signal):
    return jax.jit(lambda s: jnp.abs(jnp.cos(s) + s))(signal)


signal = np.ones(16, np.float32)
for _ in range(3):
    spectrum(signal)
jax.config.update("jax_persistent_cache_min_compile_time_secs", 600.0)
jax.jit(jnp.sinh)(signal)
