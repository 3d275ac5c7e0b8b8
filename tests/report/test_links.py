"""Links lead to the built site once its address is known, and are left out until then."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

import jaxlint.rules
from jaxlint import Settings, Source
from jaxlint.diagnostic import Diagnostic
from jaxlint.linter import lint
from jaxlint.report import Report, Style, load
from jaxlint.rules import rules

DOCS = Path(__file__).parents[2] / "docs"
FORMATS = ("json", "json-lines", "markdown", "rdjson", "rdjsonl", "sarif")
ADDRESS = "https://jaxlint.example/"
CODE = "import jax\ndef f(x):\n    return jax.jit(lambda y: y)(x)\n"


def written(format_: str) -> str:
    source = Source(CODE)
    found = tuple(Diagnostic.of(finding, source, "a.py") for finding in lint(source, Settings()))
    assert found
    out = io.StringIO()
    load(format_).write(Report(found, files=1), out, Style())
    return out.getvalue()


@pytest.mark.parametrize("format_", FORMATS)
def test_without_an_address_there_is_no_link(format_: str) -> None:
    text = written(format_)
    assert "JAX102.html" not in text
    assert "pypi.org" not in text
    assert '"None"' not in text
    if format_ in ("json", "rdjson", "sarif"):
        json.loads(text)


@pytest.mark.parametrize("format_", FORMATS)
def test_with_an_address_links_lead_to_pages(format_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jaxlint.rules, "HOME", ADDRESS)
    links = re.findall(rf"{re.escape(ADDRESS)}([\w/]+)\.html", written(format_))
    assert links
    for link in links:
        assert (DOCS / f"{link}.md").is_file(), link


def test_every_rule_has_the_page_that_its_link_leads_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jaxlint.rules, "HOME", ADDRESS)
    for rule in rules().values():
        assert rule.url is not None
        page = rule.url.removeprefix(ADDRESS).removesuffix(".html")
        assert (DOCS / f"{page}.md").is_file()
