"""Edits in a text that is not written down as it is: cells of a notebook, and lines that are hidden."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxlint.finding import Edit
    from jaxlint.ipython import Hidden


class EditError(Exception):
    """Edits cannot be made in the file, though they could in the text; the text of the exception says why."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a notebook: its number, from 1 on, and where its code is in the text.

    From `end` to the start of the next cell there is a line end if the cell has none of its own.
    """

    number: int
    start: int
    end: int


def spliced(text: str, edits: Iterable[Edit]) -> str:
    """Return a text after edits that are in order and do not overlap."""
    pieces = []
    position = 0
    for edit in edits:
        pieces += [text[position : edit.span.start], edit.text]
        position = edit.span.end
    return "".join([*pieces, text[position:]])


class Moved:
    """Where an offset is after edits that are in order; what is inserted at an offset comes before it."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._ends = [edit.span.end for edit in edits]
        self._shifts = [0]
        for edit in edits:
            self._shifts.append(self._shifts[-1] + len(edit.text) - (edit.span.end - edit.span.start))

    def __call__(self, offset: int) -> int:
        """Return the new offset of an old one that is in no edit."""
        return offset + self._shifts[bisect.bisect_right(self._ends, offset)]


def check_hidden(text: str, hidden: Sequence[Hidden], edits: Sequence[Edit]) -> None:
    """Refuse edits that change what is hidden.

    Raises:
        EditError: there is one.
    """
    for item in hidden:
        end_of_line = item.end
        if not item.is_line:
            # What follows on the line must stay there.
            end_of_line = next((at for at in range(item.end, len(text)) if text[at] in "\r\n"), len(text))
        for edit in edits:
            inside = edit.span.start < item.end and edit.span.end > item.start
            breaking = item.end <= edit.span.start <= end_of_line and item.end != end_of_line and _breaks(edit.text)
            if inside or breaking:
                raise EditError("it would change a line that is for IPython")


def _breaks(text: str) -> bool:
    return "\n" in text or "\r" in text


def edited_cells(
    text: str, cells: Sequence[Cell], hidden: Sequence[Hidden], edits: Sequence[Edit], after: str
) -> tuple[Cell, ...]:
    """Return where cells are after edits that are in order.

    Raises:
        EditError: an edit reaches from one cell into another, or would put something before the magic of a cell.
    """
    if not cells:
        return ()
    starts = [cell.start for cell in cells]
    shifts = [0] * len(cells)
    for edit in edits:
        number = max(bisect.bisect_right(starts, edit.span.start) - 1, 0)
        if edit.span.start == edit.span.end == starts[number] and has_magic(cells[number], hidden):
            # The magic must stay the first line of its cell.
            number -= 1
        following = starts[number + 1] if number + 1 < len(cells) else len(text)
        if number < 0 or edit.span.end > following:
            raise EditError("it would reach from one cell of the notebook into another")
        shifts[number] += len(edit.text) - (edit.span.end - edit.span.start)
    return tuple(_placed(text, cells, shifts, after))


def has_magic(cell: Cell, hidden: Sequence[Hidden]) -> bool:
    """Tell whether a cell starts with a magic, which must stay its first line."""
    return any(cell.start <= item.start < cell.end and item.text.startswith("%%") for item in hidden)


def _placed(text: str, cells: Sequence[Cell], shifts: Sequence[int], after: str) -> Iterator[Cell]:
    place = 0
    for number, cell in enumerate(cells):
        last = number + 1 == len(cells)
        following = len(text) if last else cells[number + 1].start
        end = place + following - cell.start + shifts[number]
        region = after[place:end]
        if region and not region.endswith(("\n", "\r")):
            if not last:
                raise EditError("it would join two cells of the notebook")
            kept = len(region)
        elif following > cell.end:
            # The line end that the cell itself does not have.
            kept = len(region) - 1 if region else 0
        else:
            kept = len(region)
        yield Cell(cell.number, place, place + kept)
        place = end
