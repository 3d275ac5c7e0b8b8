"""The configuration: what may stand in it, where it is looked for, and how layers lie upon each other."""

from __future__ import annotations

import os
import pickle
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from jaxlint.config import OPTIONS, Config, ConfigError, Finder, Layer, combine, load, read_table
from jaxlint.facts.jax_api.wrappers import COLUMNS
from jaxlint.finding import Confidence
from jaxlint.schema import schema
from jaxlint.settings import Settings


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(toml: str) -> Config:
    return combine([read_table(tomllib.loads(toml), "here", os.getcwd())])


# --- keys and values ---


def test_nothing_configured_is_the_default(root: Path) -> None:
    assert read("").settings == Settings()
    assert Finder().config(str(root)) == Config(exclude=read("").exclude)


def test_all_keys(root: Path) -> None:
    config = read("""
        select = ["JAX1", "JAX403"]
        ignore = ["JAX101"]
        extend-select = ["JAX4"]
        extend-ignore = ["JAX102"]
        min-confidence = "high"
        preview = true
        run-once-functions = ["build_*"]
        test-paths = ["sanity/*.py"]
        unrolled-equations = 5000
        exclude = ["third_party/"]
        extend-exclude = ["*_pb2.py"]
        force-exclude = true
        respect-gitignore = false
        [per-file-ignores]
        "benchmarks/" = ["JAX1"]
        [wrappers."mine.compile"]
        like = "jax.jit"
        static = ["frozen"]
    """)
    assert config.settings == Settings(
        select=("JAX1", "JAX403"),
        ignore=("JAX101",),
        extend_select=("JAX4",),
        extend_ignore=("JAX102",),
        min_confidence=Confidence.HIGH,
        preview=True,
        run_once_functions=("build_*",),
        test_paths=("sanity/*.py",),
        unrolled_equations=5000,
        wrappers={"mine.compile": {"like": "jax.jit", "static": ["frozen"]}},
    )
    assert [patterns.lines for patterns in config.exclude] == [("third_party/",), ("*_pb2.py",)]
    assert (config.force_exclude, config.respect_gitignore) == (True, False)
    assert config.ignored(str(root / "benchmarks/a.py")) == ("JAX1",)
    assert config.ignored(str(root / "src/a.py")) == ()
    assert set(config.values()) == set(OPTIONS) - {"extend-exclude"}


@pytest.mark.parametrize("option", OPTIONS.values(), ids=OPTIONS)
def test_the_example_and_the_default_of_a_key_can_be_used(option: object) -> None:
    key, example, default = (getattr(option, name) for name in ("key", "example", "default"))
    document = tomllib.loads(example)
    table = document.get("tool", {}).get("jaxlint", document)
    assert list(table) == [key]
    read_table(table, "example", os.getcwd())
    config = combine([read_table(tomllib.loads(f"{key} = {default}"), "default", os.getcwd())])
    assert config.values() == combine([]).values()


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("selct = []", "here: unknown key 'selct'; did you mean 'select'?"),
        ("min_confidence = 'low'", "here: unknown key 'min_confidence'; did you mean 'min-confidence'?"),
        ("zzz = 1", "here: unknown key 'zzz'; known are select, ignore, "),
        ("select = 'JAX1'", "here.select: 'JAX1' must be a list of strings"),
        ("select = [1]", "here.select: [1] must be a list of strings"),
        ("select = ['']", "here.select: no rule's code starts with ''; "),
        ("select = ['W6']", "here.select: no rule's code starts with 'W6'; `jaxlint rule --all` lists all"),
        ("ignore = ['JAX1O2']", "here.ignore: no rule's code starts with 'JAX1O2'; did you mean 'JAX102'?"),
        ("ignore = ['jax102']", "here.ignore: no rule's code starts with 'jax102'; did you mean 'JAX102'?"),
        (
            "ignore = ['jit-of-lambda']",
            "here.ignore: no rule's code starts with 'jit-of-lambda'; did you mean 'JAX102'",
        ),
        ("min-confidence = 'certain'", "here.min-confidence: 'certain' is none of 'low', 'medium', 'high'"),
        ("min-confidence = 2", "here.min-confidence: 2 is none of 'low', 'medium', 'high'"),
        ("preview = 'yes'", "here.preview: 'yes' must be true or false"),
        ("force-exclude = 1", "here.force-exclude: 1 must be true or false"),
        ("run-once-functions = 'main'", "here.run-once-functions: 'main' must be a list of strings"),
        ("exclude = ['!']", "here.exclude: '!' is no path pattern"),
        ("per-file-ignores = []", "here.per-file-ignores: [] must be a table"),
        ("verify = []", "here.verify: [] must be a table"),
        ("verify.example = {}", "here.verify: unknown key 'example'; did you mean 'examples'?"),
        ("verify.examples = {'a.py' = 1}", "here.verify.examples.'a.py': 1 must be a string"),
        ("per-file-ignores = {'a.py' = 'JAX1'}", "here.per-file-ignores.'a.py': 'JAX1' must be a list of strings"),
        (
            "per-file-ignores = {'a.py' = ['JAX888']}",
            "here.per-file-ignores.'a.py': no rule's code starts with 'JAX888'",
        ),
        ("wrappers = 1", "here.wrappers: 1 must be a table"),
        ("wrappers = {f = 'jax.jit'}", "here.wrappers.\"f\": 'jax.jit' must be a table"),
        ("wrappers = {f = {lik = 'jax.jit'}}", "here.wrappers.\"f\": unknown key 'lik'; did you mean 'like'?"),
        ("wrappers = {f = {like = 1}}", 'here.wrappers."f".like: 1 must be a string'),
        ("wrappers = {f = {static = 'x'}}", "here.wrappers.\"f\".static: 'x' must be a list"),
        ("wrappers = {f = {like = 'jax.jitt'}}", "here.wrappers: wrapper 'f' is like 'jax.jitt'"),
        ("wrappers = {f = {kind = 'compiles'}}", "here.wrappers: wrapper 'f': kind is 'compiles'"),
    ],
)
def test_what_cannot_be_used_is_refused(toml: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(toml)
    assert str(caught.value).startswith(message)


VALUES: tuple[Any, ...] = (
    *(True, False, 0, 1, 5000, -1, 1.5, "", "JAX", "JAX1", "JAX999", "high", "High", "nope", "*.py", "jax.jit"),
    *([], ["JAX101", "JAX2"], ["JAX9999"], ["jax101"], [""], ["#"], [" "], [1], [True], [["JAX"]], ["build_*", "src/"]),
    *({}, {"src/": ["JAX1"]}, {"src/": []}, {"src/": "JAX1"}, {"src/": ["nope"]}, {"": ["JAX1"]}, {"src/": {}}),
    *({"examples": {}}, {"examples": {"a.py": "b.py"}}, {"examples": {"a.py": 1}}, {"examples": []}, {"nope": {}}),
    *({"m.c": {"like": "jax.jit"}}, {"m.c": {"like": "nope"}}, {"m.c": {"nope": 1}}, {"m.c": []}),
)
CELLS: tuple[Any, ...] = (
    *("jax.jit", "compile", "control-flow", "identity", "callable", "static", "nope"),
    *(True, 0, [], [0, "fun"], ["fun"], [True]),
)


def accepts(table: dict[str, Any]) -> bool:
    try:
        read_table(table, "here", os.getcwd())
    except ConfigError:
        return False
    return True


def test_the_schema_takes_what_the_loader_takes() -> None:
    validator = jsonschema.Draft7Validator(schema())
    validator.check_schema(schema())
    tables = [{key: value} for key in OPTIONS for value in VALUES]
    tables += [{"wrappers": {"m.c": {column: cell}}} for column in (*COLUMNS, "nope") for cell in CELLS]
    tables += [{}, {"nope": True}, {"select": ["JAX"], "preview": True}]
    differing = [table for table in tables if validator.is_valid(table) != accepts(table)]
    assert differing == []
    taken = {key for table in tables for key in table if accepts(table)}
    assert taken == set(OPTIONS)


def test_a_pattern_with_an_exclamation_mark_stands_for_all_other_files(root: Path) -> None:
    config = read("per-file-ignores = {'!src/' = ['JAX1'], 'src/a.py' = ['JAX4']}")
    assert config.ignored(str(root / "tools/a.py")) == ("JAX1",)
    assert config.ignored(str(root / "src/a.py")) == ("JAX4",)
    assert config.ignored(str(root / "src/b.py")) == ()


# --- the other tool of the name ---


def test_keys_and_codes_of_the_other_tool_get_a_pointer(root: Path) -> None:
    config = read("""
        select = ["JL", "JAX1"]
        ignore = ["JD*"]
        strict-shapes = true
        cache-dir = ".cache"
        [per-file-ignores]
        "tests/**" = ["JM001", "JAX101"]
        "docs/**" = "JD002"
        [severity-overrides]
        JL005 = "warning"
    """)
    assert config.settings.select == ("JAX1",)
    assert config.settings.ignore == ()
    assert config.ignored(str(root / "tests/a.py")) == ("JAX101",)
    (warning,) = config.warnings
    for name in ("JL", "JD*", "JM001", "JD002", "strict-shapes", "cache-dir", "severity-overrides", "flake8-jaxlint"):
        assert name in warning
    assert "JAX1" not in warning


def test_a_selection_of_the_other_tool_s_rules_alone_selects_nothing_away() -> None:
    assert read("select = ['JL', 'JM']").settings.select == ("JAX",)
    assert read("select = 'JL'").settings.select == ("JAX",)
    assert read("select = []").settings.select == ()


def test_only_codes_are_taken_for_the_other_tool_s() -> None:
    config = read("run-once-functions = ['JD']")
    assert config.settings.run_once_functions == ("JD",)
    assert config.warnings == ()


def test_the_other_tool_s_form_of_the_file_is_read(root: Path) -> None:
    for text in ("[jaxlint]\nselect = ['JAX1']", "[tool.jaxlint]\nselect = ['JAX1']", "select = ['JAX1']"):
        (root / "jaxlint.toml").write_text(text)
        assert Finder().config(str(root)).settings.select == ("JAX1",)


def test_both_tools_in_one_environment_are_mentioned(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Both are installed" not in read("strict-shapes = true").warnings[0]
    folder = root / "jaxlint-0.1.0a1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: jaxlint\nVersion: 0.1.0a1\n")
    monkeypatch.syspath_prepend(root)
    assert "Both are installed" in read("strict-shapes = true").warnings[0]


# --- layers ---


def test_later_layers_lie_over_earlier_ones() -> None:
    low = Layer({"min-confidence": Confidence.LOW, "preview": True, "ignore": ("JAX1",), "extend-ignore": ("JAX4",)})
    high = Layer({"min-confidence": Confidence.HIGH, "extend-ignore": ("JAX101",)})
    settings = combine([low, high]).settings
    assert settings.min_confidence is Confidence.HIGH
    assert settings.preview
    assert settings.ignore == ("JAX1",)
    assert settings.extend_ignore == ("JAX4", "JAX101")


def test_a_later_selection_starts_afresh() -> None:
    low = Layer({"select": ("JAX4",), "ignore": ("JAX1",), "extend-select": ("JAX3",), "extend-ignore": ("JAX101",)})
    settings = combine([low, Layer({"select": ("JAX1",), "extend-ignore": ("JAX102",)})]).settings
    assert settings == Settings(select=("JAX1",), extend_ignore=("JAX102",))


def test_patterns_belong_to_the_folder_of_their_layer(root: Path) -> None:
    low = Layer({"extend-exclude": ("/a.py",)}, str(root / "pkg"))
    config = combine([low, Layer({"extend-exclude": ("/b.py",)})])

    def excluded(name: str) -> bool:
        return any(patterns.match(str(root / name)) for patterns in config.exclude)

    names = ("pkg/a.py", "a.py", "pkg/b.py", "b.py")
    assert [name for name in names if excluded(name)] == ["pkg/a.py", "b.py"]


def test_a_config_can_be_sent_to_another_process() -> None:
    config = read("[wrappers.f]\nlike = 'jax.jit'\n[per-file-ignores]\n'a.py' = ['JAX1']")
    assert pickle.loads(pickle.dumps(config)) == config


# --- files ---


def test_the_nearest_file_holds_alone(root: Path) -> None:
    (root / "pyproject.toml").write_text("[tool.jaxlint]\npreview = true\nselect = ['JAX1']\n")
    sub = root / "a" / "b"
    sub.mkdir(parents=True)
    (root / "a" / "pyproject.toml").write_text("[project]\nname = 'jaxlint-user'\n")
    finder = Finder()
    assert finder.config(str(sub)).file == str(root / "pyproject.toml")
    assert finder.config(str(sub)) is finder.config(str(root))
    (sub / "jaxlint.toml").write_text("min-confidence = 'low'")
    config = Finder().config(str(sub))
    assert config.settings == Settings(min_confidence=Confidence.LOW)
    assert config.root == str(sub)
    assert Finder().config(str(sub / "not" / "there")).file == str(sub / "jaxlint.toml")
    assert Finder(isolated=True).config(str(sub)).file is None


def test_which_file_of_a_folder_holds(root: Path) -> None:
    for name in ("pyproject.toml", "jaxlint.toml", ".jaxlint.toml"):
        (root / name).write_text("[tool.jaxlint]\n")
        assert Finder().config(str(root)).file == str(root / name)


def test_files_without_a_word_of_jaxlint_need_not_be_toml(root: Path) -> None:
    (root / "pyproject.toml").write_text("[[[\n")
    assert Finder().config(str(root)).file is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.jaxlint\n", "pyproject.toml: not valid TOML: "),
        ("[tool]\njaxlint = 1\n", "pyproject.toml: tool.jaxlint: 1 must be a table"),
        ("[tool.jaxlint]\nx = 1\n", "pyproject.toml: tool.jaxlint: unknown key 'x'"),
    ],
)
def test_files_that_cannot_be_used(root: Path, text: str, message: str) -> None:
    (root / "pyproject.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        Finder().config(str(root))
    assert str(caught.value).startswith(message)


def test_bytes_that_are_no_utf_8(root: Path) -> None:
    (root / "jaxlint.toml").write_bytes(b"# \xe9\n")
    with pytest.raises(ConfigError, match=r"jaxlint\.toml: not valid TOML"):
        load(str(root / "jaxlint.toml"))


def test_names_of_files_start_at_the_configuration(root: Path) -> None:
    config = combine([Layer({}, str(root / "pkg"), str(root / "pkg" / "jaxlint.toml"))])
    assert config.name_of(str(root / "pkg" / "tests" / "a.py")) == "tests/a.py"
    assert config.name_of(str(root / "a.py")) == str(root / "a.py")
    assert config.name_of("<stdin>") == "<stdin>"
