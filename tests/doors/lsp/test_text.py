"""Places in a text, as clients count them."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lsprotocol import types

from jaxlint.doors.lsp.text import Text

TEXTS = st.lists(st.sampled_from(["a", "é", "😀", "\n", "\r\n", "\r", "\x0c", "\u2028", "\t"]), max_size=12).map(
    "".join
)
UNITS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
SIZES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS, st.sampled_from(list(UNITS)))
def test_places_and_offsets_are_the_same_places(text: str, encoding: str) -> None:
    it = Text(text, encoding)
    for offset in range(len(text) + 1):
        place = it.position(offset)
        within = text[:offset].endswith("\r") and text[offset:].startswith("\n")
        assert it.offset(place) == offset or within
        start = it.offset(types.Position(place.line, 0))
        assert place.character == len(text[start:offset].encode(UNITS[encoding])) // SIZES[encoding]


@pytest.mark.parametrize("encoding", UNITS)
def test_what_is_behind_the_text_is_its_end(encoding: str) -> None:
    it = Text("é😀\nb", encoding)
    assert it.offset(types.Position(0, 99)) == 2
    assert it.offset(types.Position(9, 0)) == 4
    assert it.position(99) == types.Position(1, 1)
