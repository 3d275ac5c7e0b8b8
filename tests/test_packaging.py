"""What the package says of itself; `make dist` builds it and tries it."""

from __future__ import annotations

import importlib.util
import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import jaxlint
from jaxlint.rules import HOME
from tests.floors import PROJECT, floors

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of the build's hook; what it takes from hatchling is only there while building."""
    interface = types.ModuleType("hatchling.metadata.plugin.interface")
    interface.MetadataHookInterface = object  # type: ignore[attr-defined]
    for name in ("hatchling", "hatchling.metadata", "hatchling.metadata.plugin"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_one_setting_holds_the_address(hook: Any) -> None:
    assert hook.home_in((ROOT / "jaxlint" / "rules" / "__init__.py").read_text("utf-8")) == HOME
    assert hook.urls("") == {}
    assert set(hook.urls("https://example.org/").values()) <= {
        "https://example.org/",
        "https://example.org/changelog.html",
    }
    with pytest.raises(ValueError, match="HOME"):
        hook.home_in("")


def test_without_an_address_the_readme_on_pypi_has_no_link_that_leads_nowhere(hook: Any) -> None:
    text = hook.readme(README, "")
    assert not re.search(r"\]\((?!https?:|#)", text)
    assert len(text) > len(README) * 0.7


def test_with_an_address_they_lead_to_the_site(hook: Any) -> None:
    text = hook.readme(README, "https://example.org/jaxlint/")
    assert "(https://example.org/jaxlint/ci.html)" in text
    assert not re.search(r"\]\((?!https?:|#)", text)


def test_each_dependency_has_a_floor_and_no_ceiling() -> None:
    assert len(floors(PROJECT["dependencies"])) == len(PROJECT["dependencies"])
    assert floors(["a>=1", "b-c>=1.2", "d>=1.2.3"]) == ["a==1.0", "b-c==1.2.0", "d==1.2.3"]
    with pytest.raises(ValueError, match="not a floor"):
        floors(["a<2"])


def test_the_oldest_jax_that_verify_takes_is_in_the_matrix() -> None:
    (verify,) = PROJECT["optional-dependencies"]["verify"]
    tested = re.search(r"^JAX \?= (\S+)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert tested is not None
    assert verify == f"jax>={tested[1]}"


def test_the_changelog_knows_the_version() -> None:
    assert f"## {jaxlint.__version__} (" in (ROOT / "CHANGELOG.md").read_text("utf-8")
