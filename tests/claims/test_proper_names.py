"""Proper names that several arms or devices share are held against the claim: JAX, CuPy, H200."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.claims.toy import HERE, cpu_card, gpu_card, imported_card

from perfdocs.claims.check import check_text
from perfdocs.claims.wording import Named, read_prose
from perfdocs.library import Library, load_library

LABELS = {
    'label = "the twin"': 'label = "JAX, one launch"',
    'label = "device-side loop"': 'label = "JAX, a loop"',
    'label = "masked arrays"': 'label = "CuPy, masked"',
}
NAMES = {"toy-gpu": "Maker H9", "toy-cpu": "Maker Zeta Processor", "toy-paper": "Maker H7"}
GIVEN = "<!-- given: toy, toy-gpu, spread-1000, n=1e4 -->\n\n"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("benchmarks") / "toy"
    (folder / "cards").mkdir(parents=True)
    toml = (HERE / "toy.toml").read_text(encoding="utf-8")
    for old, new in LABELS.items():
        assert toml.count(old) == 1
        toml = toml.replace(old, new)
    (folder / "benchmark.toml").write_text(toml, encoding="utf-8")
    for card in (gpu_card(), cpu_card(), imported_card()):
        key = card["device"]["id"]
        card["device"]["name"] = NAMES[key]
        (folder / "cards" / f"{key}.json").write_text(json.dumps(card), encoding="utf-8")
    found = load_library(folder.parent)
    assert not found.problems
    return found


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("JAX takes 31 µs<!-- claim: twin -->", ""),
        ("CuPy takes 31 µs<!-- claim: twin -->", 'the arm "CuPy"'),
        ("JAX takes 30 µs<!-- claim: stealing -->", 'the arm "JAX"'),
        ("JAX takes 31 µs, CuPy 41 ms<!-- claim: twin; masked -->", ""),
        ("CuPy takes 31 µs, JAX 41 ms<!-- claim: twin; masked -->", "the arms in the order CuPy, JAX"),
        ("JAX is 1.03× slower<!-- claim: twin slower than stealing by ? -->", ""),
        ("On an H9 it takes 30 µs<!-- claim: stealing -->", ""),
        ("On a Zeta it takes 30 µs<!-- claim: stealing -->", 'the device "toy-cpu"'),
        ("On the Maker's it takes 30 µs<!-- claim: stealing -->", ""),
        ("A Processor takes 30 µs<!-- claim: stealing -->", ""),
    ],
)
def test_a_shared_name(library: Library, sentence: str, found: str) -> None:
    (_, outcome) = check_text(GIVEN + sentence, "page.md", library)
    assert (outcome.problem.found if outcome.problem else "").startswith(found)
    assert outcome.passes is not bool(found)


def test_a_capital_is_no_name_where_every_label_has_one(tmp_path: Path) -> None:
    folder = tmp_path / "toy"
    folder.mkdir()
    toml = (HERE / "toy.toml").read_text(encoding="utf-8")
    sentence_case = toml.replace('label = "work', 'label = "Work').replace('label = "one', 'label = "One')
    for small in ("the twin", "device-side", "masked"):
        sentence_case = sentence_case.replace(f'label = "{small}', f'label = "{small.capitalize()}')
    (folder / "benchmark.toml").write_text(sentence_case, encoding="utf-8")
    definition = load_library(tmp_path).benchmarks["toy"].definition
    assert [m.key for m in read_prose("One of them is Work stealing", definition, Named({})).names] == ["stealing"]
