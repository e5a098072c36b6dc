"""The whole package is written for Python 3.9: its syntax, its imports, and every name of the standard library."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pool.pythons import other_python

ROOT = Path(__file__).resolve().parents[2] / "pool"
SOURCES = sorted((ROOT / "fleet_pool").rglob("*.py"))
# keyword arguments of functions that Python 3.9 has without them
NEW_KEYWORDS = {"kw_only", "slots", "strict"}
# libraries that one file each imports: of the extra `client`, or for type checkers alone
LIBRARIES = {
    "client/pool.py": {"aistore", "requests", "tenacity", "urllib3", "xxhash"},
    "client/s3.py": {"boto3", "botocore"},
    "compat.py": {"typing_extensions"},
    "health/collective.py": {"torch"},  # loaded only to measure
    "doors/filesystem.py": {"fsspec"},
    "doors/files.py": {"fsspec"},
    **{f"doors/torch_{name}.py": {"torch"} for name in ("checkpoint", "dataset", "storage")},
}
# built on a library's classes, so that they load with it alone
WITH_LIBRARY = {name for name in LIBRARIES if name.startswith("doors/")}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT / "fleet_pool").as_posix()


def imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """(module, name in it or "") of every import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_file_keeps_to_the_syntax_of_3_9_and_to_its_libraries(path):
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))
    tops = {module.split(".")[0] for module, _ in imported(tree)} - {"fleet_pool"}
    assert tops - sys.stdlib_module_names <= LIBRARIES.get(name_of(path), set())
    if name_of(path) != "compat.py":
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        new = {keyword.arg for call in calls for keyword in call.keywords} & NEW_KEYWORDS
        assert not new, f"{name_of(path)}: {new}"
    # `match` is refused by feature_version; unions outside of annotations by basedpyright


def names_of_the_standard_library(tree: ast.AST) -> set[tuple[str, str]]:
    """(module, name) of what a file takes from the standard library, as `from x import y` or as `x.y`."""
    found = {(module, name) for module, name in imported(tree) if module.split(".")[0] in sys.stdlib_module_names}
    modules = {module for module, name in found if not name}
    return found | {
        (ast.unparse(node.value), node.attr)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in modules
    }


def run(python: str, code: str, given: object = None) -> str:
    """Output of a program for that Python, which sees the package and nothing that is installed."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"
    command = [python, "-I", "-S", "-B", "-c", code]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_python_3_9_has_every_name_that_is_used():
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES]
    used = sorted(set().union(*map(names_of_the_standard_library, trees)))
    assert ("hashlib", "sha256") in used
    check = (
        "import importlib, json\n"
        "def has(module, name):\n"
        "    found = importlib.import_module(module)\n"
        "    return not name or hasattr(found, name) or importlib.util.find_spec(f'{module}.{name}')\n"
        "import importlib.util\n"
        "print([entry for entry in json.load(sys.stdin) if not has(*entry)])"
    )
    assert run(other_python("3.9"), check, used) == "[]"


def is_loaded(path: Path) -> bool:
    return path.stem != "__main__" and name_of(path) not in WITH_LIBRARY


def test_every_module_loads_on_python_3_9():
    modules = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in SOURCES if is_loaded(path)]
    load = "import importlib, json; [importlib.import_module(name) for name in json.load(sys.stdin)]; print('loaded')"
    assert run(other_python("3.9"), load, modules) == "loaded"


def test_a_job_saves_and_restores_on_python_3_9(tmp_path):
    program = f"""
from pathlib import Path
from fleet_pool.client import Checkpoints, open_store
from fleet_pool.client.shards import Sample, order, pack, read_ahead, unpack
store = open_store({str(tmp_path / "store")!r})
store.write("set/0.tar", pack([Sample(name="a", files={{"cls": b"1"}})]))
[(key, shard)] = read_ahead(store, order(["set/0.tar"], seed=1, epoch=0))
assert [sample.name for sample in unpack(shard, key)] == ["a"]
file = Path({str(tmp_path / "weights")!r})
file.write_bytes(b"weights")
saved = Checkpoints(store, "run")
saved.commit(step=7, shards=[saved.put_shard(step=7, rank=0, data=file)])
print(saved.restore().shards[0].decode())
"""
    assert run(other_python("3.9"), program) == "weights"
