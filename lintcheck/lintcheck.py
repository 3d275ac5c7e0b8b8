"""What jaxlint finds in published packages, each finding with the verdict of somebody who read it: `make lintcheck`.

    python lintcheck/lintcheck.py                       lints, and writes findings.tsv and summary.md
    python lintcheck/lintcheck.py --sample 60 --seed 0  prints as well 60 findings at random, at most 5 a package
    python lintcheck/lintcheck.py --no-lint             writes summary.md again, after verdicts were written

`packages.txt` pins the packages.  pip downloads them into `lintcheck/packages`, which git ignores; nothing of them is
installed or run.  `findings.tsv` has one sorted row for each finding at the default confidence, so that a change of a
rule shows as a difference to review.  A verdict is written into its row by hand, and stays with the finding: `right`,
`arguable` (true, but hardly worth a change), `wrong`, or `unread`; the reason stands beside it.

`repositories.tsv` has the same columns for findings that were read in public repositories, each named with its commit.
It is written by hand and linted by nobody: it is the record of what was read before a rule left preview.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path

from jaxlint.rules import rules
from jaxlint.rules.page import status

HERE = Path(__file__).parent
VERDICTS = ("right", "arguable", "wrong", "unread")
MOST_OF_A_PACKAGE = 5
"""So that no package decides what a sample says."""
CONTEXT = 12


@dataclass(frozen=True, order=True)
class Row:
    """One finding, as it stands in findings.tsv."""

    package: str
    path: str
    row: int
    code: str
    confidence: str
    fingerprint: str
    verdict: str = "unread"
    reason: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What a finding is known by from one run to the next."""
        return self.package, self.path, self.code, self.fingerprint


@dataclass(frozen=True)
class Package:
    """A package, and how much code it is."""

    name: str
    version: str
    files: int
    lines: int
    jax_lines: int
    """The lines of those files that mention jax at all."""


def main() -> None:
    """Download, lint, write, and print a sample if one is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="how many findings to draw for judging")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="which ones to draw (default: %(default)s)")
    parser.add_argument("--no-lint", action="store_true", help="take the findings as they were written")
    arguments = parser.parse_args()
    file = HERE / "findings.tsv"
    known = read(file) if file.exists() else []
    packages: list[Package] = []
    messages: dict[Row, str] = {}
    for pin in pins((HERE / "packages.txt").read_text("utf-8")):
        folder = download(pin, HERE / "packages")
        packages.append(measured(pin, folder))
        if not arguments.no_lint:
            messages |= findings(packages[-1].name, folder)
    rows = known if arguments.no_lint else with_verdicts(messages, known)
    write(file, rows)
    elsewhere = HERE / "repositories.tsv"
    text = summary(packages, rows, read(elsewhere) if elsewhere.exists() else [])
    (HERE / "summary.md").write_text(text, "utf-8", newline="\n")
    print(judged(rows))
    if arguments.sample:
        drawn = sample([row for row in rows if is_default(row)], arguments.sample, arguments.seed)
        told = {row.key: message for row, message in messages.items()}
        for number, row in enumerate(drawn, 1):
            print(shown(number, row, told.get(row.key, ""), HERE / "packages"))
        print(f"of this sample, {judged(drawn)}")


def pins(text: str) -> list[str]:
    """Return the pinned requirements of a list, comments left out."""
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def download(pin: str, packages: Path) -> Path:
    """Have pip download a package, unless it is there, and unpack it; return its folder."""
    folder = packages / pin
    if folder.exists():
        return folder
    fetched, unpacked = packages / f".{pin}.wheel", packages / f".{pin}"
    for part in (fetched, unpacked):
        shutil.rmtree(part, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    wheel = ["--only-binary", ":all:", "--ignore-requires-python", "--dest", str(fetched)]
    subprocess.run([*pip, *wheel, pin], check=True)
    (archive,) = fetched.glob("*.whl")
    with zipfile.ZipFile(archive) as content:
        content.extractall(unpacked, [name for name in content.namelist() if name.endswith(".py")])
    shutil.rmtree(fetched)
    unpacked.rename(folder)
    return folder


def measured(pin: str, folder: Path) -> Package:
    """Count files and lines."""
    name, _, version = pin.partition("==")
    contents = [file.read_bytes() for file in folder.rglob("*.py")]
    lines = [content.count(b"\n") for content in contents]
    with_jax = sum(number for number, content in zip(lines, contents, strict=True) if b"jax" in content)
    return Package(name, version, len(contents), sum(lines), with_jax)


def findings(package: str, folder: Path) -> dict[Row, str]:
    """Lint a package as a user would, with the rules in preview besides; return findings with their messages."""
    command = [
        sys.executable,
        "-m",
        "jaxlint",
        "check",
        "--isolated",
        "--no-cache",
        "--preview",
        "--output-format",
        "json",
        ".",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or done.stderr:
        # Files that nobody can parse, as templates, are findings; anything else is a failure of the tool.
        sys.exit(f"{package}: jaxlint check ended with {done.returncode}\n{done.stderr}{done.stdout[-2000:]}")
    return {
        Row(
            package=package,
            path=Path(finding["filename"]).as_posix(),
            row=finding["location"]["row"],
            code=finding["code"],
            confidence=finding["confidence"],
            fingerprint=finding["fingerprint"],
        ): finding["message"]
        for finding in json.loads(done.stdout)
    }


def with_verdicts(rows: Iterable[Row], known: Iterable[Row]) -> list[Row]:
    """Return findings in order, each with the verdict that was given before, if one was."""
    before = {row.key: row for row in known}
    merged = []
    for row in rows:
        old = before.get(row.key, row)
        merged.append(replace(row, verdict=old.verdict, reason=old.reason))
    return sorted(merged)


def read(file: Path) -> list[Row]:
    """Read the rows of a table.

    Raises:
        SystemExit: a verdict is none.
    """
    with file.open(encoding="utf-8", newline="") as text:
        table = csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE)
        rows = [Row(row=int(record.pop("row")), **record) for record in table]
    for row in rows:
        if row.verdict not in VERDICTS:
            sys.exit(f"{file}: {row.path}:{row.row}: {row.verdict!r} is none of {', '.join(VERDICTS)}")
    return rows


def write(file: Path, rows: Iterable[Row]) -> None:
    """Write the rows of a table."""
    lines = [[field.name for field in fields(Row)], *([str(cell) for cell in astuple(row)] for row in rows)]
    file.write_text("".join("\t".join(cells) + "\n" for cells in lines), "utf-8", newline="\n")


def is_default(row: Row) -> bool:
    """Tell whether a finding is shown to a user who set nothing."""
    return status(rules()[row.code]) == "stable"


def sample(rows: Iterable[Row], size: int, seed: int) -> list[Row]:
    """Draw findings at random, but for the limit on those of one package.

    A finding's place in the draw depends on the seed and on the finding alone, so that one that comes or goes leaves
    the others where they are.
    """
    drawn: list[Row] = []
    taken: Counter[str] = Counter()
    for row in sorted(rows, key=lambda row: hashlib.sha256("\0".join((str(seed), *row.key)).encode()).digest()):
        if len(drawn) < size and taken[row.package] < MOST_OF_A_PACKAGE:
            drawn.append(row)
            taken[row.package] += 1
    return drawn


def shown(number: int, row: Row, message: str, packages: Path) -> str:
    """Return a finding with the code around it."""
    (folder,) = packages.glob(f"{row.package}==*")
    lines = (folder / row.path).read_text("utf-8", "replace").split("\n")
    first = max(0, row.row - 1 - CONTEXT)
    code = [
        f"{'>' if index == row.row - 1 else ' '} {index + 1:5} {lines[index].rstrip()}"
        for index in range(first, min(len(lines), row.row + CONTEXT))
    ]
    head = f"--- {number}. {folder.name} {row.path}:{row.row} {row.code} ({row.confidence}), {row.verdict} {row.reason}"
    return "\n".join([head.rstrip(), message, *code])


# --- the summary -----------------------------------------------------------------------------------------------------


def judged(rows: Sequence[Row]) -> str:
    """Return in words how many findings there are, and what became of those that were read."""
    counted = Counter(row.verdict for row in rows)
    told = len(rows) - counted["unread"]
    good = counted["right"] + counted["arguable"]
    share = f", which is {good / told:.2f} right or arguable" if told else ""
    verdicts = ", ".join(f"{counted[verdict]} {verdict}" for verdict in VERDICTS)
    return f"{len(rows)} findings: {verdicts}{share}"


def summary(packages: Sequence[Package], rows: Sequence[Row], elsewhere: Sequence[Row] = ()) -> str:
    """Return the page that says how many findings there are of each rule and in each package.

    Args:
        packages: the packages that were linted.
        rows: the findings in them.
        elsewhere: findings that were read in public repositories.
    """
    lines = sum(package.lines for package in packages)
    with_jax = sum(package.jax_lines for package in packages)
    files = sum(package.files for package in packages)
    default = [row for row in rows if is_default(row)]
    intro = (
        f"{len(packages)} packages, {files} files, {lines} lines, {with_jax} of them in files that mention jax. "
        f"At the default confidence, {judged(default)}; {per_lines(len(default), lines)} in 10,000 lines, "
        f"{per_lines(len(default), with_jax)} where jax is mentioned. "
        f"Rules in preview, which do not run by default, have {len(rows) - len(default)} more."
    )
    parts = [
        "# Findings in published packages\n\n",
        "Written by `make lintcheck`; [findings.tsv](findings.tsv) has each finding, and the verdict of a reader.\n\n",
        intro,
        "\n\n## By rule\n\n",
        *table(("rule", "runs"), by_rule(rows)),
        "\n## By package\n\n",
        *table(("package", "lines", "per 10,000 lines"), by_package(packages, rows)),
    ]
    if elsewhere:
        repositories = len({row.package for row in elsewhere})
        told = (
            "What was read in public repositories, at the commits that [repositories.tsv](repositories.tsv) names, "
            "together with the findings above. A rule leaves preview when twenty of its findings were read, and nine "
            "in ten of them are right or arguable.\n\n"
        )
        parts += [
            f"\n## With {repositories} public repositories\n\n",
            told,
            *table(("rule", "runs"), by_rule([*rows, *elsewhere])),
        ]
    return "".join(parts)


def per_lines(count: int, lines: int) -> str:
    """Return how many there are in 10,000 lines."""
    return f"{10_000 * count / lines:.2f}" if lines else "–"  # noqa: RUF001


def by_rule(rows: Sequence[Row]) -> Iterator[tuple[tuple[str, ...], list[Row]]]:
    """Yield the first cells, and the findings, of each rule that has any."""
    for code, rule in rules().items():
        found = [row for row in rows if row.code == code]
        if found:
            yield (f"{code} {rule.name}", status(rule)), found


def by_package(packages: Sequence[Package], rows: Sequence[Row]) -> Iterator[tuple[tuple[str, ...], list[Row]]]:
    """Yield the first cells, and the findings, of each package."""
    for package in packages:
        found = [row for row in rows if row.package == package.name]
        share = per_lines(sum(map(is_default, found)), package.lines)
        yield (f"{package.name} {package.version}", str(package.lines), share), found


def table(head: tuple[str, ...], body: Iterable[tuple[tuple[str, ...], list[Row]]]) -> Iterator[str]:
    """Yield the lines of a table whose last columns count findings and verdicts."""
    yield "| " + " | ".join((*head, "findings", *VERDICTS)) + " |\n"
    yield "|---|" + "---:|" * (len(head) + len(VERDICTS)) + "\n"
    for cells, rows in body:
        counted = Counter(row.verdict for row in rows)
        yield "| " + " | ".join([*cells, str(len(rows)), *(str(counted[verdict]) for verdict in VERDICTS)]) + " |\n"


if __name__ == "__main__":
    main()
