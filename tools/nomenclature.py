"""docs/nomenclature.md: every term in the product's outputs, its unit, and who defines it."""

from __future__ import annotations

from tools.markdown import cell
from tools.schema import DOCUMENTS, Document
from tools.words.compare import COLUMNS_ONLY, KEYS
from tools.words.focus import COLUMNS as FOCUS_COLUMNS
from tools.words.terms import TERMS
from tools.words.word import Word

HEAD = """\
# Nomenclature

<!-- written by `make docs` from tools/words/; a test compares it with the outputs -->

A term means the same in the plan, on screen, in the page, in JSON and in CSV. The bill uses the terms of FOCUS, the
FinOps Foundation's billing specification, where FOCUS defines one, and AWS's names for things of AWS. All other terms
are ours; in the CSV, our columns begin with `x_`, as FOCUS requires.

GB and TB are decimal (10^9, 10^12 bytes) and GiB and TiB binary. AWS's own bill counts 2^30 bytes as a GB, so the
pricing units of a bill line (GB-Mo, GB) do so too, but nothing else does. A month is 730 hours, a year 8,760. Dollars
are list prices before tax. A fraction is between 0 and 1. Percentiles have at most twelve significant digits: later
digits depend on the processor that computed the simulated outcomes.
"""

FOCUS_FILE = """\
The file has every column of [FOCUS 1.2](https://focus.finops.org/), for one scenario, one row a bill line and calendar
month. Sums of `BilledCost` and of `EffectiveCost` are the planned cost; lines without a price are in no row, and
`x_Complete` is then false. Of a worker pool they are means over the runs, spread evenly from the first job to the mean
end of the last; the months of a line with price tiers share its mean price. Columns that need more words than the
specification has:
"""


def text() -> str:
    """The current content of docs/nomenclature.md."""
    terms = sorted(TERMS, key=lambda term: term[0].lower())
    parts = [HEAD, "## Terms in plans, tables and pages\n", *_table("word", "meaning", "unit", "defined by")]
    parts += [_row(*map(cell, term)) for term in terms]
    parts.append("\n## Keys of `compare -f json` and columns of `compare -f csv`")
    for above in dict.fromkeys(_above(word) for word in KEYS):
        parts.append(f"\n### {f'`{above}`' if above else 'The document'}\n")
        parts += _table("key", "meaning", "unit", "defined by", "CSV column")
        for word in (word for word in KEYS if _above(word) == above):
            name, column = word.path.rpartition(".")[2], f"`{word.column}`" if word.column else ""
            parts.append(_row(f"`{name}`", cell(word.meaning), cell(word.unit), word.whose, column))
    parts += ["\n### Only in the CSV\n", *_table("CSV column", "meaning", "defined by")]
    parts += [_row(f"`{column}`", cell(meaning), whose) for column, (meaning, whose) in COLUMNS_ONLY.items()]
    parts += ["\n## Columns of `compare -f focus`\n", FOCUS_FILE, *_table("column", "in a forecast")]
    parts += [_row(f"`{column}`", cell(meaning)) for column, meaning in FOCUS_COLUMNS.items()]
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
