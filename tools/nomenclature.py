"""docs/nomenclature.md: every word of the product's outputs, its unit, and whose word it is."""

from __future__ import annotations

from tools.markdown import cell
from tools.schema import DOCUMENTS, Document
from tools.words.compare import COLUMNS_ONLY, KEYS
from tools.words.terms import TERMS
from tools.words.word import Word

HEAD = """\
# Nomenclature

<!-- written by `make docs` from tools/words/; a test holds it to what the outputs have -->

One word means one thing in the plan, on screen, in the page, in JSON and in CSV. The bill speaks FOCUS, the FinOps
Foundation's specification of bills, where FOCUS has the word; what is AWS's keeps AWS's name; the rest is ours, and
in the CSV our own columns begin with `x_`, as FOCUS asks.

GB and TB are decimal (10^9, 10^12 bytes) and GiB and TiB binary. AWS's own bill counts 2^30 bytes as a GB, so the
pricing units of a bill line (GB-Mo, GB) do as well, and nothing else does. A month is 730 hours, a year 8,760. Dollars
are list prices before tax. A fraction lies between 0 and 1. Percentiles have at most twelve significant digits: later
digits depend on the processor that computed the simulated outcomes.
"""


def text() -> str:
    """docs/nomenclature.md as it is today."""
    terms = sorted(TERMS, key=lambda term: term[0].lower())
    parts = [HEAD, "## Words of plans, tables and pages\n", *_table("word", "meaning", "unit", "whose word")]
    parts += [_row(*map(cell, term)) for term in terms]
    parts.append("\n## Keys of `compare -f json` and columns of `compare -f csv`")
    for above in dict.fromkeys(_above(word) for word in KEYS):
        parts.append(f"\n### {f'`{above}`' if above else 'The document'}\n")
        parts += _table("key", "meaning", "unit", "whose word", "CSV column")
        for word in (word for word in KEYS if _above(word) == above):
            name, column = word.path.rpartition(".")[2], f"`{word.column}`" if word.column else ""
            parts.append(_row(f"`{name}`", cell(word.meaning), cell(word.unit), word.whose, column))
    parts += ["\n### Only in the CSV\n", *_table("CSV column", "meaning", "whose word")]
    parts += [_row(f"`{column}`", cell(meaning), whose) for column, (meaning, whose) in COLUMNS_ONLY.items()]
    for name, document in DOCUMENTS.items():
        parts += _keys(name, document) if name != "compare" else []
    return "\n".join(parts) + "\n"


def _keys(name: str, document: Document) -> list[str]:
    """The keys of another verb's JSON; those of one object together."""
    parts = [f"\n## Keys of `{name} -f json`"]
    for title, words in document.shapes:
        parts += [f"\n### {title.capitalize()}"] if title else []
        parts += ["", *_table("key", "meaning", "unit")]
        parts += [_row(f"`{word.path}`", cell(word.meaning), cell(word.unit)) for word in words]
    return parts


def _above(word: Word) -> str:
    return word.path.rpartition(".")[0]


def _table(*titles: str) -> list[str]:
    return [_row(*titles), "|" + "---|" * len(titles)]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
