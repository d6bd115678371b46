"""Commands about what a reader sees: `render` writes `_generated/`, `check` asks whether sentences still hold."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import PerfdocsError, place
from ..files import write_atomic
from .project import Project, counted, examples, format_option, problems_text, show_json

if TYPE_CHECKING:
    from ..claims.model import Outcome
    from ..library import Library

__all__ = ["check", "documents", "render"]

SUFFIXES = (".md", ".rst")


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
def check(project: Project, paths: tuple[Path, ...], fixing: bool, dry_run: bool, style: str) -> int:
    """Check the claims of pages against the cards.

    PATH is a page or a folder of pages [default: README.md and docs/].
    """
    from ..claims.check import check_paths
    from .reports import found_in, github_lines, sarif

    if dry_run and not fixing:
        raise click.UsageError("--dry-run is of use with --fix only")
    library = project.library()
    pages = list(documents(paths or [p for p in (project.root / "README.md", project.root / "docs") if p.exists()]))
    wanting: list[Path] = []
    outcomes = tuple(_fixed(pages, library, dry_run, style, wanting)) if fixing else check_paths(pages, library)
    bad = [o for o in outcomes if not o.passes]
    claims = sum(o.bound.form != "given" for o in outcomes)
    if style == "json":
        show_json(
            {
                "pages": [place(p) for p in pages],
                "claims": claims,
                "outcomes": [o.to_dict() for o in bad],
                "problems": library.problems,
            }
        )
    elif style == "sarif":
        show_json(sarif(found_in(bad, library.problems)))
    else:
        found = found_in(bad, library.problems)
        for line in github_lines(found) if style == "github" else map(str, (*bad, *library.problems)):
            click.echo(line)
        click.echo(f"{counted(len(pages), 'page')}, {counted(claims, 'claim')}, {len(bad)} that do not hold", err=True)
    return 1 if bad or wanting or library.problems else 0


def _fixed(
    pages: Iterable[Path], library: Library, dry_run: bool, style: str, wanting: list[Path]
) -> Iterator[Outcome]:
    """What comes of the claims of each page with its numbers written anew; ``wanting`` gets those left as they are."""
    from ..claims.check import read_page
    from ..claims.fix import fix_text

    for page in pages:
        text = read_page(page)
        fixed = fix_text(text, place(page), library)
        if fixed.text != text:
            if dry_run:
                wanting.append(page)
            else:
                write_atomic(page, fixed.text.encode("utf-8"))
            if style == "text":
                done = "would be written" if dry_run else "written"
                click.echo(f"{place(page)}: {counted(fixed.numbers, 'number')} {done} as measured", err=True)
            if dry_run and style == "text":
                before, after = text.splitlines(keepends=True), fixed.text.splitlines(keepends=True)
                click.echo("".join(difflib.unified_diff(before, after, place(page), place(page))), nl=False)
        yield from fixed.outcomes


def documents(paths: Iterable[Path]) -> Iterator[Path]:
    """Every page of these files and folders once; hidden folders and build folders (`_…`) are passed over."""
    seen: set[Path] = set()
    for path in paths:
        if not path.exists():
            raise PerfdocsError("page-missing", place(path), "no such file", "a page or a folder", "correct the path")
        for page in [path] if path.is_file() else sorted(p for s in SUFFIXES for p in path.rglob(f"*{s}")):
            inner = page.relative_to(path).parts[:-1] if page != path else ()
            if page.resolve() not in seen and not any(part.startswith(("_", ".")) for part in inner):
                seen.add(page.resolve())
                yield page
