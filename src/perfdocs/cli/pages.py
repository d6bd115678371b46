"""Commands about what a reader sees: `render` writes `_generated/`, `check` asks whether sentences still hold."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..beside import ahead
from ..collecting import put_off
from ..errors import PerfdocsError, Problem, place
from ..files import write_atomic
from .project import Project, counted, examples, format_option, problems_text, show_json

if TYPE_CHECKING:
    from ..claims.model import Outcome
    from ..library import Library

__all__ = ["check", "default_pages", "documents", "read_pages", "render"]


@click.command(epilog=examples("perfdocs render", "perfdocs render --check"))
@click.option("--check", "checking", is_flag=True, help="Write nothing; fail where a file is not what the cards say.")
@format_option
@click.pass_obj
def render(project: Project, checking: bool, style: str) -> int:
    """Write _generated/ from the cards, or check it.

    It holds one Markdown page for each benchmark and device.
    """
    from ..render.generated import check as drift
    from ..render.generated import write

    library = project.library()
    changed = [] if checking else write(library, project.generated)
    problems = [*library.problems, *(drift(library, project.generated) if checking else ())]
    if style == "json":
        show_json({"changed": changed, "problems": problems})
    else:
        for path in changed:
            click.echo(path)
        problems_text(problems)
    return 1 if problems else 0


@click.command(
    epilog=examples(
        "perfdocs check",
        "perfdocs check docs/rk4.md",
        "perfdocs check --fix --dry-run",
        "perfdocs check --format github docs",
    )
)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path))
@click.option("--fix", "fixing", is_flag=True, help="Write printed numbers as the cards have them; never a word.")
@click.option("--dry-run", is_flag=True, help="With --fix: write nothing, show the difference.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "github", "sarif"]),
    default="text",
    show_default=True,
    help="For people, for a tool, as GitHub's annotations, or as SARIF.",
)
@click.pass_obj
@put_off()
def check(project: Project, paths: tuple[Path, ...], fixing: bool, dry_run: bool, style: str) -> int:
    """Check the claims of pages against the cards.

    PATH is a page or a folder of pages [default: README.md and docs/].
    """
    from ..claims.check import check_pages, extracted
    from ..claims.model import Tally
    from .reports import found_in, github_lines, sarif

    if dry_run and not fixing:
        raise click.UsageError("--dry-run is of use with --fix only")
    pages = list(documents(paths or default_pages(project)))
    texts, unread = read_pages(pages)
    bound_in = ahead(lambda: [extracted(text, place(page), project.root) for page, text in texts.items()])
    library = project.library()
    bounds = bound_in()
    tally = Tally.of(bound.form for page in bounds for bound in page)
    problems = (*library.problems, *unread)
    changed = 0
    if fixing:
        outcomes, changed, refused = _fixed(texts, library, project.root, dry_run, style)
        problems = (*problems, *refused)
    else:
        outcomes = check_pages(bounds, library)
    bad = [o for o in outcomes if not o.passes]
    if style == "json":
        show_json(
            {
                "pages": [place(p) for p in pages],
                **tally.to_dict(),
                "outcomes": [o.to_dict() for o in bad],
                "problems": problems,
            }
        )
    elif style == "sarif":
        show_json(sarif(found_in(bad, problems)))
    else:
        lines = github_lines(found_in(bad, problems)) if style == "github" else map(str, (*bad, *problems))
        for line in lines:
            click.echo(line)
        click.echo(f"{counted(len(pages), 'page')}, {tally}, {len(bad)} that do not hold", err=True)
    return 1 if bad or problems or (dry_run and changed) else 0


def default_pages(project: Project) -> list[Path]:
    """Where the pages of a project are."""
    return [path for path in (project.root / "README.md", project.root / "docs") if path.exists()]


def read_pages(pages: Iterable[Path]) -> tuple[dict[Path, str], list[Problem]]:
    """The text of each page, and what is wrong with those that cannot be read."""
    from ..claims.check import read_page

    texts: dict[Path, str] = {}
    problems: list[Problem] = []
    for page in pages:
        try:
            texts[page] = read_page(page)
        except PerfdocsError as error:
            problems.append(error.problem)
    return texts, problems


def _target(page: Path, root: Path) -> Path:
    """The file to write for a page: the page, or what it is a link to inside the project.

    Raises :class:`PerfdocsError` where that is another's: outside of the project, or a file that may not be written.
    """
    real = Path(os.path.realpath(page))
    inside = real.is_relative_to(os.path.realpath(root))
    named = Path(os.path.abspath(page))  # noqa: PTH100 - as it is written, links not followed
    if not inside and (page.is_symlink() or named.is_relative_to(root)):
        what = "a link that leads out of the project, which is not written through"
        raise PerfdocsError("page-outside", place(page), what, "a page of the project", "mend the file it leads to")
    if not real.stat().st_mode & 0o222 or not os.access(real, os.W_OK):
        what = "a file that may not be written"
        raise PerfdocsError("page-read-only", place(page), what, "a page that may be", "allow it, or mend it by hand")
    return real


def _fixed(
    texts: Mapping[Path, str], library: Library, root: Path, dry_run: bool, style: str
) -> tuple[tuple[Outcome, ...], int, list[Problem]]:
    """What comes of the claims once numbers are written anew, in a dry run as they are.

    With it how many pages that changes, and what is wrong with those that may not be changed.
    """
    from ..claims.fix import fix_text

    outcomes: list[Outcome] = []
    refused: list[Problem] = []
    changed = 0
    for page, text in texts.items():
        fixed = fix_text(text, place(page), library, root)
        if fixed.unplaced:
            click.echo(f"{place(page)}: {counted(fixed.unplaced, 'number')} could not be placed", err=True)
        if fixed.text == text:
            outcomes += fixed.outcomes
            continue
        try:
            target = _target(page, root)
        except PerfdocsError as error:
            refused.append(error.problem)
            outcomes += fixed.before
            continue
        outcomes += fixed.before if dry_run else fixed.outcomes
        changed += 1
        click.echo(
            f"{place(page)}: {counted(fixed.numbers, 'number')} {'would be ' if dry_run else ''}written as measured",
            err=True,
        )
        if not dry_run:
            write_atomic(target, fixed.text.encode("utf-8"))
        elif style == "text":
            before, after = text.splitlines(keepends=True), fixed.text.splitlines(keepends=True)
            click.echo("".join(difflib.unified_diff(before, after, place(page), place(page))), nl=False)
    return tuple(outcomes), changed, refused


def documents(paths: Iterable[Path]) -> Iterator[Path]:
    """Every page of these files and folders once; hidden folders and build folders (`_…`) are passed over."""
    from ..claims.check import SUFFIXES

    seen: set[str] = set()
    for path in paths:
        if not path.exists():
            raise PerfdocsError("page-missing", place(path), "no such file", "a page or a folder", "correct the path")
        for page in [path] if not path.is_dir() else sorted(p for s in SUFFIXES for p in path.rglob(f"*{s}")):
            inner = page.relative_to(path).parts[:-1] if page != path else ()
            real = os.path.realpath(page)  # of a loop of links as well
            if real not in seen and not any(part.startswith(("_", ".")) for part in inner):
                seen.add(real)
                yield page
