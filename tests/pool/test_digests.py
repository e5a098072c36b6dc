"""Digest manifests: any change of any byte is found in its part, and a key's page is found among thousands."""

from __future__ import annotations

import pytest
from fleet_pool.digests import (
    DAMAGED,
    PAGE_PARTS,
    PART_BYTES,
    BadManifest,
    Digest,
    Index,
    Page,
    damage_name,
    damage_of,
    digest_of,
    index_bytes,
    is_manifest,
    page_bytes,
    pages_of,
    parse_index,
    parse_page,
    part_digest,
)
from fleet_pool.operate.canary import FOLDER as CANARY
from hypothesis import given, settings
from hypothesis import strategies as st

DATA = bytes(range(256)) * (PART_BYTES * 5 // 512)  # two parts and a half
DIGEST = digest_of([DATA[start : start + PART_BYTES] for start in range(0, len(DATA), PART_BYTES)])


@settings(max_examples=40)
@given(at=st.integers(0, len(DATA) - 1), bit=st.integers(0, 7), first=st.integers(0, 2))
def test_a_flipped_bit_is_found_in_its_part(at, bit, first):
    changed = bytearray(DATA)
    changed[at] ^= 1 << bit
    start = first * PART_BYTES
    expected = at // PART_BYTES if at >= start else None
    assert DIGEST.wrong_part(start, bytes(changed[start:])) == expected


def test_what_is_right_is_right_from_any_part_on():
    assert DIGEST.size_bytes == len(DATA)
    for start in range(0, len(DATA), PART_BYTES):
        assert DIGEST.wrong_part(start, DATA[start:]) is None
    assert digest_of([]).size_bytes == 0


@given(st.sets(st.text(min_size=1, max_size=8), min_size=1, max_size=60))
def test_the_page_of_a_key_is_the_one_that_holds_it(keys):
    parts = "0" * 32 * (PAGE_PARTS // 3)  # so that a page holds about three
    digests = {key: Digest(size_bytes=1, parts=parts) for key in keys}
    groups = pages_of(digests)
    assert {key for group in groups for key in group} == keys
    assert all(len(group) <= 3 for group in groups)
    pages = tuple(Page(first=min(g), last=max(g), key=str(n), digest="") for n, g in enumerate(groups))
    index = Index(prefix="", made="", objects=len(keys), size_bytes=1, pages=pages)
    for number, group in enumerate(groups):
        for key in group:
            assert index.page_of(key) == pages[number]
    assert index.page_of("") is None


def test_pages_and_indexes_come_back_and_a_changed_one_is_refused():
    objects = {"set/a": DIGEST, "set/b": digest_of([b"x"])}
    body = page_bytes(objects)
    page = Page(first="set/a", last="set/b", key="set/.planner-digests/1/0.json", digest=part_digest(body))
    assert parse_page(body, page) == objects
    with pytest.raises(BadManifest, match="differs from what the index says"):
        parse_page(body[:-1] + b" ", page)
    index = parse_index(index_bytes("set/", "2026-11-24T00:00:00Z", [page], objects), "set/")
    assert (index.objects, index.size_bytes, index.pages) == (2, len(DATA) + 1, (page,))
    written = index_bytes("set/", "", [page], objects)
    digest = page.digest.encode()
    flipped = written.replace(digest, bytes([digest[0] ^ 1]) + digest[1:])
    for wrong in (b"", b"{}", b"[1]", index_bytes("other/", "", [page], objects), flipped):
        with pytest.raises(BadManifest):
            parse_index(wrong, "set/")


def test_manifests_are_told_from_data_and_records_lie_where_targets_may_write():
    assert is_manifest("set/.planner-digests/index.json")
    assert is_manifest(".planner-digests/index.json")
    assert not is_manifest("set/planner-digests/0.tar")
    assert DAMAGED.startswith(CANARY)


@pytest.mark.parametrize("node", ["10.0.0.4:51081", "[fd00::4]:51081", ""])
def test_the_name_of_a_record_says_when_and_where(node):
    assert damage_of(damage_name(1_764_032_400.9, node, "00ff")) == (1_764_032_400, node)
    assert damage_of(f"{DAMAGED}001764032400-00ff.json") == (1_764_032_400, ""), "as named before targets were"
    assert damage_of(f"{CANARY}another") is None
    assert damage_of(f"{DAMAGED}readme") is None
