"""Pure functions from data to what a page shows: table models, Markdown, HTML, CSV, figures. No Sphinx here."""
