"""Dumps of equation counts, which are gzipped protocol buffers."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxlint.doctor import pprof
from jaxlint.doctor.events import Frame
from tests.doctor import logs

DUMPS = sorted(logs.LOGS.glob(f"jax-*/*{pprof.SUFFIX}"))


@pytest.mark.parametrize("file", DUMPS, ids=lambda file: file.parent.name)
def test_the_unrolled_loop(file: Path) -> None:
    found = pprof.load(file.read_bytes(), file.name)
    assert found.program == "relax"
    assert found.definition == Frame("/home/user/project/unrolled_loop.py", 6, "relax")
    at_loop = [sample for sample in found.samples if sample.stack and sample.stack[0].line == 9]
    assert sum(sample.count for sample in at_loop) >= 160
    assert {sample.primitive for sample in at_loop} >= {"add", "mul"}
    assert {sample.stack[0].function for sample in at_loop} == {"relax"}


def test_dumps_are_recorded_of_versions_that_make_them() -> None:
    assert {file.parent.name for file in DUMPS} == {"jax-0.7.2", "jax-0.8.2", "jax-0.9.0", "jax-0.10.2"}


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_what_is_no_dump_is_said(data: st.DataObject) -> None:
    whole = gzip.decompress(DUMPS[0].read_bytes())
    cut = data.draw(st.integers(0, len(whole) - 1))
    change = data.draw(st.binary(max_size=3))
    broken = whole[:cut] + change
    for raw in (broken, gzip.compress(broken), DUMPS[0].read_bytes()[:cut]):
        try:
            pprof.load(raw, "x")
        except pprof.PprofError as error:
            assert str(error)  # noqa: PT017  (that nothing else is raised is the point)


def test_text_is_no_dump() -> None:
    with pytest.raises(pprof.PprofError):
        pprof.load(b"hello, world", "x")
