"""Findings in the forms of other tools: nothing in them ends a line or a property too soon."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.claims.toy import write_toy

from perfdocs.cli import main
from perfdocs.cli.reports import Found, found_in, github_lines, sarif
from perfdocs.errors import Problem

HOSTILE = Found("claim-number", "a,b:c%.md", 3, "found 5 %\n::error file=x::y")


def test_an_annotation_is_one_command() -> None:
    (line,) = github_lines([HOSTILE])
    assert line == ("::error file=a%2Cb%3Ac%25.md,line=3,title=claim-number::found 5 %25%0A::error file=x::y")


def test_sarif_names_rule_place_and_message() -> None:
    log = sarif([HOSTILE, Found("unknown-arm", "cards/x.json", 1, "an arm")])
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["claim-number", "unknown-arm"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "a%2Cb%3Ac%25.md"}, "region": {"startLine": 3}}
    assert run["results"][0]["message"]["text"] == HOSTILE.message


@pytest.mark.parametrize(("where", "file", "line"), [("a.json: $.x", "a.json", 1), ("p.md:7", "p.md", 7), ("", "", 1)])
def test_a_problem_has_a_file_and_perhaps_a_line(where: str, file: str, line: int) -> None:
    (found,) = found_in([], [Problem("code", where, "a", "b", "c")])
    assert (found.file, found.line) == (file, line)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_toy(tmp_path / "benchmarks")
    given = "<!-- given: toy, toy-gpu, spread-1000, n=1e6 -->"
    (tmp_path / "README.md").write_text(f"{given}\n\nIt takes 9 ms<!-- claim: stealing -->.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_writes_each_form(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["check", "--format", "github"], standalone_mode=False) == 1
    assert capsys.readouterr().out.startswith('::error file=README.md,line=3,title=claim-number::found "9 ms"')
    assert main.main(["check", "--format", "sarif"], standalone_mode=False) == 1
    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    assert result["ruleId"] == "claim-number"
    assert 'write "0.5 ms"' in result["message"]["text"]
