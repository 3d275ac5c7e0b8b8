"""Edits of what wrappers that compile say of arguments: a missing static one added, an unknown one corrected."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import libcst as cst

from jaxlint.facts.context.calls import argument_of
from jaxlint.facts.errors.demands import operands, use_of_argument
from jaxlint.facts.errors.staged import Usage
from jaxlint.facts.syntax.constants import UNKNOWN
from jaxlint.facts.syntax.names import Expression, External
from jaxlint.facts.syntax.tree import Class, Function, Parameter
from jaxlint.facts.values.values import Kind
from jaxlint.finding import Applicability, Fix
from jaxlint.fixes.checks import errors
from jaxlint.fixes.moved_code.captures import ARRAY_MODULES
from jaxlint.fixes.text import options
from jaxlint.fixes.text.edits import Draft
from jaxlint.fixes.text.syntax import NoFixError

if TYPE_CHECKING:
    from jaxlint.facts.cache_misses.signatures import WrongArgument
    from jaxlint.facts.context.wrapping import Wrapped
    from jaxlint.facts.errors.demands import Demand
    from jaxlint.facts.errors.plain_methods import PlainMethod
    from jaxlint.facts.module import ModuleFacts

_KEEPING = ("jax.grad", "jax.value_and_grad")
"""Transforms that leave an argument that they do not differentiate as it is."""

_EXPECTED = "something catches the error, which would be gone"
_OF_TEXT_AND_ENUMS = frozenset("value name lower upper startswith endswith split strip format".split())
BOUND_TO_ORDER = frozenset(
    {"in_shardings", "in_axes", "in_axis_resources", "abstracted_axes", "donate", "args_sharding", "argnums"}
)
"""Options of wrappers that mention each argument that is not static: one more static argument breaks them."""


def add_static(facts: ModuleFacts, demand: Demand, parameter: Parameter) -> Fix | None:
    """Make a parameter static wherever something compiles its function, or passes it on from a compiled one.

    Raises:
        NoFixError: not all of those places can be changed, or the parameter cannot be static.
    """
    sources = _sources(facts, demand, parameter)
    draft = Draft(facts)
    for wrapped, names in sources.found.values():
        extend_statics(draft, wrapped, names)
    sure = sources.sure and demand.use != "call" and facts.staged.usage(parameter) is Usage.GIVEN
    sure = sure and not facts.tree.context(demand.node).branch
    condition = "" if sure else "what is given has a hash, and few values"
    if errors.expected(draft.syntax, parameter.function.name):
        condition = _EXPECTED
    elif sure:
        condition = sources.doubt
    names = list(dict.fromkeys(name for _, chosen in sources.found.values() for name in chosen))
    return draft.fix(
        Applicability.UNSAFE if condition else Applicability.SAFE,
        f"Make {' and '.join(f'`{name}`' for name in names)} static",
        condition,
    )


def make_instance_static(facts: ModuleFacts, plain: PlainMethod) -> Fix | None:
    """Make the instance of a compiled method static.

    Raises:
        NoFixError: instances have no hash, or the decorator has no such option.
    """
    if not plain.wrapped.wrapper.compiles:
        raise NoFixError("a transform has no static arguments")
    if facts.arguments.has_no_hash(plain.cls):
        raise NoFixError("instances have no hash")
    name = plain.function.parameters[0].name
    draft = Draft(facts)
    extend_statics(draft, plain.wrapped, [name])
    return draft.fix(Applicability.UNSAFE, f"Make `{name}` static", "instances must not change after the first call")


def names_to_add(facts: ModuleFacts, demand: Demand, parameter: Parameter, function: Function) -> list[str]:
    """Return the parameters of a jitted function that `add_static` would name, where it would change nothing else.

    Raises:
        NoFixError: as for `add_static`, or it would change something else.
    """
    found: list[str] = []
    for wrapped, names in _sources(facts, demand, parameter).found.values():
        if wrapped.decorated is not function:
            raise NoFixError("another jitted function would have to change")
        found += names
    return found


def _sources(facts: ModuleFacts, demand: Demand, parameter: Parameter) -> _Sources:
    sources = _Sources(facts)
    for wanted in (parameter, *_asked_next(facts, demand, parameter)):
        sources.follow(wanted, demand if wanted is parameter else None)
    if not sources.found:
        raise NoFixError("nothing visible compiles it")
    return sources


def _asked_next(facts: ModuleFacts, demand: Demand, parameter: Parameter) -> Iterator[Parameter]:
    """Yield the parameters for whose values Python asks at the same place, once it has the first one's."""
    for other in facts.staged.asked_after(demand):
        if other is not parameter and other.function is parameter.function:
            yield other


@dataclass
class _Sources:
    """Where a parameter's value comes from: the wrappers, with the parameters that must be static there."""

    facts: ModuleFacts
    found: dict[int, tuple[Wrapped, list[str]]] = field(default_factory=dict)
    sure: bool = True
    doubt: str = ""
    _seen: set[int] = field(default_factory=set)

    def follow(self, parameter: Parameter, demand: Demand | None = None) -> None:
        """Add what makes `parameter` traced.

        Raises:
            NoFixError: something does that cannot be changed.
        """
        if id(parameter) in self._seen:
            return
        self._seen.add(id(parameter))
        names = self._names_of(parameter, demand)
        self._check(parameter)
        facts, function = self.facts, parameter.function
        for wrapped in facts.tracing.direct(function):
            if wrapped.wrapper.compiles:
                self._add(wrapped, parameter, names)
            elif wrapped.wrapper.name not in _KEEPING and not self._is_static_inside(wrapped):
                raise NoFixError(f"{wrapped.wrapper.name} traces it as well")
        for site in facts.calls.of(function):
            caller = site.context.function
            if not facts.tracing.is_traced(caller):
                self._check_call(site.node, parameter, bound=site.bound)
                continue
            argument = argument_of(site.node, parameter, bound=site.bound)
            if argument is None or not facts.values.kind(argument).traced:
                given = argument if argument is not None else parameter.default
                if given is None or facts.values.kind(given) is Kind.UNKNOWN:
                    self.doubt = self.doubt or f"`{parameter.name}` is not traced where traced code passes it"
                continue
            for behind in self._behind(argument):
                self.follow(behind)

    def _is_static_inside(self, wrapped: Wrapped) -> bool:
        """Whether a wrapper passes arguments on that the functions around it have as Python values."""
        return wrapped.wrapper.kind in ("partial", "host", "map-leaves")

    def _names_of(self, parameter: Parameter, demand: Demand | None) -> list[str]:
        """Return the names to make static: those of the items of a `**options` that Python asks for."""
        if parameter.star == "*":
            raise NoFixError("an element of *args has no name")
        if parameter.star != "**":
            if demand is not None:
                self._behind(demand.node)  # refuses an item of a dictionary
            return [parameter.name]
        staged = self.facts.staged
        asked = [d for d in staged.demands if any(p is parameter for p in d.parameters)]
        names = [name for d in asked if (name := staged.item_asked_for(d, parameter)) is not None]
        if demand is None or staged.item_asked_for(demand, parameter) is None:
            raise NoFixError("which of **options is not plain")
        return list(dict.fromkeys(names))

    def _behind(self, node: cst.CSTNode) -> list[Parameter]:
        """Return the parameters that a value is computed from.

        Raises:
            NoFixError: it is computed from something else, or from an item of one.
        """
        found: list[Parameter] = []
        work, seen = [node], set[int]()
        facts = self.facts
        while work:
            part = work.pop()
            if id(part) in seen or not facts.values.kind(part).traced:
                continue
            seen.add(id(part))
            if isinstance(part, (cst.Tuple, cst.List)):
                work.extend(element.value for element in part.elements)
            elif isinstance(part, (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison)):
                work.extend(operands(part))
            elif isinstance(part, cst.Name):
                for value in facts.names.values(part):
                    if isinstance(value, Parameter):
                        found.append(value)
                    elif isinstance(value, Expression) and value.node is not part:
                        work.append(value.node)
                    else:
                        raise NoFixError("not computed from parameters")
            else:
                raise NoFixError("not computed from parameters alone")
        return [p for i, p in enumerate(found) if p not in found[:i]]

    def _check(self, parameter: Parameter) -> None:
        """Refuse what can be no static argument, and doubt what does not look like one."""
        if isinstance(parameter.default, (cst.List, cst.Dict, cst.Set, cst.ListComp, cst.DictComp)):
            raise NoFixError("its default cannot be hashed")
        known = self.facts.staged.options(parameter)
        if known.data_like and not known.option_like:
            self.sure = False
        facts = self.facts
        for use in (u for b in parameter.function.scope.bindings.get(parameter.name, ()) for u in facts.names.uses(b)):
            above = facts.tree.parent(use)
            if isinstance(above, cst.Attribute) and above.value is use and above.attr.value not in _OF_TEXT_AND_ENUMS:
                self.doubt = self.doubt or f"`{parameter.name}` is no object that JAX knows"
            if isinstance(above, (cst.Comparison, cst.ComparisonTarget)) and self._is_of_a_class(above):
                self.doubt = self.doubt or f"`{parameter.name}` is no object that JAX knows"

    def _is_of_a_class(self, node: cst.Comparison | cst.ComparisonTarget) -> bool:
        """Whether something is compared with an attribute of a class that is no enumeration."""
        whole = node if isinstance(node, cst.Comparison) else self.facts.tree.parent(node)
        if not isinstance(whole, cst.Comparison):
            return False
        for part in (whole.left, *(target.comparator for target in whole.comparisons)):
            values = self.facts.names.values(part.value) if isinstance(part, cst.Attribute) else ()
            for value in values:
                bases = self.facts.names.base_names(value) if isinstance(value, Class) else ()
                if isinstance(value, Class) and not any(name.startswith("enum.") for name in bases):
                    return True
        return False

    def _check_call(self, call: cst.Call, parameter: Parameter, *, bound: bool) -> None:
        """Refuse where a caller gives what cannot be hashed."""
        given = argument_of(call, parameter, bound=bound)
        if given is None:
            return
        for value in self.facts.names.values(given):
            node = value.node if isinstance(value, Expression) else None
            if isinstance(node, (cst.List, cst.Dict, cst.Set, cst.ListComp, cst.DictComp, cst.SetComp)):
                raise NoFixError("a caller gives what cannot be hashed")
            if isinstance(node, cst.Lambda):
                self.sure = False
            plain = (
                self.facts.values.kind(node).known or self.facts.constants.of(node) is not UNKNOWN if node else False
            )
            if isinstance(node, cst.Call) and not plain:
                self.doubt = self.doubt or f"what callers give for `{parameter.name}` has a hash"
            if isinstance(node, cst.Call):
                names = self.facts.names.externals(node.func)
                if any(name.startswith(("jax.", "numpy.")) for name in names):
                    raise NoFixError("a caller gives an array")

    def _add(self, wrapped: Wrapped, parameter: Parameter, names: list[str]) -> None:
        facts, function = self.facts, parameter.function
        static = facts.values.statics(wrapped, function)
        if static is None:
            raise NoFixError("the static arguments are not visible")
        if not wrapped.wrapper.static:
            raise NoFixError(f"{wrapped.wrapper.name} has no static arguments")
        if parameter.name in static:
            return
        if any(wrapped.keyword(option) is not None for option in BOUND_TO_ORDER):
            raise NoFixError("another option has one entry per argument")
        if self._is_donated(wrapped, parameter):
            raise NoFixError("it is donated")
        self._check_between(wrapped, parameter)
        chosen = self.found.setdefault(id(wrapped), (wrapped, []))[1]
        chosen.extend(name for name in names if name not in chosen)

    def _is_donated(self, wrapped: Wrapped, parameter: Parameter) -> bool:
        constants = self.facts.constants
        for option in ("donate_argnums", "donate_argnames"):
            node = wrapped.keyword(option)
            if node is None:
                continue
            values: Sequence[object] | None = constants.integers(node) or constants.strings(node)
            if values is None:
                return True
            position = number_of(self.facts, wrapped, parameter)
            if parameter.name in values or position in values or any(isinstance(v, int) and v < 0 for v in values):
                return True
        return False

    def _check_between(self, wrapped: Wrapped, parameter: Parameter) -> None:
        """Refuse where something between the wrapper and the function would be given the static value."""
        facts, function = self.facts, parameter.function
        if wrapped.decorated is function:
            below = function.decorators[function.decorators.index(wrapped.node) + 1 :]
            kinds = [facts.wrappings.wrapping(node) for node in below]
            if any(kind is None or kind.wrapper.name not in _KEEPING or kind.bound for kind in kinds):
                raise NoFixError("a decorator is between")
            if kinds and parameter.position == 0:
                raise NoFixError("it is differentiated")
            return
        node: cst.CSTNode = wrapped.targets[0]
        while True:
            values = facts.names.values(node)
            if len(values) != 1:
                raise NoFixError("what is compiled depends on a branch")
            if values[0] is function:
                if function.decorators and not facts.names.is_static(function):
                    raise NoFixError("a decorator is between")
                return
            inner = values[0].node if isinstance(values[0], Expression) else None
            held = facts.wrappings.of(inner) if inner is not None else None
            if held is None or held.wrapper.name not in _KEEPING or len(held.arguments) != 1:
                raise NoFixError("a transform is between")
            if parameter.position == 0:
                raise NoFixError("it is differentiated")
            node = held.targets[0]


def number_of(facts: ModuleFacts, wrapped: Wrapped, parameter: Parameter) -> int | None:
    """Return the number by which a wrapper knows a parameter."""
    if parameter.position is None:
        return None
    return parameter.position - facts.values.binds_instance(wrapped, parameter.function)


# The wrapper's edit


def extend_statics(
    draft: Draft, wrapped: Wrapped, names: list[str], added: Mapping[str, int] = MappingProxyType({})
) -> None:
    """Name arguments as static in one wrapper, in the style in which it does so already.

    `added` are the numbers of positional parameters that the function is about to get.
    """
    facts = draft.facts
    function = _function(facts, wrapped)
    by_name, by_number = _options(wrapped)
    given = {option: _value(facts, wrapped, option) for option in (by_name, by_number) if option is not None}
    parameters = {name: function.parameter(name) for name in names}
    positional_only = {p.name.value for p in function.node.params.posonly_params}
    numbers, words = list[str](), list[str]()
    use_numbers = by_name is None or (by_name not in _given(given) and by_number in _given(given))
    both = {by_name, by_number} <= _given(given)
    for name in names:
        parameter = parameters[name]
        number = added.get(name) if parameter is None else number_of(facts, wrapped, parameter)
        if name in positional_only or use_numbers or both:
            if number is not None:
                numbers.append(str(number))
            elif by_name is None or name in positional_only:
                raise NoFixError("it has no number")
        if name not in positional_only and (not use_numbers or both or number is None):
            words.append(options.quoted(draft, name))
    new: list[str] = []
    for option, items in ((by_name, words), (by_number, numbers)):
        if not items:
            continue
        if option is None:
            raise NoFixError("the wrapper has no such option")
        if given.get(option) is None:
            new.append(f"{option}={options.listed(items)}")
        else:
            _extend_option(draft, wrapped, option, items)
    if new:
        _add_options(draft, wrapped, ", ".join(new))


def _given(given: dict[str, cst.BaseExpression | None]) -> set[str | None]:
    """Return the options that are given a value."""
    return {option for option, value in given.items() if value is not None}


def _function(facts: ModuleFacts, wrapped: Wrapped) -> Function:
    found = wrapped.decorated
    if found is None:
        behind = facts.tracing.functions_behind(wrapped.targets[0])
        if len(behind) != 1:
            raise NoFixError("what is compiled is not visible")
        found = behind[0]
    return found


def _options(wrapped: Wrapped) -> tuple[str | None, str | None]:
    """Return the wrapper's options for static arguments, by name and by number."""
    by_name = next((option for option in wrapped.wrapper.static if option.endswith("names")), None)
    by_number = next((option for option in wrapped.wrapper.static if not option.endswith("names")), None)
    return by_name, by_number


def _value(facts: ModuleFacts, wrapped: Wrapped, option: str) -> cst.BaseExpression | None:
    """Return the value of an option, None where it is not given, or given as None."""
    node = wrapped.keyword(option)
    return None if node is None or facts.constants.of(node) is None else node


def _extend_option(draft: Draft, wrapped: Wrapped, option: str, items: list[str]) -> None:
    _, keyword = option_of(draft, wrapped, option)
    known = draft.facts.constants.of(wrapped.keyword(option))
    options.extend(draft, keyword.value, items, known=known)


def option_of(draft: Draft, wrapped: Wrapped, option: str) -> tuple[ast.Call, ast.keyword]:
    """Return the call that gives an option to a wrapper, and the keyword.

    Raises:
        NoFixError: it is given elsewhere, such as by a wrapper that others share.
    """
    argument = next(a for a in wrapped.arguments if a.keyword is not None and a.keyword.value == option)
    call = draft.facts.tree.parent(argument)
    if not isinstance(call, cst.Call):
        raise NoFixError("the option is not visible")
    if call is not wrapped.node and not any(node is wrapped.node for node in draft.facts.tree.ancestors(call)):
        raise NoFixError("others share the option")
    node = draft.syntax.at(draft.span(call), ast.Call)
    keyword = options.keyword(node, option) if isinstance(node, ast.Call) else None
    if keyword is None or not isinstance(node, ast.Call):
        raise NoFixError("the option is not visible")
    return node, keyword


def _add_options(draft: Draft, wrapped: Wrapped, text: str) -> None:
    """Give options to a wrapper that has none of them yet."""
    facts, node = draft.facts, wrapped.node
    given_none = [a for a in wrapped.arguments if a.keyword is not None and text.startswith(a.keyword.value + "=")]
    if given_none:
        _, keyword = option_of(draft, wrapped, text.partition("=")[0])
        draft.replace(keyword.value, text.partition("=")[2])
        return
    if isinstance(node, cst.Call):
        if not _takes_options(facts, node.func):
            raise NoFixError("a function of the project's own compiles it")
        call = draft.syntax.at(draft.span(node), ast.Call)
        if not isinstance(call, ast.Call):
            raise NoFixError("no call")
        options.add_keyword(draft, call, text)
        return
    if wrapped.decorated is None or not _is_plain(facts, node):
        raise NoFixError("a wrapper that others share")
    partial = draft.name("functools.partial", node)
    draft.replace(node, f"{partial}({draft.code(node)}, {text})")


def _takes_options(facts: ModuleFacts, node: cst.BaseExpression) -> bool:
    """Whether a call of this takes the wrapper's options: the wrapper itself, `partial`, or `partial(wrapper, ...)`."""
    if _is_plain(facts, node):
        return True
    return isinstance(node, cst.Call) and (_is_plain(facts, node.func) and facts.wrappings.wrapping(node) is not None)


def _is_plain(facts: ModuleFacts, node: cst.BaseExpression) -> bool:
    """Whether an expression is an imported function and nothing else."""
    values = facts.names.values(node)
    return len(values) == 1 and isinstance(values[0], External)


# Unknown arguments

_CLEAR = 0.75
"""From this likeness on, by `difflib`, one name is taken for a misspelling of the other; what is common in practice
(letters swapped, one letter more or less in a word of four) is above."""
_APART = 0.1


def correct_argument(facts: ModuleFacts, wrong: WrongArgument) -> Fix | None:
    """Correct an option that names an argument which the function lacks.

    Raises:
        NoFixError: nothing says clearly what was meant.
    """
    draft = Draft(facts)
    if wrong.overlap:
        return _undonate(draft, wrong)
    _, keyword = option_of(draft, wrong.wrapped, wrong.option)
    elements = elements_of(keyword.value)
    if isinstance(wrong.given, str):
        return _rename(draft, wrong, elements)
    return _renumber(draft, wrong, elements)


def elements_of(value: ast.expr) -> list[ast.expr]:
    """Return the elements of an option's value, or the value itself where it is a single one."""
    return list(value.elts) if isinstance(value, (ast.Tuple, ast.List, ast.Set)) else [value]


def literal_of(node: ast.expr) -> object:
    """Return the value of a literal, None for any other expression."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return None


def nearest(name: str, parameters: Sequence[str]) -> str | None:
    """Return the parameter that a name is a misspelling of, None where none, or more than one, comes near."""
    likeness = sorted(((difflib.SequenceMatcher(None, name, p).ratio(), p) for p in parameters), reverse=True)
    if not likeness or likeness[0][0] < _CLEAR:
        return None
    return None if len(likeness) > 1 and likeness[1][0] > likeness[0][0] - _APART else likeness[0][1]


def _rename(draft: Draft, wrong: WrongArgument, elements: list[ast.expr]) -> Fix | None:
    place = [node for node in elements if literal_of(node) == wrong.given]
    given = {literal_of(node) for node in elements}
    meant = nearest(str(wrong.given), [p for p in wrong.parameters if p not in given])
    if meant is None or len(place) != 1:
        raise NoFixError("no parameter is clearly the nearest")
    code = draft.code(place[0])
    if code.count(str(wrong.given)) != 1:
        raise NoFixError("not a plain string")
    draft.replace(place[0], code.replace(str(wrong.given), meant))
    parameter = wrong.function.parameter(meant)
    sure = wrong.option.startswith("static") and parameter is not None and not _looks_like_data(draft, parameter)
    return _corrected(draft, wrong, f"Use `{meant}` instead of `{wrong.given}`", sure=sure)


def _looks_like_data(draft: Draft, parameter: Parameter) -> bool:
    return draft.facts.staged.options(parameter).data_like


def _is_used_as_data(facts: ModuleFacts, parameter: Parameter) -> bool:
    """Whether a function of JAX is given a parameter where it takes arrays."""
    bindings = parameter.function.scope.bindings.get(parameter.name, ())
    for argument in (facts.tree.parent(use) for bound in bindings for use in facts.names.uses(bound)):
        call = facts.tree.parent(argument) if isinstance(argument, cst.Arg) and argument.keyword is None else None
        for name in facts.names.externals(call.func) if isinstance(call, cst.Call) else ():
            if name.startswith(ARRAY_MODULES) and not use_of_argument(name, call.args.index(argument)):  # type: ignore[union-attr]
                return True
    return False


def _renumber(draft: Draft, wrong: WrongArgument, elements: list[ast.expr]) -> Fix | None:
    """Take a single number that goes one beyond the last parameter for one that is counted from one."""
    count = len(wrong.parameters)
    if len(elements) != 1 or wrong.given != count or count < 2 or not wrong.option.startswith("static"):
        raise NoFixError("not counted from one")
    meant = wrong.function.parameter(wrong.parameters[-1])
    if meant is None or _looks_like_data(draft, meant) or _is_used_as_data(draft.facts, meant):
        raise NoFixError("the last parameter is data")
    draft.replace(elements[0], str(count - 1))
    sure = draft.facts.staged.options(meant).option_like
    return _corrected(draft, wrong, f"Count from 0: `{meant.name}`", sure=sure)


def _undonate(draft: Draft, wrong: WrongArgument) -> Fix | None:
    """Take an argument that is static and donated out of what is donated."""
    facts, wrapped = draft.facts, wrong.wrapped
    parameter = wrong.function.parameter(str(wrong.given))
    if parameter is None or _looks_like_data(draft, parameter):
        raise NoFixError("it may be the static one that is wrong")
    numbers = (wrong.given, number_of(facts, wrapped, parameter))
    done = 0
    for option in ("donate_argnames", "donate_argnums"):
        if wrapped.keyword(option) is None:
            continue
        call, keyword = option_of(draft, wrapped, option)
        for node in elements_of(keyword.value):
            if literal_of(node) in numbers:
                options.remove_item(draft, call, keyword, node)
                done += 1
    if done != 1:
        raise NoFixError("not a plain option")
    sure = facts.staged.options(parameter).option_like
    return _corrected(draft, wrong, f"Do not donate `{wrong.given}`", sure=sure)


def _corrected(draft: Draft, wrong: WrongArgument, message: str, *, sure: bool) -> Fix | None:
    """Return the fix of an option, which is safe where it is clear what was meant and nothing waits for the error."""
    if errors.expected(draft.syntax, wrong.function.name):
        return draft.fix(Applicability.UNSAFE, message, _EXPECTED)
    return draft.fix(
        Applicability.SAFE if sure else Applicability.UNSAFE, message, "" if sure else "this must be what was meant"
    )
