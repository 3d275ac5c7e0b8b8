"""What the rules on code that fails under trace share."""

from __future__ import annotations

WORDS = frozenset({"jit", "pjit", "pmap", "filter_jit", "filter_pmap"})
"""The identifiers by which compile wrappers are written."""

CUES = frozenset({"if", "nonzero", "flatnonzero", "argwhere", "unique"})
"""Words by which code that something traces may ask for data; `if` stands for any test of it."""

NEEDS = {
    "shape": "a shape",
    "size": "a size",
    "axis": "an axis",
    "range": "`range`",
    "slice": "a slice bound",
    "index": "an index into a Python container",
    "key": "a key",
    "dtype": "a dtype",
    "format": "a format",
    "text": "a comparison with text",
    "option": "an option of the function called",
    "static": "a static argument of the function called",
    "test": "a Python test",
    "order": "a comparison",
    "conversion": "a conversion",
    "call": "a call",
    "numpy": "NumPy or `math`",
}
"""What a demand is for, in words; each is followed by `needs its value in Python`."""
