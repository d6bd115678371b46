from __future__ import annotations

import json
from pathlib import Path

import pytest

from perfdocs import store as module
from perfdocs.frame import rows
from perfdocs.library import Library, load_library
from perfdocs.store import CardStore


def load(benchmarks: Path, folder: Path) -> Library:
    store = CardStore(folder)
    library = load_library(benchmarks, store=store)
    store.tidy()
    return library


def change(benchmarks: Path, **fields: object) -> Path:
    path = benchmarks / "rk4" / "cards" / "made-up-gpu.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))
    return path


def test_a_card_from_the_store_is_the_card_that_was_read(benchmarks: Path, tmp_path: Path) -> None:
    first, second = (load(benchmarks, tmp_path / "store").benchmarks["rk4"] for _ in range(2))
    for a, b in zip(first.cards, second.cards, strict=True):
        assert type(b.card) is not type(a.card)  # it did come from the store
        assert a.digest == b.digest
        for row, same in zip(rows(first, a), rows(second, b), strict=True):
            assert (row.table, row.arm, row.at, row.flags, row.anchor) == (
                same.table,
                same.arm,
                same.at,
                same.flags,
                same.anchor,
            )
            assert row.raw is not None
            assert same.raw is not None
            assert row.raw.values == same.raw.values
            assert [type(v) for v in row.at.values()] == [type(v) for v in same.at.values()]
        assert (a.card.device, a.card.method, a.card.not_run) == (b.card.device, b.card.method, b.card.not_run)


def test_known_cards_are_not_checked_again(benchmarks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(benchmarks, tmp_path / "store")
    checked: list[Path] = []
    monkeypatch.setattr("perfdocs.library.QuickReader.read", lambda self, data, path: checked.append(path))
    load(benchmarks, tmp_path / "store")
    assert checked == []
    changed = change(benchmarks, recorded="2026-12-01T12:00:00Z")
    load(benchmarks, tmp_path / "store")
    assert checked == [changed]


def test_a_changed_definition_or_changed_rules_check_every_card(
    benchmarks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(benchmarks, tmp_path / "store")
    toml = benchmarks / "rk4" / "benchmark.toml"
    text = toml.read_text(encoding="utf-8")
    renamed = text.replace("[arms.persistent]", "[arms.renamed]").replace('"persistent"', '"renamed"')
    toml.write_text(renamed, encoding="utf-8")
    assert [p.code for p in load(benchmarks, tmp_path / "store").problems] == ["unknown-arm"]
    toml.write_text(text, encoding="utf-8")
    load(benchmarks, tmp_path / "store")
    monkeypatch.setattr(module, "_rules", lambda: b"other rules")
    monkeypatch.setattr("perfdocs.library.QuickReader.read", lambda self, data, path: checked.append(path))
    checked: list[Path] = []
    load(benchmarks, tmp_path / "store")
    assert len(checked) == 2


def test_a_renamed_file_is_a_problem_also_where_its_content_is_known(benchmarks: Path, tmp_path: Path) -> None:
    load(benchmarks, tmp_path / "store")
    cards = benchmarks / "rk4" / "cards"
    (cards / "made-up-gpu.json").rename(cards / "other.json")
    assert [p.code for p in load(benchmarks, tmp_path / "store").problems] == ["card-name"]


@pytest.mark.parametrize("content", [b"", b"\x00" * 400, b"{}", b"\x80", b"\xc1"])
def test_what_is_damaged_in_the_store_is_read_from_the_card(benchmarks: Path, tmp_path: Path, content: bytes) -> None:
    load(benchmarks, tmp_path / "store")
    for path in (tmp_path / "store").iterdir():
        path.write_bytes(content)
    library = load(benchmarks, tmp_path / "store")
    assert library.problems == ()
    assert len(library.benchmarks["rk4"].cards) == 2


def test_a_wrong_card_is_not_kept(benchmarks: Path, tmp_path: Path) -> None:
    change(benchmarks, version=2)
    for _ in range(2):
        assert [p.code for p in load(benchmarks, tmp_path / "store").problems] == ["card-version"]
    assert len(list((tmp_path / "store").iterdir())) == 1


def test_the_store_forgets_cards_that_are_gone(benchmarks: Path, tmp_path: Path) -> None:
    load(benchmarks, tmp_path / "store")
    (benchmarks / "rk4" / "cards" / "made-up-cpu.json").unlink()
    load(benchmarks, tmp_path / "store")
    assert len(list((tmp_path / "store").iterdir())) == 1


def test_a_folder_that_cannot_be_made_stops_nothing(benchmarks: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert load(benchmarks, tmp_path / "file").problems == ()
