"""What a run of the user's own says of findings: the tier `observed` of `jaxlint verify --from-run`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxlint.doctor import advice
from jaxlint.doctor.causes import Cause
from jaxlint.doctor.join import Joined
from jaxlint.doctor.model import Flood, MissGroup
from jaxlint.doctor.text import seconds

if TYPE_CHECKING:
    from jaxlint.diagnostic import Diagnostic


@dataclass(frozen=True, slots=True)
class Observed:
    """What was seen at the place of a finding.

    `confirmed` tells whether the effect showed; where it did not, nothing is decided: a run may call a place once.
    `traces`, `compiles` and `cache_loads` are those of the whole run; None where they do not apply.
    """

    confirmed: bool
    reason: str
    traces: int | None = None
    compiles: int | None = None
    cache_loads: int | None = None
    equations: int | None = None
    seconds: float | None = None


Place = tuple[str, str]
"""The absolute path of a file, and the fingerprint of a finding in it."""


def observe(joined: Joined) -> dict[Place, Observed]:
    """Return what a run shows of each finding that it says anything of."""
    paths = {text.name: text.path for text in joined.sources.texts}
    seen: dict[Place, Observed] = {}
    for suggestion in joined.suggestions:
        for diagnostic in suggestion.findings:
            groups = [m for m in suggestion.misses if diagnostic in joined.of_miss[id(m)]]
            if not groups and not suggestion.floods:
                continue
            floods = [flood for flood in suggestion.floods if diagnostic in joined.of_flood[id(flood)]]
            found = _of_misses(groups, joined, diagnostic) if groups else _of_floods(floods or suggestion.floods)
            place = (paths[diagnostic.filename], diagnostic.fingerprint)
            if found is not None and (place not in seen or found.confirmed):
                seen[place] = found
    return seen


def unseen(joined: Joined, path: str) -> Observed:
    """Return what is to be said of a finding that `observe` is silent on, by the absolute path of its file."""
    sources = joined.sources
    if path in (text.path for text in sources.texts):
        reason = "the run compiled nothing here that this finding would explain"
    else:
        reasons = (why for file, why in sources.missing.items() if sources.find(file) == path)
        reason = next(reasons, "the run compiled nothing from this file and may not have reached it")
    return Observed(False, reason)


def _of_misses(groups: list[MissGroup], joined: Joined, diagnostic: Diagnostic) -> Observed | None:
    first = groups[0]
    if first.cause is Cause.NEW_FUNCTION:
        return _of_size(first, joined)
    # The first call of each function, which any program makes, is a call too.
    keys = {group.key for group in groups}
    sites = {group.site for group in groups}
    both = groups + [
        group
        for group in joined.model.misses
        if group.cause is Cause.NEW_FUNCTION and group.key in keys and group.site in sites
    ]
    count, inner = sum(group.count for group in both), sum(group.inner for group in both)
    compiles, loads = sum(group.compiles for group in both), sum(group.cache_loads for group in both)
    spent = sum(group.cost.total for group in both)
    parts = [_counted(compiles, "compile")]
    if loads:
        parts.append(_counted(loads, "load from the persistent cache", "loads from the persistent cache"))
    rows = range(diagnostic.location.row, diagnostic.end_location.row + 1)
    if first.cause is Cause.REDEFINED_FUNCTION and all(site is not None and site.line in rows for site in sites):
        # What is made and called at one place misses in each call.
        parts.insert(0, _counted(count, "call"))
    if inner == count:
        parts = [f"{_counted(count, 'trace')} within other traces"]
    elif spent:
        parts.append(seconds(spent))
    return Observed(True, f"{', '.join(parts)} in this run", count, compiles, loads, seconds=round(spent, 6))


def _of_size(group: MissGroup, joined: Joined) -> Observed | None:
    equations = joined.model.equations.get(group.key)
    if equations is None:
        return None
    many = equations.count >= advice.MANY_EQUATIONS
    spent = group.cost.total
    text = f"a program of {_counted(equations.count, 'equation')}, {seconds(spent)}, in this run"
    return Observed(
        many,
        text if many else f"{text}: nothing that takes long",
        group.count,
        group.compiles,
        group.cache_loads,
        equations.count,
        round(spent, 6),
    )


def _of_floods(floods: list[Flood]) -> Observed:
    compiles, loads = sum(flood.compiles for flood in floods), sum(flood.cache_loads for flood in floods)
    spent = sum(flood.cost.total for flood in floods)
    text = f"{_counted(compiles + loads, 'operation was', 'operations were')} compiled one by one, {seconds(spent)}"
    return Observed(True, f"{text}, in this run", None, compiles, loads, seconds=round(spent, 6))


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
