"""How strong the claims of pages are: false edits of sentences and of data, and how many of them are noticed."""
