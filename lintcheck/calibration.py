"""What confidences hold, measured on the labelled places: the words that the linter may say, and the page about it.

For each family of rules, `calibration.toml` in `jaxlint/facts/evidence/` has how many findings at `high` and at
`medium` were read, and how many of them are right or arguable.  `high` is said where that is at least 19 in 20.
"""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lintcheck.fit import FAMILIES, Example, code_of, family_of

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "jaxlint" / "facts" / "evidence" / "calibration.toml"
PAGE = ROOT / "docs" / "reliability.md"
PICTURE = ROOT / "docs" / "_static" / "reliability.svg"
LEVELS = ("high", "medium", "low")
HIGH, MEDIUM = 0.95, 0.85
SURE = 0.9
"""What the share may not be below, nine times in ten: what was read is few, and the rules were shaped by it."""


@dataclass(frozen=True)
class Counted:
    """How many findings were read, and how many are right, and arguable."""

    read: int = 0
    right: int = 0
    arguable: int = 0

    @property
    def share(self) -> float:
        """The share that is right or arguable."""
        return (self.right + self.arguable) / self.read if self.read else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Where the share is, nine times in ten, in findings like these (Wilson)."""
        if not self.read:
            return 0.0, 1.0
        z, n, p = 1.645, self.read, self.share
        middle, width = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, (middle - width) / (1 + z * z / n)), min(1.0, (middle + width) / (1 + z * z / n))


Table = Mapping[str, Mapping[str, Counted]]


def measured(examples: Sequence[Example]) -> Table:
    """Count by family and by what the evidence alone says, before words are chosen by this table."""
    table: dict[str, dict[str, Counted]] = {}
    for family in FAMILIES:
        mine = [example for example in examples if family_of(code_of(example)) == family]
        table[family] = {level: _counted([example for example in mine if _grade(example) == level]) for level in LEVELS}
    return table


def _grade(example: Example) -> str:
    """Return what the evidence says, which the linter's words may have lowered."""
    return next((f.removeprefix("grade=") for f in example.features if f.startswith("grade=")), example.level)


def _counted(examples: Sequence[Example]) -> Counted:
    right = sum(example.right for example in examples)
    return Counted(len(examples), right, sum(example.good for example in examples) - right)


def said(family: Mapping[str, Counted], grade: str) -> str:
    """Return the word for a grade: `high` needs 19 in 20 of what was read, and enough of that to be sure of 9 in 10."""
    counted = family[grade]
    if grade == "high" and not (counted.share >= HIGH and counted.interval[0] >= SURE):
        return "medium"
    return grade


def write(table: Table) -> None:
    """Write the linter's table, the page and the picture."""
    _replace(TABLE, toml(table))
    _replace(PAGE, page(table))
    _replace(PICTURE, svg(table))


def read() -> Table:
    """Read the linter's table."""
    return {
        family: {grade: Counted(row[grade]["read"], row[grade]["right"], row[grade]["arguable"]) for grade in LEVELS}
        for family, row in tomllib.loads(TABLE.read_text("utf-8")).items()
    }


def _replace(file: Path, text: str) -> None:
    part = file.with_name(f".{file.name}.part")
    part.write_text(text, "utf-8", newline="\n")
    os.replace(part, file)


def toml(table: Table) -> str:
    """Return the table that the linter reads."""
    lines = ["# Written by `python -m lintcheck.field calibrate FOLDER`: what readers said of labelled findings.", ""]
    for family, grades in table.items():
        lines += [
            f'["{family}"]',
            f"rules = [{', '.join(repr(start) for start in FAMILIES[family])}]".replace("'", '"'),
        ]
        for grade in LEVELS:
            counted = grades[grade]
            figures = f"right = {counted.right}, arguable = {counted.arguable}, read = {counted.read}"
            lines.append(f'{grade} = {{ says = "{said(grades, grade)}", {figures} }}')
        lines.append("")
    return "\n".join(lines)


# --- the page --------------------------------------------------------------------------------------------------------

_INTRO = """# How reliable confidence is

Written by `python -m lintcheck.field calibrate FOLDER`, from the {read} places in public code for which
`lintcheck/labels.tsv` has a reader's verdict and which jaxlint still reports. A finding is shown as `high` if at least
19 in 20 findings of its kind were right or arguable, and enough were read to be sure of 9 in 10; `medium` aims at 17 in
20. The last column is the 90% interval of the share, for findings like those that were read.

These places shaped the rules, so the figures are lower for code that nobody has read. A sum of fitted weights over the
evidence and some twenty further facts was tried for each family (`python -m lintcheck.field fit FOLDER`). In
repositories that it was not fitted to, it chose no better than the evidence does by itself, so it is not used.

![Share of right or arguable findings, by family of rules and confidence](_static/reliability.svg)

"""


def page(table: Table) -> str:
    """Return the page: what was measured for each family and confidence."""
    read = sum(counted.read for grades in table.values() for counted in grades.values())
    lines = ["| rules | evidence | shown as | read | right | arguable | right or arguable | 90% interval |"]
    lines.append("|---|---|---|---:|---:|---:|---:|---|")
    for family, grades in table.items():
        for grade in LEVELS:
            counted = grades[grade]
            if not counted.read:
                continue
            low, high = counted.interval
            cells = [family, grade, said(grades, grade), str(counted.read), str(counted.right), str(counted.arguable)]
            lines.append(f"| {' | '.join(cells)} | {counted.share:.0%} | {low:.0%} to {high:.0%} |")
    return _INTRO.format(read=f"{read:,}") + "\n".join(lines) + "\n"


_COLORS = {"high": "#1a7f37", "medium": "#9a6700", "low": "#6e7781"}
_FONT = 'font-family="sans-serif" font-size="11" fill="currentColor" color="#24292f"'
_DARK = "<style>@media (prefers-color-scheme: dark) { svg { color: #d0d7de } }</style>"
_LEFT, _WIDTH, _ROW, _TOP = 190, 400, 18, 40


def svg(table: Table) -> str:
    """Return the picture: a line for each family and grade, from 0 to 100% right or arguable, with its interval."""
    rows = [
        (family, grade, grades[grade]) for family, grades in table.items() for grade in LEVELS if grades[grade].read
    ]
    height = _TOP + _ROW * len(rows) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 60} {height}" {_FONT}>{_DARK}',
        f'<text x="{_LEFT}" y="14">right or arguable, of the findings that were read (line: 90% interval)</text>',
    ]
    for share in (0.0, 0.25, 0.5, 0.75, MEDIUM, HIGH, 1.0):
        dashed = ' stroke-dasharray="3 3"' if share in (MEDIUM, HIGH) else ' opacity="0.3"'
        parts.append(f'<path d="M{_x(share)} {_TOP - 6}V{height - 6}" stroke="currentColor"{dashed}/>')
        if share not in (MEDIUM, 1.0):
            parts.append(f'<text x="{_x(share)}" y="{_TOP - 12}" text-anchor="middle">{share:.0%}</text>')
    before = ""
    for number, (family, grade, counted) in enumerate(rows):
        y = _TOP + _ROW * number + 8
        low, high = counted.interval
        color = _COLORS[grade]
        if family != before:
            parts.append(f'<text x="4" y="{y + 4}">{family}</text>')
        before = family
        parts += [
            f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end" fill="{color}">{grade}</text>',
            f'<path d="M{_x(low)} {y}H{_x(high)}" stroke="{color}" stroke-width="2"/>',
            f'<circle cx="{_x(counted.share)}" cy="{y}" r="4" fill="{color}"/>',
            f'<text x="{_LEFT + _WIDTH + 10}" y="{y + 4}">{counted.read}</text>',
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _x(share: float) -> int:
    return round(_LEFT + _WIDTH * share)
