"""Bad cards: each is one located problem, and the other cards load."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.bad_input.kit import DEFINITION, GOOD, Case, Change, drop, edit, lay_out, load, only_problem, put, swap

from perfdocs.library import Library

FIRST = "$.measurements[0]"
DEEP_LIST = "[" * 60 + "]" * 60
BOTTOMLESS = '{"schema": "perfdocs.card/1", "host": ' + "[" * 200_000


def typed(path: str, *values: Any, code: str = "card-type") -> list[Case]:
    """Values of the wrong type at one place."""
    return [Case(f"{path} is {json.dumps(v)[:30]}", put(path, v), code, f"$.{path}") for v in values]


def again(path: str) -> Any:
    """The same list item once more."""

    def act(item: Any, last: Any) -> None:
        item[last].append(item[last][0])

    return edit(path, act)


def cut(length: int) -> Change:
    """Only the first ``length`` characters."""
    return lambda text: text[:length]


REQUIRED = [
    "benchmark",
    "version",
    "recorded",
    "origin",
    "device",
    "host",
    "software",
    "source",
    "method",
    "device.id",
    "device.kind",
    "device.name",
    "method.protocol",
    "origin.kind",
    "not_run[0].reason",
    "measurements[0].table",
    "measurements[0].arm",
    "measurements[1].wall.centre",
]
NO_DATES = [
    "yesterday",
    "2026-11-30",
    "2026-13-01T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-11-30T25:00:00Z",
    "2026-11-30T12:00:00",
    "2026-11-30T12:00:00+01:00",
    "0000-01-01T00:00:00Z",
]
STRINGS = [
    "device.name",
    "device.vendor",
    "device.mig",
    "host.os",
    "host.cpu",
    "host.driver",
    "software.numpy",
    "method.timer",
    "method.pinning",
    "method.clocks_reason",
    "not_run[0].reason",
    "origin.source",
    "origin.licence",
    "measurements[0].block.gate.skipped",
    "measurements[0].block.throttle[0]",
]

SYNTAX = [
    *[Case(f"cut short after {n} bytes", cut(n), "card-syntax", "line") for n in (1, 30, 200, 600, 1500)],
    Case("cut short at the last brace", lambda t: t.rstrip()[:-1], "card-syntax", "line"),
    Case("empty", lambda t: "", "card-syntax", "line 1, column 1"),
    Case("only spaces", lambda t: " \n ", "card-syntax", "line 2"),
    Case("two documents", lambda t: t + t, "card-syntax", "line"),
    Case("a comma too many", swap('"version": 1,', '"version": 1,,'), "card-syntax", "line 4"),
    Case("single quotes", swap('"bench"', "'bench'"), "card-syntax", "line 3"),
    Case("a comment", swap('"version": 1,', '"version": 1, // one'), "card-syntax", "line 4"),
    Case("a leading zero", swap('"version": 1', '"version": 01'), "card-syntax", "line 4"),
    Case("byte order mark", lambda t: b"\xef\xbb\xbf" + t.encode(), "card-syntax", "line 1"),
    Case("UTF-16", lambda t: t.encode("utf-16"), "card-syntax", "byte 0"),
    Case("Latin-1", lambda t: t.replace("Made Up", "Mädé Up").encode("latin-1"), "card-syntax", "byte"),
    Case("binary", lambda t: bytes(range(256)), "card-syntax", "byte 128"),
    Case("zeros", lambda t: b"\0" * 1000, "card-syntax", "line 1"),
    Case("a Git LFS pointer", lambda t: "version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "card-syntax"),
    Case("a merge conflict", lambda t: f"<<<<<<< HEAD\n{t}=======\n{t}>>>>>>> b\n", "card-syntax", "line 1"),
    Case("HTML", lambda t: "<!doctype html><title>404</title>", "card-syntax", "line 1"),
    Case("an array", lambda t: "[1, 2]", "card-type", "$"),
    Case("a number", lambda t: "1", "card-type", "$"),
    Case("null", lambda t: "null", "card-type", "$"),
    Case("a raw line break in a text", swap("Made Up", "Made\nUp"), "card-syntax", "line"),
]

SCHEMAS = [
    Case("no schema", drop("schema"), "card-schema", "$.schema"),
    Case("null schema", put("schema", None), "card-schema", "$.schema"),
    Case("schema is an object", put("schema", {"a": 1}), "card-schema", "$.schema"),
    Case("schema is a number", put("schema", 1), "card-schema", "$.schema"),
    Case("another schema", put("schema", "other/1"), "card-schema", "$.schema"),
    Case("schema is HTML", put("schema", "<script>alert(1)</script>"), "card-schema", "$.schema"),
    Case("a later schema", put("schema", "perfdocs.card/2"), "card-future", "$.schema", "upgrade"),
    Case("a schema far off", put("schema", "perfdocs.card/" + "9" * 10_000), "card-future", "$.schema"),
    Case("an interrupted run", put("schema", "perfdocs.partial/1"), "card-partial", "$.schema", "again"),
]

KEYS = [
    Case("unknown key", put("comment", "hello"), "card-unknown-key", "$", '"comment"'),
    Case("unknown key of the device", put("device.hostname", "box"), "card-unknown-key", "$.device", '"hostname"'),
    Case("unknown key of a block", put("measurements[0].block.gates", 1), "card-unknown-key", f"{FIRST}.block"),
    Case("unknown key of a gate", put("measurements[0].block.gate.x", 1), "card-unknown-key", f"{FIRST}.block.gate"),
    Case("unknown key of the method", put("method.run", 5), "card-unknown-key", "$.method"),
    Case("unknown key of not_run", put("not_run[0].why", "x"), "card-unknown-key", "$.not_run[0]"),
    Case(
        "unknown key of a summary", put("measurements[1].wall.median", 1), "card-unknown-key", "$.measurements[1].wall"
    ),
    Case("a key that imitates a message", swap('"version"', '"a` - at `$.b": 1, "version"'), "card-unknown-key", "$"),
    *[
        Case(f"no {key}", drop(key), "card-missing-key", "$" + ("." + key.rpartition(".")[0] if "." in key else ""))
        for key in REQUIRED
    ],
    Case("no measurements", drop("measurements"), "card-type", "$.measurements", "nothing"),
    Case("a key twice", swap('"version": 1,', '"version": 1, "version": 1,'), "card-duplicate-key", "$", '"version"'),
    Case(
        "a device's key twice", swap('"kind": "gpu"', '"kind": "gpu", "kind": "cpu"'), "card-duplicate-key", "$.device"
    ),
    Case("a metric twice", swap('"policy"', '"wall": [1.0], "policy"'), "card-duplicate-key", FIRST),
    Case("an axis twice", swap('"n": 1000', '"n": 1000, "n": 10'), "card-duplicate-key", f"{FIRST}.at"),
    Case("a gate's key twice", swap('"waited": 1.5', '"waited": 1, "waited": 2'), "card-duplicate-key", "block.gate"),
    Case(
        "a source twice",
        swap('"step.cuh": "0', '"step.cuh": "", "step.cuh": "0'),
        "card-duplicate-key",
        "$.source.files",
    ),
    Case("measurements twice", swap('"not_run"', '"measurements": [], "not_run"'), "card-duplicate-key", "$"),
    Case("a metric with capitals", put("measurements[0].Wall", [1.0]), "card-key", f"{FIRST}.Wall"),
    Case("a metric with HTML", put("measurements[0].<b>", [1.0]), "card-key", FIRST),
    Case("a metric called values", put("measurements[0].values", {"wall": [1.0]}), "card-key", f"{FIRST}.values"),
    Case("an empty key", put("measurements[0].at", {"": 1}), "card-value", f"{FIRST}.at"),
]

TYPES = [
    *typed("version", "1", 1.5, None, True, [], {}),
    *typed("recorded", 20261130, None),
    *typed("origin", "synthetic", None, [], 0),
    *typed("device", "made-up", None, []),
    *typed("device.id", 7, None, ["made-up"]),
    *typed("device.memory", "80 GiB", 1.5, True),
    *typed("device.max_clock", "1 GHz", True, [1e9]),
    *typed("device.compute_capability", "9.0", 9.0, [9], [9, 0, 0]),
    *typed("device.ecc", 1, "yes"),
    *typed("host", None, "Linux"),
    *typed("software", ["numpy"], None, "numpy 2.4"),
    *typed("software.numpy", 2.4, None),
    *typed("source.files", ["step.cuh"], None),
    *typed("source.dirty", 1),
    *typed("method", None, "block"),
    *typed("method.runs", "5", 5.5, None),
    *typed("measurements", {}, None, "none", 3),
    *typed("measurements[0]", [], None, "wall", 1),
    *typed("measurements[0].at", [1], None, "n=1000", 5),
    *typed("measurements[0].at.n", None, True, [1], {}),
    *typed("measurements[0].arm", 1, None, ["quick"]),
    *typed("measurements[0].flags", "noisy", {}, [1]),
    *typed("measurements[0].block", [], 1, "none"),
    *typed("measurements[0].block.gate", "cool", 3),
    *typed("measurements[0].wall", None, True, "1 ms", "6.66e-4 s", "<b>1</b>"),
    *typed("measurements[0].wall[1]", None, "1", True, [1.0], {}),
    *typed("not_run", {}, None, "nothing"),
    *typed("not_run[0]", "steady", None),
]

VALUES = [
    *[
        Case(f"{path} is {text}", swap(old, old.replace(number, text)), "card-number", f"$.{path}")
        for text in ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1e150", "1" + "0" * 400)
        for path, old, number in (
            ("measurements[0].wall[0]", '"wall": [1.0', "1.0"),
            ("measurements[0].at.n", '"n": 1000', "1000"),
            ("device.max_clock", '"max_clock": 1e9', "1e9"),
        )
    ],
    Case("an integer of 5000 digits", swap("1000", "1" * 5000), "card-number", "$"),
    Case("version zero", put("version", 0), "card-value", "$.version"),
    Case("negative memory", put("device.memory", -1), "card-value", "$.device.memory"),
    Case("no clock", put("device.max_clock", 0.0), "card-value", "$.device.max_clock"),
    Case("negative SMs", put("device.sm_count", 0), "card-value", "$.device.sm_count"),
    Case("negative wait", put("measurements[0].block.gate.waited", -1.0), "card-value", f"{FIRST}.block.gate.waited"),
    Case("a negative time", put("measurements[0].wall[2]", -1e-3), "card-negative", f"{FIRST}.wall"),
    Case("a time of zero", put("measurements[0].wall[2]", 0.0), "card-negative", f"{FIRST}.wall"),
    Case("a negative count", put("measurements[0].useful_flop", -1), "card-negative", f"{FIRST}.useful_flop"),
    Case("a negative centre", put("measurements[1].wall", {"centre": -1.0}), "card-negative", "$.measurements[1].wall"),
    Case("a centre outside its range", put("measurements[1].wall.low", 2.05), "card-summary", "$.measurements[1].wall"),
    Case("no digits", put("measurements[1].wall.digits", 0), "card-value", "$.measurements[1].wall.digits"),
    Case("no samples", put("measurements[0].wall", []), "card-samples", f"{FIRST}.wall"),
    Case("too many samples", put("measurements[0].wall", [1.0] * 10_001), "card-samples", f"{FIRST}.wall"),
    Case("too much software", put("software", {f"s{i}": "1" for i in range(201)}), "card-value", "$.software"),
    Case(
        "too many sources", put("source.files", {f"s{i}": "a" * 64 for i in range(501)}), "card-value", "$.source.files"
    ),
    Case("too much not run", put("not_run", [{"arm": "greedy", "reason": "x"}] * 10_001), "card-value", "$.not_run"),
    Case(
        "too many measurements",
        put("measurements", [{"table": "main", "arm": "greedy"}] * 10_001),
        "card-value",
        "$.measurements",
    ),
    Case("samples of a count", put("measurements[0].useful_flop", [1.0]), "card-kind", f"{FIRST}.useful_flop"),
    Case("a key for samples", put("measurements[0].wall", "greedy"), "card-kind", f"{FIRST}.wall"),
    Case("a number for a choice", put("measurements[0].policy", 3), "card-kind", f"{FIRST}.policy"),
    *[
        Case(f"the device is called {i[:20]!r}", put("device.id", i), "card-value", "$.device.id")
        for i in ("", "Made-Up", "made up", "-made", "../made-up", "made/up", "made.up", "nvidia®", "x" * 65)
    ],
    Case("an invisible device", put("device.name", "\u200b"), "card-text", "$.device.name"),
    Case("an integer of 65 bits", put("device.memory", 2**64), "card-number", "$.device.memory"),
    Case("an axis value of 65 bits", put("measurements[0].at.n", 2**64), "card-number", f"{FIRST}.at.n"),
    Case("a kind of its own", put("device.kind", "tpu"), "card-value", "$.device.kind"),
    Case("a very long kind", put("device.kind", "got, " * 9000), "card-value", "$.device.kind"),
    Case("a nameless device", put("device.name", ""), "card-value", "$.device.name"),
    Case("an endless name", put("device.name", "x" * 10_000), "card-value", "$.device.name"),
    Case("an origin of its own", put("origin.kind", "guessed"), "card-value", "$.origin.kind"),
    Case("another protocol", put("method.protocol", "best"), "card-value", "$.method.protocol"),
    Case("no reason", put("not_run[0].reason", ""), "card-value", "$.not_run[0].reason"),
    Case("a kind of reason of its own", put("not_run[0].kind", "lazy"), "card-value", "$.not_run[0].kind"),
    Case("a hash that is none", put("source.files", {"a.cu": "12"}), "card-value", "$.source.files"),
    Case("a commit that is none", put("source.commit", "main"), "card-value", "$.source.commit"),
    *[Case(f"recorded {d!r}", put("recorded", d), "card-value", "$.recorded") for d in NO_DATES],
]

NAMES = [
    Case("another benchmark", put("benchmark", "twin"), "card-benchmark", "$.benchmark", "move the card"),
    Case("another version", put("version", 2), "card-version", "$.version", "measure this device again"),
    Case("another device than the file", put("device.id", "made-down"), "card-name", "$.device.id", "rename the file"),
    Case("unknown arm", put("measurements[0].arm", "quik"), "unknown-arm", f"{FIRST}.arm", 'did you mean "quick"?'),
    Case("unknown table", put("measurements[0].table", "mian"), "unknown-table", f"{FIRST}.table", 'mean "main"?'),
    Case("unknown metric", put("measurements[0].wal", [1.0]), "unknown-metric", f"{FIRST}.wal", 'mean "wall"?'),
    Case("unknown axis", put("measurements[0].at.m", 1), "unknown-axis", f"{FIRST}.at"),
    Case(
        "unknown axis value",
        put("measurements[0].at.config", "narow"),
        "unknown-axis-value",
        f"{FIRST}.at.config",
        "mean",
    ),
    Case("axis value of another type", put("measurements[0].at.config", 1), "unknown-axis-value", f"{FIRST}.at.config"),
    Case("unknown flag", put("measurements[0].flags", ["nosy"]), "unknown-flag", f"{FIRST}.flags", 'mean "noisy"?'),
    Case("unknown arm not run", put("not_run[0].arm", "stedy"), "unknown-arm", "$.not_run[0].arm", 'mean "steady"?'),
    Case("unknown table not run", put("not_run[0].table", "man"), "unknown-table", "$.not_run[0].table"),
    Case("unknown axis not run", put("not_run[0].at", {"shift": 1}), "unknown-axis", "$.not_run[0].at"),
    Case(
        "unknown value not run", put("not_run[0].at", {"config": "x"}), "unknown-axis-value", "$.not_run[0].at.config"
    ),
    Case("a derived quantity stored", put("measurements[0].flop_rate", 1.0), "unknown-metric", f"{FIRST}.flop_rate"),
    Case("an arm the table has not", put("measurements[2].arm", "steady"), "unknown-arm", "$.measurements[2].arm"),
    Case("a table that is derived", put("measurements[0].table", "least"), "unknown-table", f"{FIRST}.table"),
    Case("an axis lacks", drop("measurements[0].at.n"), "card-point", f"{FIRST}.at", "no value for n"),
    Case("no axis at all", drop("measurements[0].at"), "card-point", f"{FIRST}.at", "config, n"),
    Case("a point twice", again("measurements"), "card-point", "$.measurements[3]", "$.measurements[0]"),
    Case("N of zero", put("measurements[0].at.n", 0), "axis-value", f"{FIRST}.at.n"),
    Case("N below zero", put("measurements[0].at.n", -1000), "axis-value", f"{FIRST}.at.n"),
    Case("N as text", put("measurements[0].at.n", "1000"), "axis-value", f"{FIRST}.at.n"),
    Case("text on a linear axis", put("measurements[2].at.shift", "one"), "axis-value", "$.measurements[2].at.shift"),
    Case("imported without source", put("origin", {"kind": "imported", "licence": "MIT"}), "card-origin", "$.origin"),
    Case("imported without licence", put("origin", {"kind": "imported", "source": "x"}), "card-origin", "$.origin"),
]

TEXTS = [
    *[
        Case(f"U+{ord(c):04X} in {path}", put(path, f"a{c}b"), "card-text", f"$.{path}", f"U+{ord(c):04X}")
        for c in ("\0", "\n", "\x1b", "\x7f", "\u0085", "\u202e", "\u2066", "\u200f", "\ue000", "\ud800")
        for path in ("device.name", "not_run[0].reason")
    ],
    *[Case(f"override in {path}", put(path, "a\u202eb"), "card-text", f"$.{path}") for path in STRINGS],
    Case("override in a key", put("software", {"a\u202eb": "1"}), "card-text", "$.software"),
    Case("escape in an axis", put("measurements[0].at.config", "\x1b[31m"), "card-text", f"{FIRST}.at.config"),
    Case("a home folder", put("host.os", "Linux in /home/someone"), "card-private", "$.host.os", "absolute path"),
    Case("a path", put("not_run[0].reason", "no module in /usr/lib/python3"), "card-private", "$.not_run[0].reason"),
    Case("a temporary folder", put("method.pinning", "file=/tmp/x"), "card-private", "$.method.pinning"),
    Case("a Windows path", put("host.cpu", "C:\\Users\\someone"), "card-private", "$.host.cpu"),
    Case(
        "a UUID", put("device.mig", "GPU-8f0c61e6-1a2b-4c3d-9e8f-0123456789ab"), "card-private", "$.device.mig", "UUID"
    ),
    Case("a path in a key", put("source.files", {"/home/me/a.cu": "0" * 64}), "card-private", "$.source.files"),
]

NESTING = [
    Case("sixty arrays", swap('"os": "Linux"', f'"os": {DEEP_LIST}'), "card-depth", "$.host.os"),
    Case("two hundred thousand arrays", lambda t: BOTTOMLESS, "card-depth", "$"),
    Case(
        "sixty objects",
        put("measurements[0].at.n", json.loads('{"a":' * 60 + "1" + "}" * 60)),
        "card-depth",
        f"{FIRST}.at.n",
    ),
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder of benchmarks for all cases, into which each puts its card."""
    return lay_out(tmp_path_factory.mktemp("shared"))


def with_card(benchmarks: Path, card: str | bytes) -> Library:
    """The library with one more card in it."""
    path = benchmarks / "bench" / "cards" / "made-up.json"
    path.write_bytes(card if isinstance(card, bytes) else card.encode("utf-8", "surrogatepass"))
    return load(benchmarks)


CASES = [*SYNTAX, *SCHEMAS, *KEYS, *TYPES, *VALUES, *NAMES, *TEXTS, *NESTING]


def test_there_are_enough_cases_and_each_has_a_title_of_its_own() -> None:
    assert len(CASES) >= 200
    titles = [case.title for case in CASES]
    assert len(set(titles)) == len(titles), {t for t in titles if titles.count(t) > 1}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.title)
def test_one_problem_and_the_other_card_loads(case: Case, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shared.parent)
    library = with_card(shared, case.change(GOOD))
    problem = only_problem(library, case.code, case.at, case.hint)
    assert problem.where.startswith("benchmarks/bench/cards/made-up.json: ")
    assert library.device_ids() == ("other",)


def test_the_good_card_is_good(tmp_path: Path) -> None:
    library = load(lay_out(tmp_path, card=GOOD))
    assert library.problems == ()
    assert library.device_ids() == ("made-up", "other")


HOSTILE = {
    "HTML": "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "HTML entity": "&lt;b&gt; &#60; &amp;",
    "Markdown": "**bold** [link](javascript:alert(1)) ![i](x) `code` | cell | <!-- c -->",
    "reStructuredText": "`a <b>`_ |sub| .. raw:: html :role:`x` *a* _b_",
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "combining": "Z\u0351\u0344\u0306\u0363a\u0300\u0301\u0302l\u0315g\u0321o",
    "astral": "\U0001d518\U0001f600 \u4f60\u597d",
    "format": "%s %d {0} {x.__class__} ${jndi:ldap://x} $(id)",
    "quotes": "' \" ''' \"\"\" ;-- \u2019",
}


@pytest.mark.parametrize("path", STRINGS)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_text_that_is_only_strange_is_kept_as_it_stands(path: str, text: str, shared: Path) -> None:
    library = with_card(shared, put(path, text)(GOOD))
    assert library.problems == ()
    card = library.benchmarks["bench"].card_of("made-up")
    assert card is not None
    assert repr(text) in repr(card.card)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_strange_text_where_a_key_belongs_is_one_problem(text: str, shared: Path) -> None:
    for path in ("measurements[0].arm", "measurements[0].table", "device.id", "benchmark", "measurements[0].flags[0]"):
        only_problem(with_card(shared, put(path, text)(GOOD)), "card-value", f"$.{path}")


def test_a_broken_definition_takes_only_its_own_cards(tmp_path: Path) -> None:
    library = load(lay_out(tmp_path, card=GOOD, definition=DEFINITION + "\n[broken"))
    only_problem(library, "definition-syntax", "bench")
    assert sorted(library.benchmarks) == ["twin"]
    assert library.device_ids() == ("other",)
