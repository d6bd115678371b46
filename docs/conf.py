"""Configuration of this project's site. Nothing here reaches the network."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import perfdocs

project = "perfdocs"
author = "the perfdocs authors"
copyright = f"2026, {author}"  # noqa: A001 – the name Sphinx wants
release = version = perfdocs.__version__

extensions = [
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "perfdocs",
    "reference",  # docs/_ext: pages written from the code
    "language",  # docs/_ext: the grammar of claims and its worked examples
]
exclude_patterns = ["_build", "_ext", "Thumbs.db", ".DS_Store"]
nitpicky = True
suppress_warnings: list[str] = []

perfdocs_benchmarks = "../benchmarks"
perfdocs_local = "../build/cards"

myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 3

html_theme = "pydata_sphinx_theme"
html_title = f"perfdocs {release}"
html_show_sourcelink = True
# The section sidebar is shown where a section has pages of its own; elsewhere its width belongs to the tables.
WIDE = (
    *("index", "oscillators", "kepler", "claims", "devices/**", "numbers/**", "method", "terms", "cost"),
    *("genindex", "search"),
)
html_sidebars = {page: [] for page in WIDE}
html_context = {"default_mode": "auto"}  # the reader's own choice of light or dark
html_theme_options = {
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navigation_with_keys": False,
    "show_nav_level": 1,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc", "sourcelink"],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
}
copybutton_exclude = ".linenos, .gp, .go"
