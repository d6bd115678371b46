"""A phrasebook finds what looking for each phrase by itself finds."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from perfdocs.claims.phrasebook import Entry, Phrasebook

WORDS = st.text(alphabet="aAbkK-1 .(\u212aſsıµμ_", min_size=1, max_size=6).filter(lambda w: w == w.strip())
TEXTS = st.text(alphabet="aAbkK-1 .(\n\u212aſsıµμ_", max_size=60)


def one_by_one(entry: Entry[int], text: str) -> list[tuple[int, int]]:
    words = re.escape(entry.phrase).replace(r"\ ", r"\s+")
    pattern = rf"(?<![\w-]){words}(?![\w-])"
    return [m.span() for m in re.finditer(pattern, text, 0 if entry.exact else re.IGNORECASE)]


@given(st.lists(st.tuples(WORDS, st.booleans()), max_size=6), TEXTS)
def test_the_same_is_found(phrases: list[tuple[str, bool]], text: str) -> None:
    entries = [Entry(phrase, exact, i) for i, (phrase, exact) in enumerate(phrases)]
    expected = [(e.meaning, *span) for e in entries for span in one_by_one(e, text)]
    assert list(Phrasebook(entries).find(text)) == expected


def test_names_stand_alone_whatever_their_capitals() -> None:
    book = Phrasebook([Entry("Made up GPU", False, "gpu"), Entry("H200", True, "short"), Entry("(odd)", False, "odd")])
    text = "made  up\ngpu, H200, h200, H200-x; an (odd) one"
    assert [(meaning, text[a:b]) for meaning, a, b in book.find(text)] == [
        ("gpu", "made  up\ngpu"),
        ("short", "H200"),
        ("odd", "(odd)"),
    ]
