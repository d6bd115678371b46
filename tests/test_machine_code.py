"""Records of machine instructions: what finds them, what is compiled all the same, whose they are."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from tests import machine_code as kit
from tests.machine_code import RECORDS, MachineCode, Named, file_of, key_of, read, turn, written

from perfdocs.measure import sass

FOUND = {"k": Named(Counter({"FFMA": 8, "EXIT": 1}), (Counter({"FFMA": 4}), Counter({"FFMA": 3})))}
OTHER = {"k": Named(Counter({"FFMA": 7, "EXIT": 1}), (Counter({"FFMA": 4}), Counter({"FFMA": 3})))}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A record of one text, made by a compiler that is made up."""
    monkeypatch.setattr(sass, "versions", lambda: ("1.2", "3.4"))
    monkeypatch.setattr(kit, "compiled", lambda *_: FOUND)
    code = MachineCode(tmp_path / "records" / "it.json", record=True)
    assert code.inner_loops("text", ("-DA=1",), 90) == {"k": FOUND["k"].loops}
    code.write()
    return tmp_path / "records" / "it.json"


def compiled_as(monkeypatch: pytest.MonkeyPatch, found: dict[str, Named]) -> list[str]:
    """The texts that are compiled from now on."""
    texts: list[str] = []

    def compiled(text: str, *_: object) -> dict[str, Named]:
        texts.append(text)
        return found

    monkeypatch.setattr(kit, "compiled", compiled)
    return texts


def test_a_record_stands_for_the_compiler(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, code = compiled_as(monkeypatch, OTHER), MachineCode(file)
    assert code.instructions("text", ("-DA=1",), 90) == {"k": FOUND["k"].whole}
    assert code.inner_loops("text", ("-DA=1",), 90) == {"k": FOUND["k"].loops}
    assert (texts, code.unrecorded) == ([], [])


@pytest.mark.parametrize(
    ("text", "options", "architecture"), [("text ", "-DA=1", 90), ("text", "-DA=2", 90), ("text", "-DA=1", 80)]
)
def test_what_has_changed_is_compiled_once_and_said(
    text: str, options: str, architecture: int, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts, code = compiled_as(monkeypatch, OTHER), MachineCode(file)
    assert code.instructions(text, (options,), architecture)["k"]["FFMA"] == 7
    assert len(code.inner_loops(text, (options,), architecture)["k"]) == 2
    assert (texts, code.unrecorded) == ([text], [f"sm_{architecture} {options}"])


def test_other_versions_and_other_readers_find_no_record(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [key_of("text", ("-DA=1",), 90)]
    monkeypatch.setattr(sass, "versions", lambda: ("1.2", "3.5"))
    keys.append(key_of("text", ("-DA=1",), 90))
    monkeypatch.setattr(kit, "READERS", ("another sass.py", kit.READERS[1]))
    keys.append(key_of("text", ("-DA=1",), 90))
    for number in range(2):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "it.hpp").write_text(f"int x = {number};\n")
        keys.append(key_of("text", ("-DA=1", f"-I{tmp_path / str(number)}"), 90))
    assert len(set(keys)) == 5
    assert keys[0] in read(file)


@pytest.mark.parametrize("anew", [True, False])
def test_a_wrong_record_is_noticed_in_its_turn(anew: bool, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled_as(monkeypatch, OTHER)
    code = MachineCode(file, anew=anew or frozenset(read(file)))
    with pytest.raises(AssertionError, match=r"it\.json, sm_90 -DA=1: not what the compiler makes of it"):
        code.instructions("text", ("-DA=1",), 90)
    compiled_as(monkeypatch, FOUND)
    assert code.instructions("text", ("-DA=1",), 90) == {"k": FOUND["k"].whole}


def test_records_are_read_as_they_were_written(tmp_path: Path) -> None:
    found, said = {"b": FOUND, "a": {**OTHER, "none": Named(Counter(), ())}}, {"b": "sm_80", "a": 'sm_90 -DX="1"'}
    (tmp_path / "it.json").write_text(written(found, said))
    assert read(tmp_path / "it.json") == found
    assert written(found, said).index('"b"') < written(found, said).index('"a"')  # as a reader looks for them


def test_every_record_is_that_of_a_test() -> None:
    files = sorted(RECORDS.glob("*.json"))
    assert files
    for file in files:
        module, _, case = file.name.removesuffix(".json").partition(".")
        function = re.match(r"\w+", case)
        assert function is not None
        text = (RECORDS.parent.parent / f"{module}.py").read_text(encoding="utf-8")
        assert f"def {function[0]}(" in text, file.name
        assert "machine_code: MachineCode" in text, file.name
    assert file_of("tests.test_it", "test_x[fp32-8]").name == "test_it.test_x-fp32-8.json"


def test_one_text_is_compiled_anew_whenever_a_source_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    every = [(file.name, key) for file in sorted(RECORDS.glob("*.json")) for key in read(file)]
    seen = []
    for number in range(len(every)):
        monkeypatch.setattr(kit, "tree", lambda number=number: number)
        seen += turn.__wrapped__()
    assert seen == every
