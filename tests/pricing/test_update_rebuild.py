"""The newest committed book, every row that an update can find read again out of constructed documents: same bytes."""

from __future__ import annotations

import json
from collections import Counter

from constructed import is_covered, rebuilt

from pricing import snapshot
from pricing.book import default_book
from pricing.update.merge import merged


def test_the_newest_book_comes_out_of_documents_byte_for_byte(tmp_path):
    book = default_book()
    found = rebuilt(book)
    nothing_covered = book.without(is_covered)
    assert Counter({table: len(rows) for table, rows in found.items()}) == Counter(
        {table: sum(is_covered(table, row) for row in book.rows(table)) for table in found}
    )
    made = merged(nothing_covered, found, (), book.as_of)
    facts = json.loads((book.folder / "manifest.json").read_text())
    for name in ("schema_version", "rows", "files", "sha256"):
        facts.pop(name)
    snapshot.write(tmp_path / "again", made, facts)
    for path in sorted(book.folder.iterdir()):
        assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes(), path.name


def test_nearly_all_rows_of_prices_are_covered():
    book = default_book()
    counts = Counter(
        (table, is_covered(table, row))
        for table in ("on_demand", "commitments", "capacity_blocks", "interruptions", "metered")
        for row in book.rows(table)
    )
    assert counts["on_demand", False] == counts["commitments", False] == counts["capacity_blocks", False] == 0
    assert counts["metered", True] / (counts["metered", True] + counts["metered", False]) > 0.8
