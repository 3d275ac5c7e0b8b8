"""Weights of the evidence, fitted to what readers said: logistic regression, with a penalty chosen across repositories.

The findings of one repository are alike, so that a fit is only ever judged on repositories that it has not seen.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PENALTIES = (0.3, 1.0, 3.0, 10.0, 30.0)
FOLDS = 5
RARE = 5
"""Evidence that fewer examples have gets no weight of its own."""
BINS = (0.0, 0.5, 0.7, 0.85, 0.95, 1.0)
INTERCEPT = "(always)"


@dataclass(frozen=True)
class Example:
    """A candidate that was read: the evidence for it, and whether it is right or arguable."""

    repository: str
    features: tuple[str, ...]
    good: bool
    split: str
    right: bool = False
    level: str = "low"
    """What confidence the linter gives it by itself."""

    @property
    def shown(self) -> bool:
        """Whether it is shown by default."""
        return self.level != "low"


@dataclass(frozen=True)
class Model:
    """What each piece of evidence adds to the log-odds."""

    weights: dict[str, float]
    penalty: float

    def probability(self, features: Sequence[str]) -> float:
        """Return how likely a finding with this evidence is right or arguable."""
        total = self.weights[INTERCEPT] + sum(self.weights.get(feature, 0.0) for feature in set(features))
        return 1 / (1 + math.exp(-total))


def fitted(examples: Sequence[Example]) -> Model:
    """Fit with the penalty that does best on repositories which were left out.

    Raises:
        ValueError: there are no examples.
    """
    if not examples:
        raise ValueError("nothing to fit to")
    losses = {penalty: _loss(examples, held_out(examples, penalty)) for penalty in PENALTIES}
    return with_penalty(examples, min(PENALTIES, key=lambda penalty: losses[penalty]))


def with_penalty(examples: Sequence[Example], penalty: float) -> Model:
    """Fit with one penalty, on the squares of all weights but that of the intercept."""
    counted = Counter(feature for example in examples for feature in set(example.features))
    names = [INTERCEPT, *sorted(name for name, count in counted.items() if RARE <= count < len(examples))]
    column = {name: index for index, name in enumerate(names)}
    matrix = np.zeros((len(examples), len(names)))
    matrix[:, 0] = 1
    for row, example in enumerate(examples):
        for feature in example.features:
            if feature in column:
                matrix[row, column[feature]] = 1
    target = np.array([float(example.good) for example in examples])
    weights = _newton(matrix, target, penalty)
    return Model(dict(zip(names, weights.tolist(), strict=True)), penalty)


def _newton(matrix: Floats, target: Floats, penalty: float) -> Floats:
    # A touch of it on the intercept too: otherwise there is no optimum where all examples agree.
    ridge = np.diag([1e-3] + [penalty] * (matrix.shape[1] - 1))
    weights = np.zeros(matrix.shape[1])

    def objective(at: Floats) -> float:
        logits = matrix @ at
        return float(np.sum(np.logaddexp(0, logits) - target * logits) + at @ ridge @ at / 2)

    for _ in range(100):
        said = 1 / (1 + np.exp(-np.clip(matrix @ weights, -30, 30)))
        gradient = matrix.T @ (said - target) + ridge @ weights
        hessian = (matrix.T * (said * (1 - said))) @ matrix + ridge
        step = np.linalg.solve(hessian, gradient)
        scale = 1.0
        while objective(weights - scale * step) > objective(weights) and scale > 1e-6:
            scale /= 2
        weights = weights - scale * step
        if np.max(np.abs(scale * step)) < 1e-8:
            break
    return weights


def held_out(examples: Sequence[Example], penalty: float) -> list[float]:
    """Return for each example what a fit without its repository, and without others in its fold, says."""
    folds = [hashlib.sha256(f"fold\0{example.repository}".encode()).digest()[0] % FOLDS for example in examples]
    said = [0.5] * len(examples)
    for fold in sorted(set(folds)):
        rest = [example for example, other in zip(examples, folds, strict=True) if other != fold]
        if rest:
            model = with_penalty(rest, penalty)
            for index, example in enumerate(examples):
                if folds[index] == fold:
                    said[index] = model.probability(example.features)
    return said


def _loss(examples: Sequence[Example], said: Sequence[float]) -> float:
    """Return the log loss."""
    clipped = [min(max(probability, 1e-6), 1 - 1e-6) for probability in said]
    return -sum(
        math.log(probability if example.good else 1 - probability)
        for example, probability in zip(examples, clipped, strict=True)
    )


# --- whether a sum of weights does better ---------------------------------------------------------------------------

FAMILIES = {
    "JAX101 to 105, 108, 109": ("JAX101", "JAX102", "JAX103", "JAX104", "JAX105", "JAX108", "JAX109"),
    "JAX106, 107": ("JAX106", "JAX107"),
    "JAX2xx": ("JAX2",),
    "JAX301 to 303": ("JAX3",),
    "JAX401": ("JAX401",),
    "JAX402": ("JAX402",),
    "JAX403 to 406": ("JAX403", "JAX404", "JAX405", "JAX406"),
    "JAX5xx": ("JAX5",),
}
"""Rules that are alike, by how their codes begin."""


def family_of(code: str) -> str:
    """Return the family of a rule, the code itself where it has none."""
    return next((name for name, starts in FAMILIES.items() if code.startswith(starts)), code)


def comparison(examples: Sequence[Example]) -> str:
    """Return, by family, how good what is shown is, and how good as many findings are that a sum of weights chooses.

    Each sum is of a family's own weights, the linter's own choice among them, and is asked about repositories that it
    was not fitted to.  Where it does better in both, it would be worth to replace what chooses now.
    """
    lines = [
        "| rules | read | right | shown | good | right | by a sum: good | right | better |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    for family in FAMILIES:
        mine = [_with_level(example) for example in examples if family_of(code_of(example)) == family]
        shown = [example for example in mine if example.shown]
        if not shown:
            continue
        said = min((held_out(mine, penalty) for penalty in PENALTIES), key=lambda said: _loss(mine, said))
        order = sorted(range(len(mine)), key=lambda index: (-said[index], index))
        chosen = [mine[index] for index in order[: len(shown)]]
        better = _good(chosen) >= _good(shown) and _right(chosen) >= _right(shown)
        cells = [family, str(len(mine)), str(_right(mine)), str(len(shown)), _share(shown), str(_right(shown))]
        cells += [_share(chosen), str(_right(chosen)), "yes" if better else "no"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _with_level(example: Example) -> Example:
    return replace(example, features=(*example.features, f"level={example.level}"))


def code_of(example: Example) -> str:
    """Return the rule of an example."""
    rule = next((feature for feature in example.features if feature.startswith("rule=")), "rule=?")
    return rule.removeprefix("rule=")


def _good(examples: Sequence[Example]) -> int:
    return sum(example.good for example in examples)


def _right(examples: Sequence[Example]) -> int:
    return sum(example.right for example in examples)


# --- tables ----------------------------------------------------------------------------------------------------------


def table(examples: Sequence[Example], splits: Sequence[str] = ("choose",)) -> str:
    """Return the weights that the learning half gives, and what was said against what was measured.

    Args:
        examples: what was read, of all parts of the set.
        splits: the parts to measure on besides the learning half, which is measured on repositories left out.
    """
    learning = [example for example in examples if example.split == "learn"]
    model = fitted(learning)
    parts = [weights(model, learning)]
    said = held_out(learning, model.penalty)
    parts.append(reliability("learn, repositories left out", learning, said))
    for split in splits:
        here = [example for example in examples if example.split == split]
        parts.append(reliability(split, here, [model.probability(example.features) for example in here]))
    return "\n".join(parts)


def weights(model: Model, examples: Sequence[Example]) -> str:
    """Return a table of the weights, with how many examples have the evidence, and how many of these are good."""
    lines = [f"penalty {model.penalty:g}, {len(examples)} examples\n", "| evidence | weight | read | good |"]
    lines.append("|---|---:|---:|---:|")
    for name, weight in sorted(model.weights.items(), key=lambda item: (item[0] != INTERCEPT, -item[1], item[0])):
        mine = [example for example in examples if name == INTERCEPT or name in example.features]
        lines.append(f"| {name} | {weight:+.2f} | {len(mine)} | {_share(mine)} |")
    return "\n".join(lines) + "\n"


def reliability(title: str, examples: Sequence[Example], said: Sequence[float]) -> str:
    """Return a table of what was said against what was measured, over all rules and for each family."""
    pairs = list(zip(examples, said, strict=True))
    lines = [f"{title}: {len(pairs)} examples\n", "| rules | said | mean | read | good |", "|---|---|---:|---:|---:|"]
    families = sorted({_family(example) for example in examples})
    lines += _bins("all", pairs, lambda _: True)
    for family in families:
        lines += _bins(family, pairs, lambda example, family=family: _family(example) == family)  # type: ignore[misc]
    return "\n".join(lines) + "\n"


def _bins(name: str, pairs: Sequence[tuple[Example, float]], wanted: Callable[[Example], bool]) -> list[str]:
    lines = []
    for low, high in itertools.pairwise(BINS):
        here = [
            (example, probability)
            for example, probability in pairs
            if wanted(example) and (low <= probability < high or probability == high == 1.0)
        ]
        if here:
            mean = sum(probability for _, probability in here) / len(here)
            good = _share([example for example, _ in here])
            lines.append(f"| {name} | {low:.2f} to {high:.2f} | {mean:.2f} | {len(here)} | {good} |")
    return lines


def _family(example: Example) -> str:
    return f"{code_of(example)[:4]}xx"


def _share(examples: Sequence[Example]) -> str:
    return f"{sum(example.good for example in examples) / len(examples):.2f}" if examples else "–"  # noqa: RUF001
