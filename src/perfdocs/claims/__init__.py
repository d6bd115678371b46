"""Sentences checked against the cards: the language, its evaluation, and where claims are found. No Sphinx here."""
