"""Runs the commands of `docs/tour.md` and writes down what they print, and the pictures of it.

    python docs/record.py [--pictures]

A console block holds commands, each followed by its output.  They run one after the other in one folder that holds
`examples/fit.py`, so later commands see the fixed program.  With `--pictures` the page of the run is also photographed
in light and dark, for which Chromium must be installed.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path

DOCS = Path(__file__).parent
PAGE = DOCS / "tour.md"
STATIC = DOCS / "_static"
PROGRAM = DOCS.parent / "examples" / "fit.py"
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SGR = re.compile(r"\x1b\[([\d;]*)m")
_COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "35": "#d2a8ff", "36": "#76e3ea"}
_BOLD, _FAINT = ' font-weight="bold"', ' opacity="0.6"'
_SIZE, _WIDTH, _HEIGHT, _COLUMNS = 14, 8.43, 20, 96


def commands(block: str) -> list[str]:
    """Return the commands of a console block."""
    return [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]


def output(command: str, folder: Path, *, colours: bool = False) -> str:
    """Return what a command prints, errors included."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "JAX_PLATFORMS": "cpu", "COLUMNS": "100"}
    environment["FORCE_COLOR" if colours else "NO_COLOR"] = "1"
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    text = done.stdout.replace(str(folder), ".").replace(sys.executable, "python")
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def recorded(text: str, folder: Path) -> str:
    """Return the page with the output of its commands."""

    def run(match: re.Match[str]) -> str:
        parts = [f"$ {command}\n{output(command, folder)}" for command in commands(match[1])]
        return "```console\n" + "".join(parts).rstrip("\n") + "\n```"

    return _BLOCK.sub(run, text)


def styled(line: str) -> list[tuple[str, str]]:
    """Return the characters of a line of a terminal, each with its style."""
    characters, style = [], ""
    for index, part in enumerate(_SGR.split(line)):
        if index % 2:
            codes = part.split(";")
            colour = next((f' fill="{_COLOURS[code]}"' for code in codes if code in _COLOURS), "")
            style = (
                colour + (' font-weight="bold"' if "1" in codes else "") + (' opacity="0.6"' if "2" in codes else "")
            )
        else:
            characters += [(character, style) for character in part]
    return characters


def wrapped(characters: list[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """Yield the lines that a line takes on a terminal of `_COLUMNS`, broken at spaces."""
    while len(characters) > _COLUMNS:
        spaces = [at for at in range(_COLUMNS // 2, _COLUMNS) if characters[at][0] == " "]
        end = spaces[-1] if spaces else _COLUMNS
        yield characters[:end]
        characters = characters[end:]
        while characters and characters[0][0] == " ":
            characters = characters[1:]
    yield characters


def svg(text: str) -> str:
    """Draw the output of a terminal, with its colours."""
    lines = [part for line in text.rstrip("\n").splitlines() for part in wrapped(styled(line))]
    width = _COLUMNS * _WIDTH + 32
    height = len(lines) * _HEIGHT + 32
    drawn = []
    for number, line in enumerate(lines):
        groups = itertools.groupby(line, key=lambda item: item[1])
        spans = [f"<tspan{style}>{escape(''.join(c for c, _ in run))}</tspan>" for style, run in groups]
        drawn.append(f'<text x="16" y="{number * _HEIGHT + 30}" xml:space="preserve">{"".join(spans)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" font-size="{_SIZE}" '
        f'font-family="ui-monospace, Menlo, Consolas, monospace" fill="#e6edf3">\n'
        f'<rect width="100%" height="100%" rx="8" fill="#0d1117"/>\n{chr(10).join(drawn)}\n</svg>\n'
    )


def photograph(page: Path, to: Path, *, dark: bool) -> None:
    """Take a picture of a page in headless Chromium."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("the pictures need Chromium")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1000,900"]
    address = f"{page.as_uri()}?theme={'dark' if dark else 'light'}"
    subprocess.run([chromium, *options, f"--screenshot={to}", address], check=True, capture_output=True)


def main(*, pictures: bool) -> None:
    """Write the page, and with `pictures` all pictures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        shutil.copy(PROGRAM, folder)
        STATIC.mkdir(exist_ok=True)
        (STATIC / "check.svg").write_text(svg(output("jaxlint check fit.py", folder, colours=True)), "utf-8")
        text = recorded(PAGE.read_text("utf-8"), folder)
        if pictures:
            page = folder / "before.html"
            page.write_text(page.read_text("utf-8").replace(sys.executable, "python"), "utf-8")
            for dark in (False, True):
                photograph(page, STATIC / f"report-{'dark' if dark else 'light'}.png", dark=dark)
    PAGE.write_text(text, "utf-8")


if __name__ == "__main__":
    main(pictures="--pictures" in sys.argv[1:])
