"""Progress on a terminal and elsewhere."""

from __future__ import annotations

import io

import pytest

from perfdocs.measure.progress import Bar, Lines, duration


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (59.4, "59 s"),
        (60, "1 min 00 s"),
        (125, "2 min 05 s"),
        (-1, "0 s"),
    ],
)
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_plain_lines() -> None:
    stream, moments = io.StringIO(), iter((100.0, 100.0, 100.4, 161.5, 1234.0))
    lines = Lines(stream, lambda: next(moments))
    lines.begin("toy on a device", 2)
    lines.at(0, "good n=10", None)
    lines.at(1, "good n=100", 61.0)
    lines.note("a note")
    lines.end()
    assert stream.getvalue() == (
        "    0.0 s  toy on a device: 2 measurements\n"
        "    0.4 s    1/2 good n=10\n"
        "   61.5 s    2/2 good n=100, about 1 min 01 s left\n"
        " 1134.0 s    a note\n"
    )


def test_the_bar_says_the_same_and_markup_is_text() -> None:
    console = pytest.importorskip("rich.console").Console(file=io.StringIO(), force_terminal=True, width=120)
    bar = Bar(console)
    bar.begin("toy on [bold]a device[/bold]", 2)
    bar.at(1, "good [red]n=10", 61.0)
    bar._bar.refresh()
    bar.note("a [link]note")
    bar.end()
    shown = console.file.getvalue()
    for part in ("[bold]a device[/bold]", "[red]n=10", "about 1 min 01 s left", "1/2", "a [link]note"):
        assert part in shown
