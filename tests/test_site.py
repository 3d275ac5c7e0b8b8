"""The site builds without a warning, and can be searched without a network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sphinx", reason="the extra `docs` is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_built_and_links_lead_to_files(site: Path) -> None:
    pages = {page.relative_to(ROOT / "docs").with_suffix(".html") for page in (ROOT / "docs").rglob("*.md")}
    assert pages <= {page.relative_to(site) for page in site.rglob("*.html")}
    for page in site.rglob("*.html"):
        for link in re.findall(r'(?:href|src)="([^"#?:]+)["#?]', page.read_text("utf-8")):
            assert (page.parent / link).exists(), (page.relative_to(site), link)


def test_the_search_knows_the_rules_and_needs_no_network(site: Path) -> None:
    index = (site / "searchindex.js").read_text("utf-8")
    assert "rules/JAX104" in index
    loaded = re.findall(
        r'<(?:script|link)[^>]*(?:src|href)="(https?:[^"]*)"', (site / "search.html").read_text("utf-8")
    )
    assert loaded == []
