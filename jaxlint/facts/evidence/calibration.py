"""The words for how sure findings are: what a grade of the evidence was worth where readers judged.

`calibration.toml` is written by `python -m lintcheck.field calibrate FOLDER`.  For each family of rules it has how many
findings of each grade were read, how many of them were right and arguable, and what word holds for them.
"""

from __future__ import annotations

import functools
import pkgutil
import tomllib
from collections.abc import Mapping

from jaxlint.finding import Confidence


def said(code: str, grade: Confidence) -> Confidence:
    """Return the word for a grade of a rule's finding; a rule of no family says its grade."""
    return _words(code).get(grade, grade)


@functools.cache
def _words(code: str) -> Mapping[Confidence, Confidence]:
    family = next((family for family in _families() if code.startswith(tuple(family["rules"]))), {})
    return {grade: Confidence.from_label(family[grade.label]["says"]) for grade in Confidence if grade.label in family}


@functools.cache
def _families() -> tuple[dict[str, dict[str, str]], ...]:
    data = pkgutil.get_data(__name__, "calibration.toml")
    assert data is not None  # noqa: S101
    return tuple(tomllib.loads(data.decode()).values())
