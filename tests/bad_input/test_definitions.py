"""Broken definitions: each is one located problem, and the other benchmark loads."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.bad_input.kit import DEFINITION, Case, lay_out, load, only_problem, swap


def plus(title: str, text: str, code: str, at: str = "", hint: str = "") -> Case:
    """The good definition with more at its end."""
    return Case(title, lambda definition: f"{definition}\n{text}\n", code, at, hint)


def derive(expression: str, code: str, hint: str = "", over: str = "") -> Case:
    """A derived quantity more."""
    text = f"[derived.extra]\nlabel = \"extra\"\nis = '{expression}'\n" + (f'over = ["{over}"]\n' if over else "")
    return plus(f"derived: {expression[:60]} {over}".strip(), text, code, "$.derived.extra.is", hint)


def metric(key: str, code: str, hint: str = "", at: str = "$.metrics") -> Case:
    """A metric more."""
    return plus(f"a metric called {key[:40]}", f'[metrics.{key}]\nlabel = "x"\nkind = "count"\n', code, at, hint)


ARM = '\nlabel = "x"\nloop = "x"\ngroup = "gpu"\non = ["gpu"]\n'

SYNTAX = [
    Case("empty", lambda t: "", "definition-missing-key", "$", '"id"'),
    Case("a formula as unit", swap('unit = "s"', 'unit = "=cmd|calc"'), "definition-value", "$.metrics.wall.unit"),
    Case("cut short", lambda t: t[:700], "definition-syntax"),
    Case("JSON", lambda t: '{"id": "bench"}', "definition-syntax"),
    Case("a key twice", swap('id = "bench"', 'id = "bench"\nid = "bench"'), "definition-syntax", "", "line 2"),
    Case("an arm twice", lambda t: t + '\n[arms.quick]\nlabel = "x"\n', "definition-syntax"),
    Case("binary", lambda t: bytes(range(256)), "definition-syntax"),
    Case("Latin-1", lambda t: t.replace("Main", "Mäin").encode("latin-1"), "definition-syntax"),
    Case("byte order mark", lambda t: b"\xef\xbb\xbf" + t.encode(), "definition-syntax"),
    plus("an open text", 'x = "', "definition-syntax"),
    plus("an integer of 5000 digits", "x = " + "1" * 5000, "definition-syntax"),
    plus("bottomless arrays", "x = " + "[" * 100_000, "definition-syntax"),
    plus("sixty arrays", "[extra]\nx = " + "[" * 60 + "]" * 60, "definition-depth"),
    plus(
        "a date",
        "[arms.dated]\nlabel = 2026-11-30" + ARM[ARM.index("\nloop") :],
        "definition-type",
        "$.arms.dated.label",
    ),
]

SHAPE = [
    Case(
        "unknown key",
        swap('default = "wall"', 'default = "wall"\ncolour = "red"'),
        "definition-unknown-key",
        "$",
        "colour",
    ),
    Case("unknown key of an arm", swap('tags = ["known"]', "speed = 3"), "definition-unknown-key", "$.arms.quick"),
    Case("unknown key of a table", swap('by = "wall"', 'bye = "wall"'), "definition-unknown-key", "$.tables.main"),
    Case("no title", swap('title = "A benchmark to break"\n', ""), "definition-missing-key", "$", '"title"'),
    Case("no label", swap('label = "quick"\n', ""), "definition-missing-key", "$.arms.quick"),
    Case("an empty label", swap('label = "quick"', 'label = ""'), "definition-value", "$.arms.quick.label"),
    Case("title is a number", swap('title = "A benchmark to break"', "title = 1"), "definition-type", "$.title"),
    Case("version is text", swap('id = "bench"', 'id = "bench"\nversion = "1"'), "definition-type", "$.version"),
    Case("version zero", swap('id = "bench"', 'id = "bench"\nversion = 0'), "definition-value", "$.version"),
    Case(
        "tolerance of 100 %", swap('id = "bench"', 'id = "bench"\ntolerance = 1.0'), "definition-value", "$.tolerance"
    ),
    Case("tolerance nan", swap('id = "bench"', 'id = "bench"\ntolerance = nan'), "definition-number", "$.tolerance"),
    Case(
        "an endless number", swap('id = "bench"', 'id = "bench"\ntolerance = inf'), "definition-number", "$.tolerance"
    ),
    Case(
        "axis value inf",
        swap('label = "N"', 'label = "N"\nvalues = [1, inf]'),
        "definition-number",
        "$.axes.n.values[1]",
    ),
    Case(
        "axis value huge", swap('label = "N"', f'label = "N"\nvalues = [1{"0" * 400}]'), "definition-number", "$.axes.n"
    ),
    Case("a scale of its own", swap('scale = "log"', 'scale = "cubic"'), "definition-value", "$.axes.n.scale"),
    Case("a kind of its own", swap('kind = "choice"', 'kind = "text"'), "definition-value", "$.metrics.policy.kind"),
    Case(
        "better is a word", swap('better = "lower"', 'better = "smaller"'), "definition-value", "$.metrics.wall.better"
    ),
    Case("arms is a list", lambda t: 'arms = ["a"]\n' + t.split("[arms.quick]")[0], "definition-type", "$.arms"),
    Case("on an unknown kind", swap('on = ["gpu", "cpu"]', 'on = ["tpu"]'), "definition-value", "$.arms.quick.on[0]"),
    Case(
        "columns is a text", swap('columns = ["least_n"]', 'columns = "least_n"'), "definition-type", "$.tables.least"
    ),
    Case(
        "control character", swap('label = "quick"', 'label = "qu\\u0007ick"'), "definition-text", "$.arms.quick.label"
    ),
    Case(
        "override character", swap('label = "quick"', 'label = "\\u202equick"'), "definition-text", "$.arms.quick.label"
    ),
    plus("a key with a line break", '[tags."a\\n"]\nlabel = "x"', "definition-text", "$.tags"),
    plus("a tag with capitals", '[tags.Known]\nlabel = "x"', "definition-value", "$.tags"),
]

NAMES = [
    Case("another id than the folder", swap('id = "bench"', 'id = "bank"'), "definition-id", "$.id"),
    Case("an id with a hyphen", swap('id = "bench"', 'id = "the-bench"'), "definition-value", "$.id"),
    Case(
        "unknown default", swap('default = "wall"', 'default = "wal"'), "definition-name", "$.default", 'mean "wall"?'
    ),
    Case(
        "unknown group", swap('group = "gpu"', 'group = "gpus"'), "definition-name", "$.arms.quick.group", 'mean "gpu"?'
    ),
    Case("unknown tag", swap('tags = ["known"]', 'tags = ["knwon"]'), "definition-name", "$.arms.quick.tags"),
    Case(
        "unknown axis",
        swap('axes = ["config", "n"]', 'axes = ["config", "m"]'),
        "definition-name",
        "$.tables.main.axes",
    ),
    Case("unknown column", swap('"flop_rate", "policy"', '"flops"'), "definition-name", "$.tables.main.columns"),
    Case("unknown arm", swap('arms = ["quick"]', 'arms = ["quik"]'), "definition-name", "$.tables.shifts.arms"),
    Case("split by no axis of it", swap('split = "config"', 'split = "shift"'), "definition-name", "$.tables.main"),
    Case("across no axis of it", swap('across = "n"', 'across = "shift"'), "definition-name", "$.tables.main"),
    Case("by nothing", swap('by = "wall"', 'by = "speed"'), "definition-name", "$.tables.main"),
    Case("of no table", swap('of = "main"', 'of = "mane"'), "definition-name", "$.tables.least.of", 'mean "main"?'),
    Case("of itself", swap('of = "main"', 'of = "least"'), "definition-name", "$.tables.least.of"),
    Case("of a table without the axis", swap('of = "main"', 'of = "shifts"'), "definition-name", "$.tables.least.axes"),
    Case("plot of no table", swap('x = "n"', 'table = "none"\nx = "n"'), "definition-name", "$.plots.wall.table"),
    Case("plot over another axis", swap('x = "n"', 'x = "shift"'), "definition-name", "$.plots.wall.x"),
    Case("plot of nothing", swap('\ny = "wall"', '\ny = "wale"'), "definition-name", "$.plots.wall.y"),
    Case("plot by nothing", swap('\ny = "wall"', '\ny = "wall"\nby = "colour"'), "definition-name", "$.plots.wall.by"),
    Case(
        "plot split by another axis",
        lambda t: t[: -len('split = "config"\n')] + 'split = "shift"\n',
        "definition-name",
        "split",
    ),
    Case(
        "over other axes than the table's", swap('over = ["n"]', 'over = ["shift"]'), "definition-name", "least_n.over"
    ),
    Case(
        "a series where points are", swap('"flop_rate", "policy"', '"least_n"'), "definition-name", "$.tables.main.of"
    ),
    Case("over is a text", swap('over = ["n"]', 'over = "n"'), "definition-type", "$.derived.least_n.over"),
    Case("over no axis", swap('over = ["n"]', 'over = ["m"]'), "definition-name", "$.derived.least_n.over"),
    Case(
        "of no peak",
        swap('"device.peak.fp64"', '"device.peak.fp46"'),
        "definition-name",
        "of_peak",
        'device.peak.fp64"?',
    ),
    Case("of a fact that is no peak", swap('"device.peak.fp64"', '"device.memory"'), "definition-name", "of_peak"),
    *[
        metric(word, "definition-reserved")
        for word in ("every", "leads", "then", "device", "level", "table", "arm", "block")
    ],
    *[
        metric(word, "definition-collision", f'"{word}"', "")
        for word in ("quick", "gpu", "flop_rate", "config", "narrow")
    ],
    plus("an arm called as a metric", f"[arms.policy]{ARM}", "definition-collision", "$.metrics"),
    plus(
        "an axis value called as an arm", '[axes.z]\nlabel = "z"\nvalues = ["steady"]', "definition-collision", "values"
    ),
    plus("an axis value with spaces", '[axes.z]\nlabel = "z"\nvalues = ["a b"]', "definition-key", "$.axes.z.values"),
]

EXPRESSIONS = [
    derive("", "definition-value"),
    derive("useful_flop / wal", "definition-name", 'mean "wall"?'),
    derive("quick / steady", "definition-name"),
    derive("device.peak.fp46", "definition-name", 'mean "device.peak.fp64"?'),
    derive("device.name2", "definition-name"),
    derive("extra + 1", "definition-cycle"),
    derive("(wall", "expression-syntax"),
    derive("wall)", "expression-syntax"),
    derive("wall +", "expression-syntax"),
    derive("wall wall", "expression-syntax"),
    derive("wall ** 2", "expression-syntax"),
    derive("wall < 2", "expression-syntax"),
    derive("1 ms", "expression-syntax"),
    derive("wall; import os", "expression-syntax"),
    derive("__import__(os)", "expression-function"),
    derive("wall.__class__", "definition-name"),
    derive("lambda: 0", "expression-syntax"),
    derive('"text"', "expression-syntax"),
    derive("$(id)", "expression-syntax"),
    derive("(" * 60 + "wall" + ")" * 60, "expression-size"),
    derive("+".join(["wall"] * 300), "expression-size"),
    derive("wall" + " " * 1990 + "+ 1234567", "definition-value"),
    derive("?", "expression-hole"),
    derive("wall[n=1000]", "expression-selector"),
    derive("sqrt(wall)", "expression-function"),
    derive("mni(wall, 1)", "expression-function", 'mean "min"?'),
    derive("min()", "expression-arguments"),
    derive("best(wall)", "expression-function", "`over`"),
    derive("best(wall, wall)", "expression-arguments", over="n"),
    derive("least(n)", "expression-arguments", "share of the best", over="n"),
    derive("best(best(wall))", "expression-function", over="n"),
    derive("best(wall) / wall", "expression-series", '"wall"', over="n"),
    plus(
        "a circle of three",
        "".join(f'[derived.c{i}]\nlabel = "x"\nis = "c{(i + 1) % 3} * 2"\n' for i in range(3)),
        "definition-cycle",
        "$.derived.c",
    ),
]

CASES = [*SYNTAX, *SHAPE, *NAMES, *EXPRESSIONS]


def test_there_are_enough_cases_and_each_has_a_title_of_its_own() -> None:
    assert len(CASES) >= 90
    titles = [case.title for case in CASES]
    assert len(set(titles)) == len(titles), {t for t in titles if titles.count(t) > 1}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.title)
def test_one_problem_and_the_other_benchmark_loads(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    library = load(lay_out(tmp_path, definition=case.change(DEFINITION)))
    problem = only_problem(library, case.code, case.at, case.hint)
    assert problem.where.startswith("benchmarks/bench/benchmark.toml")
    assert sorted(library.benchmarks) == ["twin"]
    assert library.device_ids() == ("other",)


def test_the_good_definition_is_good(tmp_path: Path) -> None:
    assert load(lay_out(tmp_path)).problems == ()


def test_prose_may_have_lines_and_strange_letters(tmp_path: Path) -> None:
    text = DEFINITION.replace('loop = "one launch"', 'loop = """one\n\tlaunch, \u05e9 <b>bold</b> | `x`"""')
    library = load(lay_out(tmp_path, definition=text))
    assert library.problems == ()
    assert "\n\tlaunch, \u05e9 <b>" in library.benchmarks["bench"].definition.arms["quick"].loop
