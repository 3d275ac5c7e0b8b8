"""Names that are priors are in one table."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from jaxlint.facts.jax_api.name_priors import ALL

FACTS = Path(__file__).parents[2] / "jaxlint" / "facts"
OF_SYNTAX = {"parsing.py", "pytrees.py"}
"""Files whose expressions are about Python's syntax."""


def test_no_other_file_has_expressions_for_names() -> None:
    found = {
        file.name
        for file in FACTS.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "re.compile" and file.name != "name_priors.py"
    }
    assert found - OF_SYNTAX == set()


@pytest.mark.parametrize("name", ALL)
def test_each_was_measured(name: str) -> None:
    prior = ALL[name]
    assert prior.says
    assert 0 < prior.good < prior.read


@pytest.mark.parametrize(
    ("name", "hit", "miss"),
    [
        ("DATA_LENGTHS", "num_steps", "mode"),
        ("DATA", "train_loader", "ranger"),
        ("STRUCTURE", "n_layers", "x"),
        ("COORDINATES", "n_dims", "dimension_of"),
        ("VECTORS", "ball_positions", "posterior"),
        ("SET_UP", "_init_state", "initial"),
        ("TRAINING", "pretrain_all", "constrain"),
        ("RUN_FIRST", "load_weights", "reload"),
        ("TEST_FUNCTIONS", "_test_it", "attest"),
        ("TEST_CLASSES", "TestIt", "Attested"),
        ("TEST_FILES", "test_a.py", "attest.py"),
        ("TEST_FOLDERS", "tests", "attests"),
        ("FUNCTIONS", "loss_fn", "fnord"),
        ("COMPILE_OPTIONS", "use_jit", "jitter"),
        ("MAKING", "make_model", "remake"),
        ("SHOWING", "plot_loss", "replot"),
        ("STEPS", "sgd_step", "log"),
        ("SOLVING", "solve_ode", "dissolve"),
        ("FIGURES", "ax1", "axon"),
        ("BENCHMARKS", "run_benchmark", "mark"),
        ("BASELINES", "naive_sum", "native"),
        ("PARAMETER_TREES", "ema_params", "x"),
        ("MODEL_PARAMETERS", "network_params", "param_count"),
        ("BATCHES", "train_loader", "loaders_of"),
        ("RANGES", "trange", "arrange"),
        ("OUTSIDE", "save_all", "unsaved"),
    ],
)
def test_what_they_take(name: str, hit: str, miss: str) -> None:
    prior = ALL[name]
    assert getattr(prior, prior.how)(hit)
    assert not getattr(prior, prior.how)(miss)
