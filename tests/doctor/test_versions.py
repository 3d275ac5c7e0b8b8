"""What jax wrote from 0.4.30 to 0.10: one program is the same run, whatever the version calls things."""

from __future__ import annotations

import pytest

from tests.doctor import logs

NEW, AGAIN = "new-function", "redefined-function"
EXPECTED = {
    "bound_methods": {
        ("smooth", 17, NEW): 1,
        ("smooth", 17, AGAIN): 1,
        ("sharpen", 29, NEW): 1,
        ("sharpen", 29, "static-value"): 2,
    },
    "eager_scan": {("scan", 7, NEW): 1, ("scan", 7, AGAIN): 2, ("while", 11, NEW): 1, ("while", 11, AGAIN): 1},
    "eager_tree_map": {("normalised_tree", 19, NEW): 1},
    "fresh_callables": {
        (name, row, cause): 1 for name, row in (("<lambda>", 13), ("blend", 17), ("norm", 21)) for cause in (NEW, AGAIN)
    },
    "nested_function": {("pairwise", 11, NEW): 1, ("pairwise", 11, AGAIN): 2},
    "persistent_cache": {("<lambda>", 14, NEW): 1, ("<lambda>", 14, AGAIN): 2},
    # The second epoch's function is compiled for both shapes, which that of the first was compiled for.
    "training": {("step", 33, NEW): 1, ("step", 33, AGAIN): 2, ("step", 33, "shape"): 1},
    "unrolled_loop": {("relax", 13, NEW): 1},
    "varying_arguments": {
        ("score", 26, NEW): 1,
        ("score", 26, "shape"): 1,
        ("score", 27, "dtype"): 1,
        ("histogram", 30, NEW): 1,
        ("histogram", 30, "static-value"): 2,
        ("histogram", 31, "shape"): 1,
        ("combine", 32, NEW): 1,
        ("combine", 33, "pytree"): 1,
        ("combine", 34, "weak-type"): 1,
        ("score", 36, "context"): 1,
        ("score", 37, "shape"): 1,
    },
}
PLACELESS = {"0.7.2", "0.8.2"}
"""These say nothing of what control flow outside of compiled functions is given."""


def test_versions_are_recorded() -> None:
    assert logs.VERSIONS == ["0.4.30", "0.4.38", "0.5.3", "0.7.2", "0.8.2", "0.9.0", "0.10.2"]
    assert sorted(EXPECTED) == logs.NAMES


@pytest.mark.parametrize("name", logs.NAMES)
def test_functions_compiles_and_causes(name: str) -> None:
    models = {version: logs.read(logs.text(name, version))[0] for version in logs.VERSIONS}
    newest = models["0.10.2"]
    for version, model in models.items():
        assert logs.functions(model) == logs.functions(newest), version
        assert logs.operations(model) == logs.operations(newest), version
        expected = EXPECTED[name]
        if name == "eager_scan" and version in PLACELESS:
            expected = {(function, 0, cause): count for (function, _, cause), count in expected.items()}
        assert logs.causes(model) == expected, version


@pytest.mark.parametrize("version", logs.VERSIONS)
@pytest.mark.parametrize("name", logs.NAMES)
def test_every_line_is_understood(name: str, version: str) -> None:
    log = logs.text(name, version)
    model, reader = logs.read(log)
    assert model.unknown == 0
    assert reader.cut == 0
    assert reader.lines == log.count("\n")
    # XLA's warning that a program in the persistent cache is of another machine.
    assert reader.passed_over == sum("cpu_aot_loader.cc" in line for line in log.splitlines())


@pytest.mark.parametrize("version", logs.VERSIONS)
def test_seconds_add_up(version: str) -> None:
    for name in logs.NAMES:
        model, _ = logs.read(logs.text(name, version))
        totals = model.totals.cost
        parts = [function.cost for function in model.functions]
        assert sum(part.trace for part in parts) == pytest.approx(totals.trace)
        assert sum(part.lowering for part in parts) == pytest.approx(totals.lowering)
        assert sum(part.compile for part in parts) == pytest.approx(totals.compile)
        grouped = sum(group.cost.total for group in model.misses if group.site is not None)
        grouped += sum(flood.cost.total for flood in model.floods if flood.site is not None)
        assert model.attributed * totals.total == pytest.approx(grouped, abs=1e-9)


def test_loads_from_the_persistent_cache_are_no_compiles() -> None:
    for version in logs.VERSIONS[1:]:
        model, _ = logs.read(logs.text("persistent_cache", version))
        (function,) = [f for f in model.functions if f.key.name == "<lambda>"]
        assert (function.traces, function.compiles, function.cache_loads) == (3, 1, 2)
        assert model.totals.persistent == {"miss": 2, "hit": 2, "write": 1, "skipped": 1}
    # 0.4.30 says nothing of hits unless it is told to debug.
    model, _ = logs.read(logs.text("persistent_cache", "0.4.30"))
    assert model.totals.persistent == {}


@pytest.mark.parametrize("version", logs.VERSIONS)
def test_a_trace_within_another_costs_nothing_of_its_own(version: str) -> None:
    model, _ = logs.read(logs.text("training", version))
    inner = [group for group in model.misses if group.key.name == "predict"]
    assert {(group.cause.value, group.count, group.inner) for group in inner} == {(NEW, 1, 1), ("shape", 1, 1)}
    assert sum(group.cost.total for group in inner) == 0


@pytest.mark.parametrize("version", logs.VERSIONS)
def test_without_explanations_the_types_of_arguments_tell(version: str) -> None:
    lines = logs.text("varying_arguments", version).splitlines()
    kept = [line for line in lines if "Finished" in line or "Compiling" in line]
    model, _ = logs.read("\n".join(kept))
    assert logs.causes(model) == {
        ("score", 0, NEW): 1,
        ("score", 0, "shape"): 2,
        ("score", 0, "dtype"): 1,
        ("score", 0, "unknown"): 1,
        ("combine", 0, NEW): 1,
        ("combine", 0, "pytree"): 1,
        ("combine", 0, "weak-type"): 1,
    }
    # A function that is called like one of jax's own is taken for it.
    assert [flood.operations["histogram"] for flood in model.floods] == [4]
    assert model.attributed == pytest.approx(0)
    assert model.totals.traces is None


def test_each_build_of_a_function_has_a_number() -> None:
    model, _ = logs.read(logs.text("nested_function", "0.10.2"))
    assert [program.id for program in model.programs] == ["[pairwise/0]", "[pairwise/1]", "[pairwise/2]"]
    again = next(group for group in model.misses if group.cause.value == AGAIN)
    assert again.ids == ["[pairwise/1]", "[pairwise/2]"]
