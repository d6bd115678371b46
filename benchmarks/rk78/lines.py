"""How many lines of code an arm is, by one rule for all.

Counted are the lines of the arm's file and of each file that holds its arithmetic or its loop, without blank lines,
comments and docstrings. Of a file of several kernels, the part before the first mark ``// ---- name`` and the parts
asked for count: ``lanes.cu#persistent``. What only moves data to and from the device is not counted.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from functools import cache
from pathlib import Path

__all__ = ["lines_of_code"]

HERE = Path(__file__).parent
MARK = re.compile(r"^// -{4} (\w[\w ,]*?) -{4,}$", re.MULTILINE)
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def python_lines(text: str) -> int:
    """Lines that hold a token, docstrings and comments apart."""
    kept: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            kept.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            kept.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(kept)


def c_lines(text: str) -> int:
    """Lines left of C++ without its comments; the sources have no comment marks in strings."""
    bare = re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.DOTALL))
    return sum(bool(line.strip()) for line in bare.splitlines())


def section(text: str, names: tuple[str, ...]) -> str:
    """What comes before the first mark, and the named parts."""
    parts = MARK.split(text)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    return parts[0] + "".join(found[name] for name in names)


@cache
def lines_of_code(*files: str) -> int:
    """Lines of code of files of this folder, of parts of them where the name says ``file#part#part``."""
    total = 0
    for entry in files:
        name, *names = entry.split("#")
        text = (HERE / name).read_text(encoding="utf-8")
        total += python_lines(text) if name.endswith(".py") else c_lines(section(text, tuple(names)) if names else text)
    return total
