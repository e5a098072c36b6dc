"""What is generated is what would be generated today: the pages, the published schemas, and the words behind them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from planner.cli.main import VERBS
from planner.errors import ExitCode
from planner.report.data import focus_csv
from planner.report.data.comparison_csv import COLUMNS
from tests.report.documents import EXAMPLES, documents, paths
from tools import cli_reference
from tools.cli_reference import commands
from tools.docs import GENERATED, ROOT, text_of
from tools.markdown import anchor
from tools.words.compare import COLUMNS_ONLY, KEYS
from tools.words.focus import COLUMNS as FOCUS_COLUMNS
from tools.words.terms import TERMS

pytestmark = pytest.mark.xdist_group("documents")  # all of them are made once

PAGES = sorted(GENERATED)


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_it_is_what_would_be_written_today(name):
    assert text_of(name) == read(name), "run make docs"


@pytest.mark.parametrize("name", [name for name in PAGES if name.endswith(".md")] + ["docs/reading-a-report.md"])
def test_links_lead_somewhere(name):
    """Anchors to headings, of this page or another, and paths to files that are there."""
    targets = re.findall(r"\]\(([^)\s]+)\)", _prose(name))
    assert targets or name == "docs/nomenclature.md"
    for target in targets:
        path, _, fragment = target.partition("#")
        if path.startswith("http"):
            continue
        found = (ROOT / name).parent.joinpath(path).resolve() if path else ROOT / name
        assert found.exists(), target
        assert not fragment or fragment in _anchors(found.relative_to(ROOT).as_posix()), target


def _prose(name: str) -> str:
    return re.sub(r"```.*?```", "", read(name), flags=re.DOTALL)


def _anchors(name: str) -> set[str]:
    return {anchor(line.lstrip("#")) for line in _prose(name).splitlines() if re.match(r"#+ ", line)}


class TestWords:
    @pytest.mark.thorough
    def test_every_key_of_every_document_is_a_word_and_no_word_is_of_a_key_that_is_gone(self):
        found = {path for document in documents() for path in paths(document)}
        words = {word.path for word in KEYS}
        assert not found - words, (
            f"the JSON has {sorted(found - words)}: add a row for each to tools/words/compare.py, then run make docs"
        )
        assert not words - found, f"no document has {sorted(words - found)}: its contract grows only by adding"

    def test_every_column_of_the_csv_is_a_word_and_the_other_way_round(self):
        words = {word.column for word in KEYS if word.column} | set(COLUMNS_ONLY)
        missing, gone = sorted(set(COLUMNS) - words), sorted(words - set(COLUMNS))
        assert not missing, f"the CSV has {missing}: name them as column= of a row of KEYS in tools/words/compare.py"
        assert not gone, f"no CSV has {gone}: take them off tools/words/compare.py"

    def test_every_column_that_is_explained_is_in_the_forecast(self):
        assert set(FOCUS_COLUMNS) <= set(focus_csv.COLUMNS)

    def test_each_word_is_there_once_and_says_something(self):
        for words in ([word.path for word in KEYS], [w.column for w in KEYS if w.column], [term[0] for term in TERMS]):
            assert len(set(words)) == len(words)
        for word in KEYS:
            assert len(word.meaning) > 5, word.path
            assert word.unit or "number" not in word.kind, f"{word.path}: a number has a unit"

    @pytest.mark.parametrize("name", [word.path.rpartition(".")[2].removesuffix("[]") for word in KEYS])
    def test_the_page_has_it(self, name):
        assert f"| `{name}` |" in read("docs/nomenclature.md")

    def test_our_own_columns_are_marked_as_ours_and_no_others(self):
        for word in KEYS:
            assert not word.column or (word.column.startswith("x_") == (word.whose == "ours")) or word.whose == "AWS"


class TestCommandLine:
    page = read("docs/cli.md")

    @pytest.mark.parametrize(("words", "alias"), [(words, alias) for words, _, alias in commands()])
    def test_every_option_of_the_help_is_on_the_page(self, words, alias):
        if alias:
            return  # what it is another name of is on the page itself
        planner = Path(sys.executable).with_name("planner")
        done = subprocess.run([planner, *words.split()[1:], "--help"], capture_output=True, text=True, check=True)
        section = self.page.split(f"\n## {words}\n")[1].split("\n## ")[0]
        options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", re.split(r"\n[Oo]ptions:", done.stdout)[1]))
        assert "--help" in options
        assert {option for option in options if option not in section} == set()

    def test_every_verb_and_every_exit_code_is_there(self):
        for verb in VERBS:
            assert f"\n## planner {verb}\n" in self.page
        for code in ExitCode:
            assert re.search(rf"^\| {code:d} \| \S", self.page, flags=re.MULTILINE)

    @pytest.mark.parametrize("width", ["30", "300"])
    def test_the_width_of_the_terminal_does_not_matter(self, width, monkeypatch):
        monkeypatch.setenv("COLUMNS", width)
        assert cli_reference.text() == self.page

    def test_a_code_or_an_argument_without_words_says_where_to_add_them(self, monkeypatch):
        monkeypatch.delitem(cli_reference.CODES, ExitCode.GATE)
        with pytest.raises(LookupError, match=r"exit code 10 \(GATE\) means in CODES of tools/cli_reference"):
            cli_reference.text()
        monkeypatch.delitem(cli_reference.ARGUMENTS, "PLAN")
        with pytest.raises(LookupError, match="say what planner compare PLAN is in ARGUMENTS of tools/cli_reference"):
            cli_reference.text()


def test_the_documents_behind_these_tests_are_of_every_kind():
    scenarios = [s for document in documents() for s in document["scenarios"]]
    assert len(documents()) > len(EXAMPLES)
    assert {s["feasible"] for s in scenarios} == {s["complete"] for s in scenarios} == {True, False}
    assert any(document["unpriced"] for document in documents())
    assert any(s["cost_usd"] is None for s in scenarios)
