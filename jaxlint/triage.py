"""Which files could hold a finding at all, by the words of their text: most need not be parsed."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxlint.facts.incoming import Incoming
    from jaxlint.rules import Rule

LIBRARIES = ("jax", "flax", "equinox", "eqx", "haiku")
"""A file that mentions none of these, nor the module of a configured wrapper, holds nothing to find."""

TRACE_WORDS = frozenset(
    "jit pmap pjit filter_jit filter_pmap vmap filter_vmap grad value_and_grad filter_grad filter_value_and_grad "
    "checkpoint remat scan while_loop fori_loop cond switch compact pallas_call Module "
    "psum pmean pmax pmin psum_scatter all_gather all_to_all ppermute pshuffle pswapaxes axis_index".split()
)
"""The identifiers by which code that runs under trace is marked."""

_LOOPS = frozenset({"for", "while"})
_WORD = re.compile(r"[^\W\d]\w*")
_STRING = r"""(?:'''(?:\\.|[^\\])*?'''|"{3}(?:\\.|[^\\])*?"{3}|'(?:\\.|[^\\\r\n'])*+'|"(?:\\.|[^\\\r\n"])*+")"""
_CODE = re.compile(rf"((?i:fr?|rf|tr?|rt){_STRING}|[^\W\d]\w*)|{_STRING}|#[^\r\n]*|\\.", re.DOTALL)
"""A word, or a string that holds code, in the group; other strings and comments outside of it."""


def wanted(source_text: str, rules: Iterable[Rule], wrappers: Iterable[str], incoming: Incoming) -> list[Rule]:
    """Return those of some rules that could find anything in a text.

    Args:
        source_text: the text of the file.
        rules: the rules that run.
        wrappers: the dotted names of wrappers that are configured.
        incoming: what the rest of the project says about the file.
    """
    names = tuple(sorted(wrappers))
    if not incoming.telling and not _libraries(names).search(source_text):
        return []
    words = _words(source_text)
    if not words.isdisjoint(name.rpartition(".")[2] for name in (*names, *incoming.telling)):
        return list(rules)
    traced = bool(incoming.traced) or not TRACE_WORDS.isdisjoint(words)
    loops = not words.isdisjoint(_LOOPS)
    return [
        rule
        for rule in rules
        if _has_any(rule.words, words) or (loops and rule.array_loops) or (traced and not rule.cues.isdisjoint(words))
    ]


def _words(source_text: str) -> set[str]:
    """Return the identifiers and keywords of a text; what its comments and strings mention is no code."""
    found = set(_CODE.findall(source_text))
    for text in [text for text in found if text[-1:] in ("'", '"')]:
        found.update(_WORD.findall(text))
    return found


def _has_any(triggers: frozenset[str], words: Collection[str]) -> bool:
    """Whether a text's words hold a trigger; of `tree.map` they hold both parts."""
    if not triggers.isdisjoint(words):
        return True
    return any("." in trigger and all(part in words for part in trigger.split(".")) for trigger in triggers)


@functools.lru_cache(maxsize=8)
def _libraries(wrappers: tuple[str, ...]) -> re.Pattern[str]:
    modules = {name.partition(".")[0] for name in wrappers}
    return re.compile("|".join(map(re.escape, (*LIBRARIES, *sorted(modules)))))
