"""What names are worth: of the labelled places that have one, how many findings are right or arguable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from jaxlint.facts.jax_api.name_priors import ALL, NamePrior
from lintcheck.labels import UNREAD, Label

_NAME = re.compile(r"[^\W\d]\w*")


def table(rows: Sequence[Label], folder: Path, folders: Mapping[str, str]) -> str:
    """Return the figures of all priors, and of all places.

    Args:
        rows: the labels.
        folder: where the code is.
        folders: the folder of each repository in there.
    """
    done = [row for row in rows if row.verdict != UNREAD]
    lines = {row: _line(row, folder / folders.get(row.repository, row.repository)) for row in done}
    told = ["| names | of | good | read | share |", "|---|---|---:|---:|---:|"]
    told.append(_row("(all places)", "", done))
    for name, prior in ALL.items():
        told.append(_row(name, prior.of, [row for row in done if has(prior, row, lines[row])]))
    return "\n".join(told) + "\n"


def has(prior: NamePrior, row: Label, line: str) -> bool:
    """Whether a place has one of the names."""
    return any(getattr(prior, prior.how)(name) is not None for name in _names(prior, row, line))


def _names(prior: NamePrior, row: Label, line: str) -> Iterator[str]:
    if prior.of == "path":
        yield from Path(row.path).parts
    elif prior.of == "line":
        yield from _NAME.findall(line)
    else:
        yield from row.context.split(".")


def _line(row: Label, folder: Path) -> str:
    path = folder / (f"{row.path}.py" if row.path.endswith(".ipynb") else row.path)
    lines = path.read_text("utf-8", "replace").splitlines() if path.exists() else []
    return lines[row.line - 1] if row.line <= len(lines) else ""


def _row(name: str, of: str, rows: Iterable[Label]) -> str:
    verdicts = [row.verdict for row in rows]
    good = sum(verdict != "wrong" for verdict in verdicts)
    share = f"{good / len(verdicts):.0%}" if verdicts else "–"  # noqa: RUF001
    return f"| {name} | {of} | {good} | {len(verdicts)} | {share} |"
