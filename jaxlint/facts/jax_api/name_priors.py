"""Names that make something more likely, or less: what each suggests, and what it was worth where readers judged.

A name is a prior, never a verdict: what the code shows outweighs it.  This is the one table of such names; what a name
of JAX or of a library *means* is no prior, and is kept where it is asked for.

`good` of `read` labelled findings were right or arguable whose place has such a name; of all of them, 715 of 1,600.
`of` says where it was looked for, which is wider than where it is asked for.  `python -m lintcheck.field names FOLDER`
measures that again.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class NamePrior:
    """Names that suggest something: a regular expression for all of a name, its beginning or a part, as `how` says.

    `of` is "function" for the name of the function around a place, "line" for names on the line of a place, "path" for
    the names of its file and folders.
    """

    of: str
    says: str
    good: int
    read: int
    text: str
    how: str = "fullmatch"

    @functools.cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled expression."""
        return re.compile(self.text)

    def fullmatch(self, name: str) -> re.Match[str] | None:
        """Return a match where all of a name is one of them."""
        return self.pattern.fullmatch(name)

    def match(self, name: str) -> re.Match[str] | None:
        """Return a match where a name begins with one of them."""
        return self.pattern.match(name)

    def search(self, name: str) -> re.Match[str] | None:
        """Return a match where one of them is part of a name."""
        return self.pattern.search(name)


# How often loops run

DATA_LENGTHS = NamePrior(
    "line",
    "the bound of a loop that grows with the data, from the unrolled loops that careful readers called bad",
    240,
    445,
    r"(.*_)?(n|num|max|total|n_)?_?(steps?|epochs?|iters?|iterations?|frames?|seq(uence)?(_?len(gth)?)?|len(gth)?s?|"
    r"horizon|batch(_?size)?|batches|height|width|rounds?|rows?|cols?|columns?|pixels?|samples?|timesteps?|"
    r"time_?points?|tokens?|degrees?|sims?|simulations?|particles?|trajector(y|ies))(_.*)?|L|T|H|W|num_frames",
)
DATA = NamePrior(
    "line",
    "what a program goes through for long",
    266,
    477,
    r"(?i)(.*_)?(data(set|loader)?|loader|batch(es)?|iterator|stream|epochs?|episodes?|t?range_?|tqdm)(_.*)?",
)
STRUCTURE = NamePrior(
    "line",
    "the bound of a loop that is small by nature: unrolling it is right",
    117,
    310,
    r".*(layer|head|agent|stage|block|expert|group|dim|axis|axes|level|depth|channel|player|species|order|term|"
    r"device|shard|sector|bit_length|mode|class|branch|entit|param|hidden|model|net|ensemble|member|car|leg|arm|link|component|estimator|octave|"
    r"coef|exponent|material|metal|constraint|percentile|quantile|irrep|modalit|bead|fold|"
    r"joint|latent|radius|window|stencil|halo|ghost|neighbor|neighbour|corner|vertex|vertices|ngram|n_gram|unroll).*",
)
COORDINATES = NamePrior(
    "line",
    "a loop variable or a bound that counts coordinates, channels or components",
    32,
    70,
    r"(n_?|num_?)?(d|ax|c|ch|chan|dims?|ndims?|axis|axes|channels?|comp|components?|coords?|coordinates?|xyz)",
)
VECTORS = NamePrior(
    "line",
    "an array whose trailing axis holds coordinates",
    13,
    22,
    r"(.*_)?(coords?|coordinates?|points?|pos|positions?|xyz|velocit(y|ies)|vel|vecs?|vectors?|directions?|"
    r"displacements?|forces?|normals?|way_?points?)",
)

# What functions are for

SET_UP = NamePrior(
    "function",
    "it sets up, once, what a loop uses later",
    20,
    77,
    r"_*(init|setup|build|create|make|reset)(_|$)",
    how="match",
)
TRAINING = NamePrior(
    "function",
    "it trains, so that its loop is where a program spends its time",
    128,
    374,
    r"(?i)(^|_)(fit|train|learn|pretrain|finetune|main|run)|optimi[sz]e|minimi[sz]e",
    how="search",
)
RUN_FIRST = NamePrior(
    "function",
    "it runs before what it sets up is used",
    89,
    410,
    r"set_?up|init|build|create|make|compile|configure|load|restore|reset|clear|fit|prepare|register|add|read|open|"
    r"connect|attach|from_|train$|evaluate$|run$|main$|test",
    how="match",
)
TEST_FUNCTIONS = NamePrior("function", "it is a test", 11, 147, r"_*test.*")
TEST_CLASSES = NamePrior("function", "its methods are tests", 2, 54, r"_*(Test.*|.*Tests?|.*TestCase)")

TEST_FILES = NamePrior(
    "path",
    "the file has tests or benchmarks",
    21,
    184,
    r"(test_.*|.*_test|tests?|_*testing|conftest|bench_.*|.*_bench|benchmarks?|benchmark_.*|.*_benchmark|"
    r"(.*_)?repro(_.*)?)\.py",
)
TEST_FOLDERS = NamePrior(
    "path", "the files in it have tests or benchmarks", 19, 148, r"tests?|testing|bench|benchmarks?"
)

# What parameters and settings are for

FUNCTIONS = NamePrior(
    "line", "a parameter that is a function", 35, 138, r"f|fn|func|function|callback|activation|.*_(fn|func|function)"
)
COMPILE_OPTIONS = NamePrior(
    "line",
    "a setting that decides whether something is compiled",
    131,
    404,
    r"(.*_)?(jit|jitted|jittable|compile|compiled|debug|debugging|eager|eagerly|scan)(_.*)?",
)

# What calls and functions do in a loop

MAKING = NamePrior(
    "function",
    "it makes something, once",
    13,
    63,
    r"init|create|make|build|setup|reset",
    how="match",
)
SHOWING = NamePrior(
    "function",
    "it shows or describes, and nobody waits for it",
    3,
    5,
    r"(render|plot|draw|show|display|print|visuali[sz]e|animate|repr|diagnose|describe|inspect|debug|summar(y|i[sz]e))(_.*)?"
    r"|(.*_)?(str|repr)(ing)?_*",
)
STEPS = NamePrior(
    "line",
    "a call that is a step of its own",
    143,
    325,
    r"step|update|train|run|fit|predict|apply|forward|solve|rollout|sample|simulate|optimi[sz]e|minimi[sz]e",
    how="search",
)
SOLVING = NamePrior(
    "line",
    "a call that is a whole program by itself, beside which a few operations are nothing",
    72,
    152,
    r"(.*_)?(solver?|solve_ivp|gmres|bicgstab|cg|lobpcg|eigsh|minimi[sz]e|optimi[sz]e|least_squares|root|newton|"
    r"simulate|integrate|odeint|diffeqsolve|scan|fit|train)|(solve|minimi[sz]e|optimi[sz]e|scan)_.*",
)
FIGURES = NamePrior(
    "line",
    "a figure or a screen that is drawn on",
    2,
    10,
    r"plt|ax\d*|axes|axs|fig\w*|pyplot|sns|plotly|go|canvas|screen|renderer|viewer|imageio",
)
BENCHMARKS = NamePrior(
    "function",
    "it times others",
    1,
    13,
    r"(?i)(.*_)?(benchmark(s|ing)?|bench|timeit|time_it|speed_?test)(_.*)?",
)
BASELINES = NamePrior(
    "function",
    "it is there to be compared with what is fast",
    1,
    6,
    r"(?i)(.*_)?(naive(ly)?|slow|unvectori[sz]ed|non?_?vectori[sz]ed|eager|non?_?jit|unjitted|without_jit)(_.*)?"
    r"|manual(ly)?_.*",
)
PARAMETER_TREES = NamePrior(
    "line",
    "a tree that has a leaf for each array of a model",
    100,
    275,
    r"(.*_)?(params?|parameters?|weights?|grads?|gradients?|ema|model|state|targets?)(_.*)?",
)
MODEL_PARAMETERS = NamePrior(
    "line",
    "what a model is applied with: the parameters of all its layers",
    32,
    87,
    r"(.*_)?(params|parameters|variables)",
)
BATCHES = NamePrior(
    "line",
    "it gives a program the data to go through",
    13,
    16,
    r"(.*_)?((data|train(ing)?|test|val(id|idation)?)?_?(loader|generator)|dataset|batches|stream)",
)
RANGES = NamePrior(
    "line",
    "it counts, whatever else its name says",
    207,
    351,
    r"(?i)(.*_)?t?ranges?(_.*)?",
)
OUTSIDE = NamePrior(
    "line",
    "a call that reads or writes something, so that its function is a run and no calculation",
    14,
    32,
    r"_*(open|print|input|load|save|read|write|log(?=_|ger|ging)|plot|restore|download|dump)(s|_.*)?",
)

ALL = {name: value for name, value in list(globals().items()) if isinstance(value, NamePrior)}
"""All of them, by name."""
