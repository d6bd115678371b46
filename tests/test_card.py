"""A card's file: what is written reads back, a write is whole or not at all, the schema says what the reader takes."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.conftest import synthetic_card

from perfdocs.card import Block, Card, Spread, State, Summary
from perfdocs.cardfile import card_schema, decode_card, encode_card, read_card, write_card
from perfdocs.errors import PerfdocsError, Problem, clean, nearest, place
from perfdocs.files import digest, write_atomic

PATH = Path("made-up-gpu.json")


def decoded(**changes: Any) -> Card:
    """A synthetic card with changes."""
    return decode_card(json.dumps(synthetic_card() | changes).encode(), PATH)


def test_what_is_written_reads_back_and_is_the_same_bytes() -> None:
    card = decoded()
    data = encode_card(card)
    assert decode_card(data, PATH) == card
    assert encode_card(decode_card(data, PATH)) == data


def test_one_measurement_a_line_so_that_a_diff_shows_which_changed() -> None:
    card = decoded()
    lines = encode_card(card).decode().splitlines()
    assert sum('"arm"' in line for line in lines) == len(card.measurements) + len(card.not_run)
    first = card.measurements[0]
    changed = replace(
        card, measurements=(replace(first, values={**first.values, "wall": (1.0,) * 5}), *card.measurements[1:])
    )
    differing = [a for a, b in zip(lines, encode_card(changed).decode().splitlines(), strict=True) if a != b]
    assert len(differing) == 1


def test_samples_counts_summaries_and_choices() -> None:
    card = synthetic_card()
    card["measurements"] = [
        card["measurements"][0] | {"end_to_end": {"centre": 2, "digits": 2}, "launches": 3, "policy": "greedy"}
    ]
    values = decode_card(json.dumps(card).encode(), PATH).measurements[0].values
    assert values["end_to_end"] == Summary(centre=2.0, digits=2)
    assert values["launches"] == 3.0
    assert isinstance(values["launches"], float)
    assert values["policy"] == "greedy"
    assert isinstance(values["wall"], tuple)


def test_an_integer_sample_counts_as_a_number() -> None:
    card = synthetic_card()
    card["measurements"][0]["wall"] = [1, 2, 3, 4, 5]
    assert decode_card(json.dumps(card).encode(), PATH).measurements[0].values["wall"] == (1.0, 2.0, 3.0, 4.0, 5.0)


SPREAD = Spread(low=1.9543e9, centre=1.9543e9, high=1.9543e9)
WATTS = Spread(low=612.34, centre=645.12, high=699.87)
STATE = State(
    window="ramp", seconds=0.25012, samples=7, sm_clock=SPREAD, memory_clock=SPREAD, cpu_clock=SPREAD, power=WATTS,
    temperature=61.0, utilisation=0.98123, p_states=(0, 2, 8), throttle=("power_cap", "hardware_slowdown"),
    foreign_processes=0, foreign_load=0.03, foreign_limit=64.0, run_queue=3, energy=312.45, energy_error=12.345,
    unobserved=("foreign_load", "run_queue", "foreign_processes", "utilisation", "p_states"),
)  # fmt: skip


def test_two_hundred_sampled_measurements_are_less_than_a_megabyte(tmp_path: Path) -> None:
    card = decoded()
    wall = tuple(0.0012345 + i * 1e-7 for i in range(5))
    block = Block(warmup=wall[:2], ramp_runs=200, state=STATE, repeats=("foreign load of 1.23 processors",) * 2)
    values = {"wall": wall, "end_to_end": wall, **{f"fact_{i}": 123456.0 for i in range(20)}}
    one = replace(card.measurements[0], block=block, values=values)
    many = tuple(replace(one, at={"n": i}) for i in range(200))
    data = encode_card(replace(card, measurements=many))
    assert decode_card(data, PATH).measurements[0].block == block
    assert len(data) < 1e6


def test_what_was_sampled_is_in_order() -> None:
    card = synthetic_card()
    state = {"window": "ramp", "seconds": 0.25, "samples": 7, "power": {"low": 3.0, "centre": 2.0, "high": 4.0}}
    card["measurements"][0]["block"] = {"state": state}
    with pytest.raises(PerfdocsError, match=r"measurements\[0\].*low ≤ centre ≤ high"):
        decode_card(json.dumps(card).encode(), PATH)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("sm_clock", {"low": -3e9, "centre": 1e9, "high": 2e9}, "sm_clock between 0 and 1e\\+11"),
        ("power", {"low": 1.0, "centre": 2.0, "high": 1e9}, "power between 0 and 100000"),
        ("temperature", -1000, "temperature between -100 and 200"),
        ("throttle", ["power_cap"] * 33, "length <= 32"),
        ("p_states", [0] * 17, "length <= 16"),
        ("unobserved", ["power"] * 33, "length <= 32"),
    ],
)
def test_what_no_machine_shows_is_refused(key: str, value: object, said: str) -> None:
    card = synthetic_card()
    card["measurements"][0]["block"] = {"state": {"window": "ramp", "seconds": 0.25, "samples": 7, key: value}}
    with pytest.raises(PerfdocsError, match=said):
        decode_card(json.dumps(card).encode(), PATH)


def test_writing_checks_first_and_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "made-up-gpu.json"
    card = decoded()
    write_card(card, path)
    before = path.read_bytes()
    assert read_card(path) == card
    broken = replace(card, device=replace(card.device, name=""))
    with pytest.raises(PerfdocsError):
        write_card(broken, path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "new" / "card.json"
    write_atomic(path, b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert [p.name for p in path.parent.iterdir()] == ["card.json"]


def test_a_write_keeps_permissions_and_replaces_plain_files_only(tmp_path: Path) -> None:
    path, pipe = tmp_path / "card.json", tmp_path / "pipe"
    write_atomic(path, b"old")
    path.chmod(0o640)
    write_atomic(path, b"new")
    assert path.stat().st_mode & 0o777 == 0o640
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="not a plain file"):
        write_atomic(pipe, b"new")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_the_schema_describes_the_file_not_the_record() -> None:
    schema = card_schema()
    assert schema["title"] == "perfdocs.card/1"
    measurement = schema["$defs"]["Measurement"]
    assert "values" not in measurement["properties"]
    assert measurement["additionalProperties"] is not False
    assert schema["$defs"]["Card"]["additionalProperties"] is False
    assert set(schema["$defs"]["Card"]["required"]) <= set(synthetic_card())
    references = {r.rsplit("/", 1)[1] for r in _references(schema)}
    assert references == set(schema["$defs"])


def _references(tree: Any) -> list[str]:
    if isinstance(tree, dict):
        own = [tree["$ref"]] if "$ref" in tree else []
        return own + [r for child in tree.values() for r in _references(child)]
    return [r for child in tree for r in _references(child)] if isinstance(tree, list) else []


def test_a_problem_is_one_bounded_printable_line() -> None:
    problem = Problem("a-code", "card.json: $.x\n", "a\x1b[31m" + "b" * 500, "c" * 900, "d\u202e")
    line = str(problem)
    assert line.isprintable()
    assert len(line) < 1100
    assert line.startswith("card.json: $.x\N{REPLACEMENT CHARACTER}: found a\N{REPLACEMENT CHARACTER}[31mb")
    assert line.endswith("[a-code]")
    assert str(PerfdocsError("a", "b", "c", "d", "e")) == "b: found c, expected d; e [a]"


def test_places_are_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "a" / "b" / "c"
    inner.mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a")
    assert place(inner / "x.json", "$.y") == str(Path("b", "c", "x.json")) + ": $.y"
    monkeypatch.chdir(inner)
    assert place(tmp_path / "x.json") == str(tmp_path / "x.json")


def test_the_nearest_word() -> None:
    assert nearest("persistant", ["persistent", "per_thread"]) == '; did you mean "persistent"?'
    assert nearest("zzz", ["persistent"]) == ""
    assert nearest("x" * 10**6, ["persistent"]) == ""
    assert clean("ab", 1) == "a…"
    assert digest(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
