"""What a terminal is shown: Markdown without its marks, in lines that fit."""

from __future__ import annotations

import re

import pytest

from jaxlint import terminal
from jaxlint.rules import rules
from jaxlint.rules.page import page

TEXT = """\
# title (JAX1)

Some `jax.jit(f)` code, **strong** and *slanted* words, [a page](index.md) and [the docs](https://example.org/d), that
go on.

## Example
```python
x = `1`  # as it is

y = 2
```
- one that is longer than the line is wide
- two

- <https://example.org>
"""


def test_markdown_without_colours() -> None:
    assert "\n".join(terminal.markdown(TEXT, color=False, width=40)) == (
        "title (JAX1)\n\n"
        "Some jax.jit(f) code, strong and slanted\nwords, a page and the docs\n"
        "(https://example.org/d), that go on.\n\n"
        "Example\n\n    x = `1`  # as it is\n\n    y = 2\n\n"
        "- one that is longer than the line is\n  wide\n- two\n\n- https://example.org\n"
    )


def test_colours_change_no_text() -> None:
    colored = "\n".join(terminal.markdown(TEXT, color=True, width=400))
    assert "\x1b[36mjax.jit(f)\x1b[0m" in colored
    plain = "\n".join(terminal.markdown(TEXT, color=False, width=400))
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == plain


@pytest.mark.parametrize("rule", rules().values(), ids=lambda rule: rule.code)
def test_no_page_leaves_marks_behind(rule: object) -> None:
    lines = list(terminal.markdown(page(rule), color=False, width=80))  # type: ignore[arg-type]
    text = "\n".join(line for line in lines if not line.startswith("    "))
    assert not re.search(r"^#|```|\]\(|[\ue000-\uf8ff]", text, re.MULTILINE)
    assert all(len(line) <= 80 or " " not in line.strip() for line in text.splitlines())
