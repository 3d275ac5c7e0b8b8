"""What the package's metadata says of the project's address: one setting, `HOME` in `jaxlint/rules/__init__.py`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Hook(MetadataHookInterface):
    """Gives the metadata its addresses, and the README links that lead somewhere on PyPI."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add to the metadata, in place."""
        root = Path(self.root)
        home = home_in((root / "jaxlint" / "rules" / "__init__.py").read_text("utf-8"))
        metadata["urls"] = urls(home)
        text = readme((root / "README.md").read_text("utf-8"), home)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def home_in(source: str) -> str:
    """Return the setting; the empty text where the address is not known yet.

    Raises:
        ValueError: there is no such setting.
    """
    found = re.search(r'^HOME = "(.*)"$', source, re.MULTILINE)
    if found is None:
        raise ValueError('jaxlint/rules/__init__.py has no line HOME = "..."')
    return found[1]


def urls(home: str) -> dict[str, str]:
    """Return the addresses that PyPI shows; none where none is known."""
    if not home:
        return {}
    return {"Homepage": home, "Documentation": home, "Changelog": f"{home}changelog.html"}


def readme(text: str, home: str) -> str:
    """Return the README with its relative links leading to the site, or, without one, with their texts alone."""
    text = re.sub(r"!\[([^\]]*)\]\(docs/([^)]*)\)\n*", rf"![\1]({home}\2)\n\n" if home else "", text)

    def changed(match: re.Match[str]) -> str:
        label, target = match[1], match[2]
        page = re.fullmatch(r"docs/([\w/-]+)\.md(#.*)?", target)
        return f"[{label}]({home}{page[1]}.html{page[2] or ''})" if home and page else label

    return re.sub(r"(?<!!)\[([^\]]*)\]\((?![a-z]+:|#)([^)]*)\)", changed, text)
