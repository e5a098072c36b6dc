"""Files of cases: what is read, and what is said of a file that cannot be."""

from __future__ import annotations

import pytest

from planner.errors import PlanProblems
from planner.evidence.case import cases_in
from planner.evidence.published import published_in_text

HEADER = "id,published_result,equation,inputs\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no column id, published_result, equation, inputs"),
        ("id,published,equation,inputs\n", "no column published_result"),
        (HEADER, "no cases below the line with the columns"),
        (HEADER + "a,1,W1,x=1,2\n", r":2: more cells than the 4 columns\n    put quotes"),
        (HEADER + ",1,W1,x=1\n", ":2: a row without an id"),
        (HEADER + "a,many,W1,x=1\n", r":2: a: published_result 'many' is no figure\n    write a number, a range as"),
        (HEADER + "a,2..1,W1,x=1\n", "ends below its start"),
        (HEADER + "a,1,W1,x=1\n\na,1,W1,x=1\n", "id 'a' is on line 2 too"),
        (HEADER[:-1] + ",date\na,1,W1,x=1,yesterday\n", "date 'yesterday' is not a day\n    write 2022-08-22"),
        (HEADER[:-1] + ",tolerance\na,1,W1,x=1,about\n", "tolerance 'about' is not understood"),
    ],
)
def test_a_file_that_cannot_be_read_says_where_and_what_to_write(tmp_path, text, said):
    path = tmp_path / "mine.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PlanProblems, match=said) as caught:
        cases_in(path)
    assert str(caught.value).startswith(str(path))


def test_no_file_no_csv_and_no_text(tmp_path):
    with pytest.raises(PlanProblems, match="No such file"):
        cases_in(tmp_path / "none.csv")
    (tmp_path / "bytes.csv").write_bytes(b"id\xff")
    with pytest.raises(PlanProblems, match="byte 2 is not UTF-8"):
        cases_in(tmp_path / "bytes.csv")
    with pytest.raises(PlanProblems, match="cannot be read"):
        cases_in(tmp_path)


def test_columns_in_any_order_blank_lines_and_a_mark_of_excel(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(
        '\ufeffinputs,id,equation,published_result\n\n"part=1; whole=2",a,ratio,0.5\n,,,\n', encoding="utf-8"
    )
    (case,) = cases_in(path)
    assert (case.id, case.inputs, case.equation, case.published.low) == ("a", "part=1; whole=2", "ratio", 0.5)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("12", 12, 12),
        ("1,296", 1296, 1296),
        ("5e+22", 5e22, 5e22),
        ("-0.95", -0.95, -0.95),
        ("0.29..0.49", 0.29, 0.49),
        ("<50000", float("-inf"), 50000),
        (">0.90", 0.9, float("inf")),
    ],
)
def test_published_results(text, low, high):
    found = published_in_text(text, "", "a")
    assert (found.low, found.high, found.text) == (low, high, text)
