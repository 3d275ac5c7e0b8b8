"""The training of `slow_start.py`, changed as `jaxlint run` says: it compiles each of its programs once."""

import jax
import jax.numpy as jnp
import numpy as np

STEPS = 200
WIDTHS = (24, 48, 64, 40, 32, 16)
WORDS = 300
LONGEST = 40


@jax.jit
def init_params(key):
    keys = jax.random.split(key, len(WIDTHS))
    layers = [
        {"kernel": jax.random.normal(k, (rows, columns)), "bias": jnp.zeros(columns)}
        for k, rows, columns in zip(keys[1:], WIDTHS[:-1], WIDTHS[1:])
    ]
    return {"words": jax.random.normal(keys[0], (WORDS, WIDTHS[0])), "layers": layers}


def rescale(leaf):
    spread = jnp.sqrt(jnp.mean(leaf**2) + 1e-6)
    return jnp.clip(leaf / spread, -2.0, 2.0) * 0.3


@jax.jit
def rescale_all(params):
    return jax.tree.map(rescale, params)


def predict(params, tokens, lengths):
    hidden = params["words"][tokens]
    for layer in params["layers"][:-1]:
        hidden = jax.nn.gelu(hidden @ layer["kernel"] + layer["bias"])
    inside = jnp.arange(tokens.shape[1]) < lengths[:, None]
    pooled = jnp.where(inside[..., None], hidden, 0.0).sum(1) / lengths[:, None]
    return pooled @ params["layers"][-1]["kernel"] + params["layers"][-1]["bias"]


def loss(params, tokens, lengths, labels):
    scores = jax.nn.log_softmax(predict(params, tokens, lengths))
    return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))


@jax.jit
def train_step(params, tokens, lengths, labels):
    value, gradient = jax.value_and_grad(loss)(params, tokens, lengths, labels)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradient), value


compiled_predict = jax.jit(predict)


def accuracy(params, tokens, lengths, labels):
    scores = compiled_predict(params, tokens, lengths)
    return float(np.mean(np.argmax(np.asarray(scores), axis=1) == labels))


def batches(random, size=8):
    """Sentences of five to forty words; which is about the first or the second half of the words is what is learnt."""
    while True:
        labels = random.integers(0, 2, size)
        lengths = random.integers(5, 41, size)
        tokens = np.zeros((size, LONGEST), np.int32)
        for row, (label, length) in enumerate(zip(labels, lengths)):
            half = random.integers(0, WORDS // 2, length)
            tokens[row, :length] = half + label * (WORDS // 2)
        yield tokens, lengths.astype(np.int32), labels.astype(np.int32)


def main():
    random = np.random.default_rng(0)
    params = init_params(jax.random.key(0))
    params = rescale_all(params)
    data = batches(random)
    held_out = next(data)
    for step in range(STEPS):
        params, value = train_step(params, *next(data))
        if step % 20 == 0:
            print(f"step {step}: loss {value:.3f}, accuracy {accuracy(params, *held_out):.2f}")
    print(f"in the end: accuracy {accuracy(params, *held_out):.2f}")


if __name__ == "__main__":
    main()
