"""Cost exports, read in batches: CSV, also compressed, and Parquet. The only file that knows pyarrow; without it, CSV
is read by `planner.bills.plain_csv`.

Each batch is added up by what its rows have in common before the next is read, so that memory does not grow with the
number of rows, but with the number of different charges.
"""

from __future__ import annotations

import csv
import io
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planner.bills import plain_csv
from planner.bills.columns import AMOUNTS, REGION, TAG_KEYS, TAGS, TEXTS, TIMES, Columns, columns_of
from planner.bills.sums import KEYS, OF_OTHERS, TAG_IN_TEXT, Sums
from planner.errors import UsageProblem
from planner.extras import how_to_install

BATCH_ROWS, BLOCK_BYTES = 100_000, 8 << 20
ENDINGS = (".csv", ".csv.gz", ".csv.bz2", ".csv.zst", ".parquet")


@dataclass(frozen=True, kw_only=True)
class Export:
    """One file, added up. groups: values of KEYS, "" where empty -> sums."""

    path: Path
    format: str
    groups: Mapping[tuple[str, ...], Sums]

    @property
    def rows(self) -> int:
        return sum(sums.rows for sums in self.groups.values())


def files_in(paths: Sequence[str | Path], option: str = "--bill ") -> list[Path]:
    """The exports that these files and folders hold. option: before each in messages. Raises UsageProblem."""
    found: list[Path] = []
    for given in map(Path, paths):
        if given.is_dir():
            inside = sorted(path for path in given.rglob("*") if path.name.lower().endswith(ENDINGS) and path.is_file())
            if not inside:
                raise UsageProblem(f"{option}{given}: no export in this folder; an export ends in {', '.join(ENDINGS)}")
            found += inside
        elif not given.is_file():
            raise UsageProblem(f"{option}{given}: no such file")
        elif not given.name.lower().endswith(ENDINGS):
            raise UsageProblem(f"{option}{given}: not an export of a known kind: {', '.join(ENDINGS)}")
        else:
            found.append(given)
    seen: set[Path] = set()
    for path in found:
        if path.resolve() in seen:
            raise UsageProblem(f"{option}{path} is given twice, so its charges would count twice; name it once")
        seen.add(path.resolve())
    return found


def read_export(path: Path, stack: str) -> Export:
    """One file, added up. stack: whose charges are kept apart by usage type. Raises UsageProblem."""
    try:
        import pyarrow as pa
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        return _without_pyarrow(path, stack)
    try:
        columns, batches = _opened(path)
        groups: dict[tuple[str, ...], Sums] = {}
        for batch in batches:
            _add(groups, _prepared(batch, columns, stack))
    except (pa.ArrowException, OSError, EOFError) as error:
        raise _unreadable(path, error) from None
    _check_numbers(path, columns, groups)
    return Export(path=path, format=columns.format, groups=groups)


def _without_pyarrow(path: Path, stack: str) -> Export:
    _needs_csv(path)
    try:
        columns = _known(path, plain_csv.header(path))
        groups = plain_csv.added_up(path, columns, stack)
    except (ValueError, csv.Error, OSError, EOFError) as error:
        raise _unreadable(path, error) from None
    _check_numbers(path, columns, groups)
    return Export(path=path, format=columns.format, groups=groups)


def _needs_csv(path: Path) -> None:
    if (ending := path.suffix.lower()) in (".parquet", ".zst"):
        raise UsageProblem(f"{path}: reading {ending} needs pyarrow, which is not installed: {how_to_install('bills')}")


def _unreadable(path: Path, error: Exception) -> UsageProblem:
    lines = str(error).strip().splitlines()
    return UsageProblem(f"cannot read {path}: {lines[0] if lines else type(error).__name__}")


HOUR_KEYS = ("category", "usage_type", "commitment_status", "reservation_status", REGION, "begin", "end")
INSTANCES = "(?:^|-)(?:BoxUsage|SpotUsage|HeavyUsage|DedicatedUsage):"  # usage types of instances that run


def read_hours(path: Path) -> dict[tuple[str, ...], float]:
    """Hours of instances in one file: values of HOUR_KEYS, "" where empty, times as text -> hours. Raises
    UsageProblem."""
    try:
        import pyarrow as pa
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        _needs_csv(path)
        try:
            columns = _known(path, plain_csv.header(path), hours=True)
            return plain_csv.hours(path, columns, HOUR_KEYS, INSTANCES)
        except (ValueError, csv.Error, OSError, EOFError) as error:
            raise _unreadable(path, error) from None
    pc = _compute()
    found: defaultdict[tuple[str, ...], float] = defaultdict(float)
    try:
        columns, batches = _opened(path, hours=True)
        for batch in batches:
            empty = pa.nulls(batch.num_rows, pa.string())
            given = {name: batch.column(columns.names[name]) if name in columns.names else empty for name in HOUR_KEYS}
            texts = {name: pc.fill_null(_text(column), "") for name, column in given.items()}
            quantity = pc.fill_null(pc.cast(batch.column(columns.names["quantity"]), pa.float64()), 0.0)
            table = pa.table({**texts, "quantity": quantity})
            table = table.filter(pc.match_substring_regex(table["usage_type"], INSTANCES))
            for row in table.group_by(list(HOUR_KEYS), use_threads=False).aggregate([("quantity", "sum")]).to_pylist():
                found[tuple(row[name] for name in HOUR_KEYS)] += row["quantity_sum"]
    except (pa.ArrowException, OSError, EOFError) as error:
        raise _unreadable(path, error) from None
    return dict(found)


def _opened(path: Path, *, hours: bool = False) -> tuple[Columns, Iterator[Any]]:
    """(columns, batches of the columns that are needed). Raises UsageProblem, OSError and errors of pyarrow."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as parquet

    if path.name.lower().endswith(".parquet"):
        file = parquet.ParquetFile(path, memory_map=False, pre_buffer=False)
        columns = _known(path, file.schema_arrow.names, hours=hours)
        return columns, file.iter_batches(batch_size=BATCH_ROWS, columns=list(columns.read), use_threads=False)
    header = _header(path)
    columns = _known(path, header, hours=hours)
    numbers = {columns.names[name] for name in AMOUNTS if name in columns.names}
    types = {name: pa.float64() if name in numbers else pa.string() for name in columns.read}
    reader = pyarrow.csv.open_csv(
        pa.input_stream(str(path), compression="detect"),
        read_options=pyarrow.csv.ReadOptions(block_size=BLOCK_BYTES, use_threads=False),
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=types, include_columns=list(columns.read), strings_can_be_null=True, null_values=["", "NULL"]
        ),
    )
    return columns, reader


def _header(path: Path) -> list[str]:
    """The names of the columns of a CSV."""
    import pyarrow as pa

    with pa.input_stream(str(path), compression="detect") as stream:
        start = stream.read(1 << 16)
    line = next(iter(start.splitlines()), b"").decode("utf-8-sig", errors="replace")
    return next(csv.reader(io.StringIO(line)), [])


def _known(path: Path, names: Sequence[str], *, hours: bool = False) -> Columns:
    if not names:
        raise UsageProblem(f"{path} is empty")
    found = columns_of(names, hours=hours)
    if isinstance(found, str):
        remedy = "create an export of FOCUS 1.2 or CUR 2.0 in AWS Data Exports, with resource tags"
        raise UsageProblem(f"{path}: {found}; {remedy}")
    return found


def _compute() -> Any:
    """pyarrow's functions of arrays, which are made at run time, so that no type checker knows them."""
    import pyarrow.compute

    return pyarrow.compute


def _prepared(batch: Any, columns: Columns, stack: str) -> Any:
    """A table of a batch with our names: KEYS without nulls, TIMES as text, amounts as floats."""
    import pyarrow as pa

    pc = _compute()
    rows = batch.num_rows
    arrays: dict[str, Any] = {}
    for name in (*TEXTS, *TIMES):
        given = batch.column(columns.names[name]) if name in columns.names else pa.nulls(rows, pa.string())
        arrays[name] = pc.fill_null(_text(given), "")
    for name in AMOUNTS:
        given = batch.column(columns.names[name]) if name in columns.names else pa.nulls(rows, pa.float64())
        arrays[name] = pc.fill_null(pc.cast(given, pa.float64()), 0.0)
    for tag in ("stack", "component"):
        arrays[tag] = pc.fill_null(_tag(batch, columns, tag), "")
    own = pc.equal(arrays["stack"], stack)
    nothing = pa.scalar("", pa.string())
    for name in KEYS:
        if name not in OF_OTHERS:
            arrays[name] = pc.if_else(own, arrays[name], nothing)
    return pa.table(arrays)


def _text(array: Any) -> Any:
    import pyarrow as pa

    pc = _compute()
    if pa.types.is_timestamp(array.type):
        return pc.strftime(pc.cast(array, pa.timestamp("s"), safe=False), format="%Y-%m-%dT%H:%M:%SZ")
    return pc.cast(array, pa.string())


def _tag(batch: Any, columns: Columns, tag: str) -> Any:
    """The value of a tag of ours in each row: a column of its own, an entry of a map, or of JSON in text."""
    import pyarrow as pa

    pc = _compute()
    if tag in columns.flat_tags:
        return pc.cast(batch.column(columns.flat_tags[tag]), pa.string())
    if TAGS not in columns.names:
        return pa.nulls(batch.num_rows, pa.string())
    tags = batch.column(columns.names[TAGS])
    if pa.types.is_map(tags.type):
        found = [pc.map_lookup(tags, pa.scalar(key, tags.type.key_type), "first") for key in TAG_KEYS[tag]]
        return pc.cast(pc.coalesce(*found), pa.string())
    patterns = [pattern.format(tag=tag) for pattern in TAG_IN_TEXT]
    texts = pc.cast(tags, pa.string())
    return pc.coalesce(*(pc.struct_field(pc.extract_regex(texts, one), "value") for one in patterns))


def _check_numbers(path: Path, columns: Columns, groups: Mapping[tuple[str, ...], Sums]) -> None:
    """Raises UsageProblem for NaN and infinity: no sum that has one is known."""
    for sums in groups.values():
        for name, value in sums.amounts.items():
            if not math.isfinite(value):
                raise UsageProblem(f"{path}: the column {columns.names[name]} has a value that is no finite number")


def _add(groups: dict[tuple[str, ...], Sums], table: Any) -> None:
    sums = [(name, "sum") for name in AMOUNTS]
    found = table.group_by(list(KEYS), use_threads=False).aggregate(
        [*sums, ("begin", "min"), ("end", "max"), ("category", "count")]
    )
    for row in found.to_pylist():
        into = groups.setdefault(tuple(row[name] for name in KEYS), Sums())
        into.rows += row["category_count"]
        for name in AMOUNTS:
            into.amounts[name] = into.amounts.get(name, 0.0) + row[f"{name}_sum"]
        into.first = min(filter(None, (into.first, row["begin_min"])), default="")
        into.last = max(into.last, row["end_max"])
