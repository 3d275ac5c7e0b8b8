"""Write the parts of the documentation that the code knows best: `make docs`.

    python docs/generate.py           writes them
    python docs/generate.py --check   tells whether they are as they would be written, with exit code 1 if not

A rule's page is its docstring; `jaxlint.schema.json` is made of the keys of the configuration.  In `index.md` and
`configuration.md` only what stands between the two marks is written.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from jaxlint.config import OPTIONS, Option
from jaxlint.rules import Rule, rules
from jaxlint.rules.page import page, status
from jaxlint.schema import schema

DOCS = Path(__file__).parent
START = "<!-- written by `make docs` from here -->"
END = "<!-- to here -->"


def pages() -> dict[Path, str]:
    """Return the text that each written file should have."""
    known = rules()
    return {
        DOCS / "index.md": _between(DOCS / "index.md", _table(list(known.values()))),
        DOCS / "configuration.md": _between(DOCS / "configuration.md", "\n".join(map(_option, OPTIONS.values()))),
        DOCS / "jaxlint.schema.json": json.dumps(schema(), indent=2) + "\n",
        **{DOCS / "rules" / f"{code}.md": page(rule) for code, rule in known.items()},
    }


def stale() -> list[Path]:
    """Return the files that are not as they should be, pages of rules that are gone included."""
    wanted = pages()
    changed = [file for file, text in wanted.items() if not file.exists() or file.read_text("utf-8") != text]
    return changed + [file for file in sorted((DOCS / "rules").glob("*.md")) if file not in wanted]


def write() -> None:
    """Bring all files up to date."""
    wanted = pages()
    (DOCS / "rules").mkdir(exist_ok=True)
    for file in stale():
        if file in wanted:
            file.write_text(wanted[file], "utf-8", newline="\n")
        else:
            file.unlink()


def _between(file: Path, text: str) -> str:
    before, _, rest = file.read_text("utf-8").partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n\n{text}\n{END}{after}"


def _table(known: list[Rule]) -> str:
    rows = ["| code | name | reports | impact | runs |", "|---|---|---|---|---|"]
    for rule in known:
        link = f"[{rule.code}](rules/{rule.code}.md)"
        rows.append(f"| {link} | {rule.name} | {rule.summary} | {rule.impact or '–'} | {status(rule)} |")  # noqa: RUF001
    return "\n".join(rows) + "\n"


def _option(option: Option) -> str:
    return (
        f"### `{option.key}`\n\n{option.help}\n\n- type: {option.type}\n- default: `{option.default}`\n\n"
        f"```toml\n{option.example}\n```\n"
    )


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        for path in stale():
            print(f"{path.relative_to(DOCS.parent)} is not up to date: run `make docs`")
        sys.exit(bool(stale()))
    write()
