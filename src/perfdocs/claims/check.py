"""Check the claims of files: what ``perfdocs check`` and the Sphinx extension call."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from ..beside import in_processes
from ..errors import PerfdocsError, Problem, place
from ..library import Library
from .coverage import uncovered
from .evaluate import check_bound, check_given
from .exempting import cut_short
from .forms import is_broken_mark
from .includes import SUFFIXES, Includes
from .model import Bound, Outcome, Status
from .printing import check_value
from .syntax import parse_claim, parse_given, parse_valued

__all__ = ["SUFFIXES", "check_all", "check_pages", "check_text", "extracted", "read_page", "strict_prose"]

MAX_BYTES = 4 * 1024 * 1024
PAGES_OF_A_PROCESS = 10
"""Fewer are not worth a process."""
_MARKED = re.compile(r"perfdocs\s*:\s*strict|^[ \t]*\.\.\s+\w+\s*:(?!:)", re.IGNORECASE | re.MULTILINE)
_DEPEND: Mapping[str, Callable[[str, str], object]] = {
    "claim": parse_claim,
    "given": parse_given,
    "value": parse_valued,
}
"""Forms that mean something only with the givens around them, and what parses each."""
NONE: Mapping[Bound, Outcome] = MappingProxyType({})
"""No outcome is known."""


def check_all(
    bounds: Iterable[Bound], library: Library, known: Mapping[Bound, Outcome] = NONE, *, brief: bool = False
) -> tuple[Outcome, ...]:
    """Outcomes in the order of the bounds. What depends on a broken ``given`` is left out, which the given says.

    That is claims, values and further givens, and these too are reported where they do not parse. Everything else is
    checked. ``known`` are outcomes that this library gives as well: they are taken as they are. ``brief``: of a claim
    that holds nothing more is told.
    """
    found: list[Outcome] = []
    broken: dict[tuple[int, str], int] = {}
    left_out: list[int] = []
    for bound in bounds:
        if bound.form == "prose":
            found += uncovered(bound, library.words)
            continue
        under = [broken[key] for g in bound.given if (key := (g.line, g.expression)) in broken]
        if under and bound.form in _DEPEND:
            if (problem := _unparsed(bound)) is not None:
                found.append(Outcome(bound, Status.ERROR, problem))
            elif bound.form != "given":
                left_out.append(under[-1])
            continue
        outcome = (known.get(bound) if known else None) or _outcome(bound, library, brief=brief)
        if bound.form == "given" and not outcome.passes:
            broken[bound.line, bound.expression] = len(found)
        found.append(outcome)
    for number, count in Counter(left_out).items():
        if found[number].bound not in known:  # which says it already
            found[number] = _leaving_out(found[number], count)
    return tuple(found)


def _unparsed(bound: Bound) -> Problem | None:
    """What is wrong with an expression by itself, whatever it speaks of."""
    try:
        _DEPEND[bound.form](bound.expression, bound.where)
    except PerfdocsError as error:
        return error.problem
    return None


def _leaving_out(outcome: Outcome, count: int) -> Outcome:
    """A broken given that says how much is not checked for it."""
    assert outcome.problem is not None
    what = "the claim under this given is" if count == 1 else f"the {count} claims under this given are"
    return replace(outcome, problem=replace(outcome.problem, do=f"{outcome.problem.do}; {what} not checked"))


def _outcome(bound: Bound, library: Library, *, brief: bool = False) -> Outcome:
    if bound.form == "given":
        return check_given(bound, library)
    if bound.form == "exempt":
        return _exempt(bound)
    if bound.form == "value":
        return check_value(bound, library)
    if bound.form == "broken":
        return _broken(bound)
    return check_bound(bound, library, brief=brief)


def _exempt(bound: Bound) -> Outcome:
    if bound.expression.strip():
        if not (cut := cut_short(bound.text, bound.after)):
            return Outcome(bound, Status.EXEMPT)
        found, do = f"an exemption that ends within {cut}", "let it end before, or behind the whole"
        return Outcome(bound, Status.ERROR, Problem("claim-broken", bound.where, found, "whole words and numbers", do))
    problem = Problem("claim-syntax", bound.where, "an exemption without a reason", "a reason", "say why")
    return Outcome(bound, Status.ERROR, problem)


def _broken(bound: Bound) -> Outcome:
    problem = Problem("claim-broken", bound.where, bound.expression, "a claim that is read", bound.hint)
    return Outcome(bound, Status.ERROR, problem)


def extracted(text: str, file: str, root: Path | None = None) -> tuple[Bound, ...]:
    """Every bound expression of a document's source; ``file`` names it in messages, and its suffix tells the markup.

    With ``root``, the folder of the project, files that it includes are read as well.
    """
    includes = Includes(root) if root is not None else None
    if file.endswith(".rst"):
        from .extract_rst import extract_rst

        return extract_rst(text, file, includes=includes)
    from .extract import extract_markdown

    return extract_markdown(text, file, includes)


def strict_prose(text: str, file: str) -> tuple[Bound, ...]:
    """The blocks of a page that is marked as strict; none of another.

    With them comments of reStructuredText that mark nothing: once it is parsed, their line is lost.
    """
    if not _MARKED.search(text):
        return ()
    rst = file.endswith(".rst")
    return tuple(b for b in extracted(text, file) if b.form == "prose" or (rst and is_broken_mark(b)))


def check_text(text: str, file: str, library: Library, root: Path | None = None) -> tuple[Outcome, ...]:
    """Check the claims in a document's source, and with ``root`` in what it includes."""
    return check_all(extracted(text, file, root), library)


def check_pages(pages: Sequence[Sequence[Bound]], library: Library) -> tuple[Outcome, ...]:
    """What does not pass of all that is bound in some pages.

    They are checked in their order; where there are many, side by side, once the first one has made what all need.
    """

    def of(part: Sequence[Sequence[Bound]]) -> list[Outcome]:
        return [o for bounds in part for o in check_all(bounds, library, brief=True) if not o.passes]

    parts = [of(pages[:1]), *in_processes(of, pages[1:], PAGES_OF_A_PROCESS)]
    return tuple(outcome for outcomes in parts for outcome in outcomes)


def read_page(path: Path) -> str:
    """The text of a page, line ends as they are. Raises :class:`PerfdocsError` where it can't be read.

    A page is a plain file, or a link to one.
    """
    try:
        if not path.is_file():  # a pipe would keep the reader waiting, a device has no end
            what = "a folder" if path.is_dir() else "a device or pipe" if path.exists() else "no such file"
            raise PerfdocsError("claim-unreadable", place(path), what, "a plain file", "remove it")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise PerfdocsError("claim-size", place(path), "a very large file", f"at most {MAX_BYTES} byte", "split it")
        return data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "bytes that are not UTF-8"
        raise PerfdocsError(
            "claim-unreadable", place(path), (reason or "an error").lower(), "a readable text", "check the file"
        ) from None
    except RuntimeError:  # Python before 3.13 says so of a loop of links
        raise PerfdocsError(
            "claim-unreadable", place(path), "a link that leads to itself", "a plain file", "remove the link"
        ) from None
