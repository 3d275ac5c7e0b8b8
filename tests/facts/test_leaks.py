"""Who reads what traced code leaves behind."""

from __future__ import annotations

import pytest

from tests.facts.test_contexts import facts_of

TEXT = """
class Simulation:
    def __init__(self, rate):
        self.settings = dict(rate=rate)
    {method}
def f(x):
    simulation = Simulation(x)
    {before}
    def run(rate):
        simulation.settings = rate
        return rate
    y = jax.jit(run)(x)
    {after}
    return y
{more}
"""


@pytest.mark.parametrize(
    ("places", "read"),
    [
        ({}, False),
        ({"before": "print(simulation.settings)"}, False),
        ({"after": "print(simulation.settings)"}, True),
        ({"method": "def show(self): print(self.settings)"}, True),
        ({"more": "def g(x):\n    simulation = Simulation(x)\n    print(simulation.settings)"}, False),
        ({"more": "def g(other): print(other.settings)"}, False),
    ],
)
def test_what_is_stored_in_a_local_variable_is_read_of_that_variable(places: dict[str, str], *, read: bool) -> None:
    """Another function has an object of its own, and what comes before the trace reads no tracer."""
    empty = dict.fromkeys(("method", "before", "after", "more"), "")
    (leak,) = facts_of(TEXT.format(**{**empty, **places})).leaks
    assert (leak.read is not None) is read


def test_a_text_that_formats_several_traced_values_is_one() -> None:
    printed = "print(f'{y:.1f}' f'{y + 1:.1f} {y * 2:.1f}')"
    facts = facts_of(f"@jax.jit\ndef f(x):\n    y = jnp.sin(x)\n    {printed}\n    {printed}\n    return y")
    assert [demand.use for demand in facts.staged.data_in_python] == ["format", "format"]
