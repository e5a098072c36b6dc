"""fleet://BUCKET/KEY in fsspec, pandas and PyArrow themselves."""

from __future__ import annotations

import pickle
from contextlib import suppress

import fsspec
import pandas as pd
import pyarrow.dataset as ds
import pyarrow.fs
import pyarrow.parquet as pq
import pytest
from fleet_pool.client.errors import Damaged, Unavailable
from fleet_pool.doors.filesystem import PoolFileSystem

from tests.pool.client.memory import Memory

MIB = 2**20


@pytest.fixture
def options(tmp_path):
    return {"folder": str(tmp_path / "buckets"), "staging": str(tmp_path)}


@pytest.fixture
def fs(options):
    return fsspec.filesystem("fleet", **options)


def test_the_entry_point_is_found_by_its_protocol():
    assert fsspec.get_filesystem_class("fleet") is PoolFileSystem


def test_pandas_writes_and_reads_every_format_that_needs_a_file(options):
    frame = pd.DataFrame({"name": ["a", "b"], "loss": [0.5, 0.25]})
    frame.to_csv("fleet://train/t.csv.gz", index=False, storage_options=options)
    frame.to_parquet("fleet://train/t.parquet", storage_options=options)
    pd.testing.assert_frame_equal(pd.read_csv("fleet://train/t.csv.gz", storage_options=options), frame)
    pd.testing.assert_frame_equal(pd.read_parquet("fleet://train/t.parquet", storage_options=options), frame)


def test_pyarrow_reads_a_partitioned_data_set(fs, options):
    frame = pd.DataFrame({"day": [1, 1, 2], "value": [1.0, 2.0, 3.0]})
    frame.to_parquet("fleet://train/set", partition_cols=["day"], storage_options=options)
    arrow = pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(fs))
    table = ds.dataset("train/set", filesystem=arrow, partitioning="hive").to_table(filter=ds.field("day") == 2)
    assert table.column("value").to_pylist() == [3.0]
    assert pq.read_table("train/set", filesystem=fs).num_rows == 3


def test_a_folder_is_what_its_keys_make_it(fs):
    fs.pipe({"train/a/1": b"one", "train/a/b/2": b"two", "train/ab": b"three"})
    assert fs.ls("fleet://train/a", detail=False) == ["train/a/1", "train/a/b"]
    assert fs.find("train/a") == ["train/a/1", "train/a/b/2"]
    assert fs.glob("train/**/2") == ["train/a/b/2"]
    assert fs.info("train/a")["type"] == "directory"
    assert fs.info("train/ab") == {"name": "train/ab", "size": 5, "type": "file"}
    assert [list(each) for each in (fs.find("train/ab"), fs.ls("train/ab", detail=False))] == [["train/ab"]] * 2
    assert [fs.exists(f"train/{name}") for name in ("a", "ab", "a/b/2", "b", "a/b/2/3")] == [True] * 3 + [False] * 2
    assert list(fs.walk("train")) == [("train", ["a"], ["ab"]), ("train/a", ["b"], ["1"]), ("train/a/b", [], ["2"])]
    with pytest.raises(FileNotFoundError):
        fs.ls("train/none")


def test_ranges_are_those_of_python_slices(fs):
    data = bytes(range(200))
    fs.pipe_file("train/x", data)
    for start, end in ((None, None), (5, 9), (5, None), (None, 9), (-3, None), (None, -3), (9, 5), (190, 500)):
        assert fs.cat_file("train/x", start, end) == data[start:end], (start, end)
    assert fs.cat_ranges(["train/x"] * 3, [0, 10, 198], [2, 12, 200]) == [data[:2], data[10:12], data[198:]]
    with fs.open("train/x") as file:
        file.seek(100)
        assert file.read(5) == data[100:105]
        assert file.read() == data[105:]
    assert isinstance(fs.cat_ranges(["train/none"], 0, 1)[0], FileNotFoundError)


def test_an_object_appears_when_its_file_is_closed_and_not_after_an_error(fs, tmp_path):
    with fs.open("train/good", "wb") as file:
        file.write(b"x" * MIB)
        assert not fs.exists("train/good")
    assert fs.size("train/good") == MIB
    with suppress(RuntimeError), fs.open("train/bad", "wb") as file:
        file.write(b"half")
        raise RuntimeError
    file = fs.open("train/dropped", "wb")
    file.write(b"half")
    del file
    with suppress(RuntimeError), fs.transaction:
        fs.open("train/undone", "wb").close()
        raise RuntimeError
    with fs.transaction, fs.open("train/done", "wb") as file:
        file.write(b"d")
    assert fs.ls("train", detail=False) == ["train/done", "train/good"]
    assert [each.name for each in tmp_path.iterdir()] == ["buckets"]  # nothing staged is left


def test_an_error_keeps_what_was_there_whatever_is_wrapped_around_the_file(fs, options):
    class Unfit:
        def __str__(self) -> str:
            raise RuntimeError

    fs.pipe("train/t.csv", b"good")
    for opened in (fs.open("train/t.csv", "w"), fsspec.open("fleet://train/t.csv", "wb", **options)):
        with suppress(RuntimeError), opened as file:
            file.write("half" if opened is file else b"half")
            raise RuntimeError
    with suppress(RuntimeError):
        pd.DataFrame({"a": [1, Unfit()]}).to_csv("fleet://train/t.csv", storage_options=options)
    assert fs.cat("train/t.csv") == b"good"
    file = fs.open("train/t.csv", "w")
    try:
        raise RuntimeError
    except RuntimeError:
        file.write("meant")
        file.close()
    assert fs.cat("train/t.csv") == b"meant"
    for mode, text in (("w", "meant too"), ("wb", b"as well")):
        file = fs.open("train/t.csv", mode)
        try:
            raise RuntimeError
        except RuntimeError:
            with file:
                file.write(text)
        assert fs.cat("train/t.csv") == (text if mode == "wb" else text.encode())
    file = fs.open("train/t.csv", "w")
    file.write("dropped")
    del file
    assert fs.cat("train/t.csv") == b"as well"


def test_files_come_and_go_and_are_copied_and_renamed(fs, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a").write_bytes(b"a" * 3 * MIB)
    fs.put(str(tmp_path / "in"), "train/set", recursive=True)
    fs.mv("train/set/a", "train/set/b")
    fs.cp_file("train/set/b", "train/set/c")
    fs.get("train/set", str(tmp_path / "out"), recursive=True)
    assert {each.name: each.stat().st_size for each in (tmp_path / "out").iterdir()} == {"b": 3 * MIB, "c": 3 * MIB}
    with pytest.raises(FileNotFoundError, match="recursive"):
        fs.rm("train/set")
    fs.rm("train/set", recursive=True)
    assert not fs.exists("train/set")


def test_what_an_object_cannot_do_is_refused_with_what_it_can(fs):
    fs.pipe_file("train/a", b"1")
    with pytest.raises(ValueError, match="'rb', 'wb' or 'xb'"):
        fs.open("train/a", "ab")
    with pytest.raises(FileExistsError), fs.open("train/a", "xb") as file:
        file.write(b"2")
    with pytest.raises(PermissionError, match=r"fleet://BUCKET/KEY"):
        fs.ls("")
    with pytest.raises(PermissionError, match=r"empty, '\.' or '\.\.'"):
        fs.cat_file("train/a/../b")


@pytest.mark.parametrize(("problem", "kind"), [(Unavailable("no S3"), TimeoutError), (Damaged("torn"), OSError)])
def test_a_store_that_cannot_answer_is_no_missing_file(fs, problem, kind):
    class Failing(Memory):
        def size(self, key, *, fresh=False):
            raise problem

    fs._stores["train"] = Failing()
    for ask in (fs.exists, fs.isfile, fs.isdir, fs.info, fs.open):
        with pytest.raises(kind, match=str(problem)):
            ask("train/a")


def test_a_worker_of_a_data_loader_gets_its_own(fs):
    fs.pipe_file("train/a", b"1")
    assert pickle.loads(pickle.dumps(fs)).cat_file("train/a") == b"1"
