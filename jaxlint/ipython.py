"""What IPython understands and Python does not: magics, shell lines and help, in notebooks and scripts made of them.

They are hidden rather than cut out: what is put in their place is Python, and just as long, so that every offset into
the text still holds.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<string>'''(?:\\.|[^\\])*?(?:'''|\Z)|"{3}(?:\\.|[^\\])*?(?:"{3}|\Z)"""
    r"""|'(?:\\.|[^\\\r\n'])*'?|"(?:\\.|[^\\\r\n"])*"?|\#[^\r\n]*)"""
    r"""|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<joined>\\(?:\r\n|\r|\n))|(?P<end>\r\n|\r|\n)|(?P<help>\?)""",
    re.DOTALL | re.VERBOSE,
)
_ESCAPE = re.compile(r"[ \t\f]*(?P<mark>[%!?]|(?P<target>[\w.,\[\]'\" \t*()]*?=[ \t]*)(?P<value>[%!]))")
_TIMED = re.compile(r"[ \t\f]*(?P<magic>%(?:time|timeit)[ \t]+(?:-[a-zA-Z]+[ \t]*\d*[ \t]+)*)(?P<code>\S.*)")
_COMMAND = re.compile(
    r"[ \t]*(?:pip|conda|mamba|cd|ls|ll|mkdir|rmdir|cat|cp|mv|rm|env|run|time|timeit|matplotlib|load_ext|reload_ext|"
    r"autoreload|config|pylab|who|whos)[ \t]+(?!(?:in|is|and|or|if|else|not|for|as)\b)[\w~./\"'-]"
)
"""Magics that IPython takes without their `%` too, where no variable goes by that name."""

_LINE = re.compile(r"[^\r\n]*")
_NEWLINE = re.compile(r"\r\n|\r|\n")
_MARK = re.compile(r"[%!?]")
_ASSIGNED = re.compile(r"=[ \t]*[%!]")
_ASKED = re.compile(r"\?[ \t]*(?:[\r\n]|\Z)")

CELL_MAGIC = re.compile(r"\s*%%[ \t]*(\w+)")
PYTHON_CELL_MAGICS = frozenset(
    "capture debug ipytest lprun memit memray_flamegraph mprun prun scalene snakeviz time timeit wandb".split()
)
"""The cell magics below which is Python that runs in the scope of the other cells."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """Text of the file that is no Python: what it is and where; something else, as long, is linted in its place."""

    start: int
    text: str
    is_line: bool = True
    """Whether it is a whole line rather than the head of one that is Python for the rest."""

    @property
    def end(self) -> int:
        """The offset behind it."""
        return self.start + len(self.text)


def hide(text: str, *, commands: bool = False) -> tuple[str, tuple[Hidden, ...]]:
    """Return a text with what is no Python hidden, and what that is.

    `commands` says that magics without a `%` count as well, as they do in notebooks.
    """
    if not may_hold(text) and not (commands and _may_command(text)):
        return text, ()
    pieces: list[str] = []
    hidden: list[Hidden] = []
    place = 0
    for start, replacement, is_line in _hidden(text, commands=commands):
        end = start + len(replacement)
        hidden.append(Hidden(start, text[start:end], is_line))
        pieces += [text[place:start], replacement]
        place = end
    return "".join([*pieces, text[place:]]), tuple(hidden)


def may_hold(text: str) -> bool:
    """Tell whether a text could hold something for IPython, by the marks in it: `%`, `!` and `?`."""
    if _ASSIGNED.search(text) is not None or _ASKED.search(text) is not None:
        return True
    return any(_starts_line(text, mark.start()) for mark in _MARK.finditer(text))


def _starts_line(text: str, place: int) -> bool:
    start = max(text.rfind("\n", 0, place), text.rfind("\r", 0, place)) + 1
    return not text[start:place].strip(" \t\f")


def _may_command(text: str) -> bool:
    return any(_COMMAND.match(text, match.start()) for match in re.finditer(r"^[ \t]*[a-z]", text, re.MULTILINE))


def hide_in_script(text: str) -> tuple[str, tuple[Hidden, ...]]:
    """Do the same for a script that Python refuses, where nothing is hidden unless Python takes what is left."""
    masked, hidden = hide(text)
    return (masked, hidden) if hidden and parses(masked) else (text, ())


def parses(text: str) -> bool:
    """Tell whether Python takes a text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def syntax_error(text: str) -> tuple[int, str] | None:
    """Return where and why no parser takes the code of a cell; None where one does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        if _newer_syntax(text):
            return None
        starts = [0, *(match.end() for match in _NEWLINE.finditer(text))]
        start = starts[min(max(error.lineno or 1, 1), len(starts)) - 1]
        return min(
            start + max((error.offset or 1) - 1, 0), len(text)
        ), f"syntax error: {error.msg}; the cell is not linted"
    except (ValueError, RecursionError, MemoryError) as error:
        return 0, f"syntax error: {error}; the cell is not linted"
    return None


def _newer_syntax(text: str) -> bool:
    """Tell whether LibCST takes what the running Python does not."""
    import libcst

    try:
        libcst.parse_module(text)
    except (libcst.ParserSyntaxError, RecursionError, ValueError):
        return False
    return True


def blank(text: str) -> tuple[str, tuple[Hidden, ...]]:
    """Return a text with all of it hidden but for the line ends."""
    lines = [match for match in _LINE.finditer(text) if match.group()]
    return re.sub(r"[^\r\n]", " ", text), tuple(Hidden(match.start(), match.group()) for match in lines)


def _hidden(text: str, *, commands: bool) -> Iterator[tuple[int, str, bool]]:
    """Yield where something is hidden, what is there instead, and whether it is a whole line."""
    place = 0
    while place < len(text):
        end = _escape_end(text, place, commands=commands)
        if end is not None:
            yield from _replaced(text, place, end)
            place = end
        else:
            place, help_at = _logical_line(text, place)
            if help_at is not None:
                yield from _replaced(text, help_at, place)


def _escape_end(text: str, start: int, *, commands: bool) -> int | None:
    """Return where a magic or a shell line ends that starts at the start of a line; None if there is none."""
    escape = _ESCAPE.match(text, start)
    if escape is None and not (commands and _COMMAND.match(text, start)):
        return None
    place = start
    while True:
        line = _LINE.match(text, place)
        assert line is not None  # noqa: S101  (it may be empty)
        place = line.end()
        newline = _NEWLINE.match(text, place)
        if newline is None:
            return place
        place = newline.end()
        if not line.group().endswith("\\"):
            return place


def _logical_line(text: str, start: int) -> tuple[int, int | None]:
    """Return where a logical line ends, and where it starts if a `?` asks for help on it."""
    depth = 0
    help_at = None
    for token in _TOKEN.finditer(text, start):
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth -= 1
        elif token["help"] and depth <= 0:
            help_at = start
        elif token["end"] and depth <= 0:
            return token.end(), help_at
    return len(text), help_at


def _replaced(text: str, start: int, end: int) -> Iterator[tuple[int, str, bool]]:
    """Yield the pieces of some lines that are hidden, and what is there instead."""
    lines = text[start:end].splitlines(keepends=True)
    first = lines[0].rstrip("\r\n")
    timed = _TIMED.match(first)
    if timed is not None and len(lines) == 1 and parses(timed["code"]):
        yield start + timed.start("magic"), "0;".ljust(len(timed["magic"])), False
        return
    escape = _ESCAPE.match(first)
    indent = len(first) - len(first.lstrip(" \t\f"))
    if escape is not None and escape["value"] and parses(escape["target"].strip() + "_"):
        # Whatever it gives, Python does not know.
        indent, stand_in = escape.start("value"), "_"
    else:
        stand_in = "0"
    for number, line in enumerate(lines):
        body = line.rstrip("\r\n")
        if number == 0:
            yield start + indent, stand_in.ljust(len(body) - indent), True
        elif body:
            yield start, " " * len(body), True
        start += len(line)
