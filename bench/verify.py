"""How fast findings are verified: `make bench`.

    python bench/verify.py [--jobs N]

Prints how many targets a second the abstract tier decides once its process has started, arguments looked for and three
traces each, over the functions below; and the time in which all findings of testdata get their verdicts.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from jaxlint.verify.proof import Budget, Proof
from jaxlint.verify.prover import Prover

ROOT = Path(__file__).parent.parent
COPIES = 10
"""How many of each function, so that there is something to measure."""

FUNCTIONS = """
def nested_{n}(x, scale=2.0):
    def body(v):
        return v * scale
    return jax.jit(body)(x)


def unnamed_{n}(params, x):
    return jax.jit(lambda v: v @ params["w"] + params["b"])(x)


def bound_{n}(x, y, rate):
    return jax.jit(functools.partial(jnp.add, x))(y) * rate


def gradient_{n}(weights, inputs, targets):
    def loss(w):
        return jnp.mean((inputs @ w - targets) ** 2)
    return jax.jit(jax.grad(loss))(weights)


def heads_{n}(q, k, v, num_heads: int):
    b, t, d = q.shape
    q, k, v = (a.reshape(b, t, num_heads, d // num_heads) for a in (q, k, v))
    return jax.jit(lambda s: jnp.einsum("bhts,bshd->bthd", s, v))(jnp.einsum("bthd,bshd->bhts", q, k))
"""


def main() -> None:
    """Measure, and print both figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="for testdata (default: %(default)s)")
    jobs = parser.parse_args().jobs
    targets, seconds = abstract()
    print(f"abstract tier: {targets} targets in {seconds:.2f} s, {targets / seconds:.0f} a second after start-up")
    start = time.perf_counter()
    command = [sys.executable, "-m", "jaxlint", "verify", "--fail-on", "never", "-j", str(jobs)]
    # The modules in it that are to be killed say nothing about speed.
    folders = [str(path) for path in sorted((ROOT / "testdata").glob("jax*"))]
    done = subprocess.run([*command, *folders], stdout=subprocess.PIPE, check=True)
    summary = done.stdout.decode().splitlines()[-1]
    print(f"testdata, {jobs} processes: {time.perf_counter() - start:.0f} s; {summary}")


def abstract() -> tuple[int, float]:
    """Return how many targets were decided by tracing, and in how many seconds.

    Raises:
        RuntimeError: one was not.
    """
    text = "import functools\n\nimport jax\nimport jax.numpy as jnp\n"
    text += "".join(FUNCTIONS.format(n=number) for number in range(COPIES))
    lines = [number for number, line in enumerate(text.splitlines(), 1) if "jax.jit(" in line]
    with tempfile.TemporaryDirectory() as folder, Prover() as prover:
        path = Path(folder, "functions.py")
        path.write_text(text, "utf-8")
        proof = Proof(prover, path, lines, budget=Budget())
        start = time.perf_counter()
        for line in lines:
            judgement = proof.judge(line, "JAX101")
            if not judgement.shown or judgement.tier != "abstract":
                raise RuntimeError(f"line {line}: {judgement.evidence}")
        return len(lines), time.perf_counter() - start


if __name__ == "__main__":
    main()
