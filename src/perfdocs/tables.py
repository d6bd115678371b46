"""A published table as an imported card: the cells of a CSV file, read as a map says (see :mod:`perfdocs.mapping`).

Long and wide tables are one case: a row gives an arm and a point as far as its cells say them, a column the rest.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from .card import MAX_MEASUREMENTS, AxisValue, Card, Measurement, MetricValue, NotRun, Summary
from .crosscheck import check_card
from .definition import Definition
from .errors import PerfdocsError, clean, nearest, place
from .mapping import Cells, Column, Map, check_map, digits_in_si, factor_of, head_of, number_of
from .tree import MAX_INTEGER, MAX_NUMBER

__all__ = ["card_of_table"]

MAX_ROWS = 100_000
_Point = tuple[str, tuple[tuple[str, AxisValue], ...]]
"""An arm, and the axes of the table with their values."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One line of the table: its number in the file, and its cells by header."""

    line: int
    cells: Mapping[str, str]


@dataclass(slots=True)
class _Reading:
    """What has been read so far. ``places`` tells where each part of a point came from, for messages."""

    chosen: Map
    definition: Definition
    path: Path
    values: dict[_Point, dict[str, MetricValue]] = field(default_factory=dict)
    absent: dict[tuple[_Point, str], NotRun] = field(default_factory=dict)
    places: dict[tuple[_Point, str], str] = field(default_factory=dict)

    def wrong(self, code: str, row: _Row, column: str, found: str, expected: str, do: str) -> PerfdocsError:
        """A problem in one cell."""
        return PerfdocsError(code, self.where(row, column), found, expected, do)

    def where(self, row: _Row, column: str) -> str:
        """The place of a cell."""
        return place(self.path, f'line {row.line}, column "{clean(column, 60)}"')

    def read(self, row: _Row) -> None:
        """Take in one line."""
        if any(_text(row, given) in given.skip for given in _cells(self.chosen)):
            return
        arm = self._arm(row)
        at = {axis: self._axis(row, axis, given) for axis, given in self.chosen.at.items()}
        for column in self.chosen.values:
            full = {**at, **column.at}
            axes = self.definition.tables[self.chosen.table].axes
            point = (column.arm or arm, tuple((axis, full[axis]) for axis in axes))
            self._value(row, column, point)
            self._note_places(row, column, point)

    def _note_places(self, row: _Row, column: Column, point: _Point) -> None:
        for key, given in (("arm", column.arm or self.chosen.arm), *{**self.chosen.at, **column.at}.items()):
            header = given.header if isinstance(given, Cells) else column.column
            self.places.setdefault((point, key), self.where(row, header))

    def _arm(self, row: _Row) -> str:
        given = self.chosen.arm
        if not isinstance(given, Cells):
            return given or ""
        text = _text(row, given)
        said, known = str(given.is_.get(text, text)), self.definition.arms_of(self.chosen.table)
        if said not in known:
            found, header = f'the arm "{clean(said, 60)}"', given.header
            expected = f'an arm of the table "{self.chosen.table}"{nearest(said, {*known, *given.is_})}'
            do = "give its meaning in `arm.is`, or leave it out by `arm.skip`"
            raise self.wrong("unknown-arm", row, header, found, expected, do)
        return said

    def _axis(self, row: _Row, axis: str, given: AxisValue | Cells) -> AxisValue:
        if not isinstance(given, Cells):
            return given
        text = _text(row, given)
        said = given.is_.get(text, text)
        if not isinstance(said, str) or self.definition.axes[axis].scale == "category":
            return said
        number = number_of(said)
        if number is None:
            found, expected = f'"{clean(said, 60)}"', f"a number, for the axis {axis}"
            do = f"correct the cell, or give its meaning in `at.{axis}.is`"
            raise self.wrong("table-number", row, given.header, found, expected, do)
        return int(number[0]) if number[0].is_integer() and abs(number[0]) < MAX_INTEGER else number[0]

    def _value(self, row: _Row, column: Column, point: _Point) -> None:
        text = row.cells[column.column]
        if text in self.chosen.missing:
            return
        place_of = (point, column.metric)
        if place_of in self.places:
            found = f"{column.metric} of {point[0]} at {_words(point)} a second time, after {self.places[place_of]}"
            do = "remove one, or say in the map in what they differ"
            raise self.wrong("table-twice", row, column.column, found, "each value once", do)
        self.places[place_of] = self.where(row, column.column)
        if (reason := self.chosen.not_run.get(text)) is not None:
            arm, at = point
            entry = NotRun(arm=arm, table=self.chosen.table, at=dict(at), reason=reason.reason, kind=reason.kind)
            self.absent.setdefault((point, text), entry)
            return
        self.values.setdefault(point, {})[column.metric] = self._quantity(row, column)

    def _quantity(self, row: _Row, column: Column) -> MetricValue:
        centre, digits = self._number(row, column, column.column)
        if column.exact:
            return centre
        ends = [
            None if header is None or row.cells[header] in self.chosen.missing else self._number(row, column, header)[0]
            for header in (column.low, column.high)
        ]
        for end, header, side in ((ends[0], column.low, 1), (ends[1], column.high, -1)):
            if end is not None and header is not None and side * (centre - end) < 0:
                found = f"{row.cells[header]}, with {row.cells[column.column]} as the value"
                raise self.wrong("table-range", row, header, found, "low ≤ value ≤ high", "correct the three cells")
        return Summary(centre=centre, low=ends[0], high=ends[1], digits=digits)

    def _number(self, row: _Row, column: Column, header: str) -> tuple[float, int]:
        """A cell in SI and its significant digits."""
        text = row.cells[header]
        read = number_of(text)
        if read is None:
            do = "correct the cell; what is absent belongs in `missing` or `not_run` of the map"
            raise self.wrong("table-number", row, header, f'"{clean(text, 60)}"', "a number alone, as 1.23", do)
        number, printed = read
        digits = column.digits or self.chosen.digits or printed
        if not column.exact and not math.isclose(number, float(f"{number:.{digits - 1}e}"), rel_tol=1e-9):
            found = f"{clean(text, 60)}, which has more digits than the {digits} of the map"
            raise self.wrong("table-digits", row, header, found, f"at most {digits}", "correct `digits` of the map")
        factor = factor_of(column.unit, self.definition.quantity(column.metric).unit) or 1.0
        if abs(number * factor) >= MAX_NUMBER:
            found, expected = f'"{clean(text, 60)}"', "a number of ordinary size"
            raise self.wrong("table-number", row, header, found, expected, "correct the cell, or the unit of the map")
        # a product of decimal numbers, without what binary ones add to it
        return float(f"{number * factor:.15g}"), digits_in_si(digits, factor)


def _cells(chosen: Map) -> Iterator[Cells]:
    """What the map reads an arm or an axis from."""
    yield from (given for given in (chosen.arm, *chosen.at.values()) if isinstance(given, Cells))


def _text(row: _Row, cells: Cells) -> str:
    return " ".join(row.cells[column] for column in cells.columns)


def _words(point: _Point) -> str:
    return ", ".join(f"{axis}={value}" for axis, value in point[1]) or "its only point"


def card_of_table(data: bytes, path: Path, chosen: Map, map_path: Path, definition: Definition) -> Card:
    """The card that a table makes; both paths are used in messages only.

    Raises :class:`PerfdocsError` with the key of the map, or the line and the column of the table.
    """
    head = head_of(chosen, map_path, definition)
    check_map(chosen, map_path, definition)
    rows = _rows(data, path, chosen.delimiter)
    header = next(rows)
    _check_headers(chosen, map_path, tuple(header.cells), path)
    reading = _Reading(chosen, definition, path)
    for row in rows:
        reading.read(row)
        if len(reading.values) > MAX_MEASUREMENTS:
            found = f"more than {MAX_MEASUREMENTS} measurements"
            raise PerfdocsError("table-size", place(path, f"line {row.line}"), found, "fewer", "import a part of it")
    if not reading.values:
        do = "correct the map: every row was skipped, or every cell missing"
        raise PerfdocsError("table-empty", place(path), "no value in it", "at least one", do)
    return _checked(reading, head)


def _checked(reading: _Reading, head: Card) -> Card:
    """The whole card, each entry held against the definition at the place that it came from."""
    measurements = []
    for point, values in reading.values.items():
        entry = Measurement(table=reading.chosen.table, arm=point[0], at=dict(point[1]), values=values)
        _check(replace(head, measurements=(entry,)), point, reading)
        measurements.append(entry)
    for (point, _), absence in reading.absent.items():
        _check(replace(head, not_run=(absence,)), point, reading)
    return replace(head, measurements=tuple(measurements), not_run=tuple(reading.absent.values()))


def _check(card: Card, point: _Point, reading: _Reading) -> None:
    try:
        check_card(card, reading.definition, reading.path)
    except PerfdocsError as error:
        p = error.problem
        where = reading.places.get((point, p.where.rpartition(".")[2]), place(reading.path))
        raise PerfdocsError(
            p.code, where, p.found, p.expected, "correct the cell, or what the map makes of it"
        ) from None


def _check_headers(chosen: Map, map_path: Path, headers: Sequence[str], path: Path) -> None:
    for at, header in _headers(chosen):
        if header not in headers:
            raise PerfdocsError(
                "map-column",
                place(map_path, at),
                f'the column "{clean(header, 60)}"',
                f"a column of {place(path)}: {', '.join(headers[:20])}{nearest(header, headers)}",
                "write the header as it stands in the table",
            )


def _headers(chosen: Map) -> Iterator[tuple[str, str]]:
    """Where the map names columns, and their headers."""
    for at, given in (("$.arm", chosen.arm), *((f"$.at.{axis}", given) for axis, given in chosen.at.items())):
        if isinstance(given, Cells):
            yield from ((f"{at}.column", header) for header in given.columns)
    for i, column in enumerate(chosen.values):
        for key, header in (("column", column.column), ("low", column.low), ("high", column.high)):
            if header is not None:
                yield f"$.values[{i}].{key}", header


def _rows(data: bytes, path: Path, delimiter: str) -> Iterator[_Row]:
    """The header, then every line that is not empty. Raises :class:`PerfdocsError`."""

    def wrong(code: str, line: int, found: str, expected: str, do: str) -> PerfdocsError:
        return PerfdocsError(code, place(path, f"line {line}"), found, expected, do)

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = "bytes that are not UTF-8"
        raise wrong("table-syntax", data.count(b"\n", 0, error.start) + 1, found, "UTF-8", "save it so") from None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    headers: list[str] = []
    try:
        for count, cells in enumerate(reader):
            cells = [cell.strip() for cell in cells]
            if not any(cells):
                continue
            if not headers:
                headers = cells
                if twice := [h for h in headers if h and headers.count(h) > 1]:
                    found = f'the header "{clean(twice[0], 60)}" twice'
                    raise wrong("table-header", reader.line_num, found, "each once", "rename one of them")
            if len(cells) != len(headers):
                found, expected = f"{len(cells)} cells", f"{len(headers)}, as the header has"
                raise wrong("table-width", reader.line_num, found, expected, "correct the line, or `delimiter`")
            if count > MAX_ROWS:
                raise wrong("table-size", reader.line_num, f"more than {MAX_ROWS} rows", "fewer", "import a part of it")
            yield _Row(reader.line_num, dict(zip(headers, cells, strict=True)))
    except csv.Error as error:
        do = "correct the quotes, or `delimiter`"
        raise wrong("table-syntax", reader.line_num, clean(str(error), 120), "a CSV file", do) from None
    if not headers:
        raise wrong("table-empty", 1, "nothing", "a line of headers, and lines of values", "check the file")
