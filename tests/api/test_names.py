"""`import planner` and `import pricing`: what they offer, and that importing them loads nothing."""

from __future__ import annotations

import importlib
import importlib.resources
import subprocess
import sys

import pytest

import planner
import pricing
from tests.typed import ROOT

PACKAGES = (planner, pricing)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_every_public_name_can_be_imported_and_is_documented(package):
    assert package.__all__ == sorted(package.__all__)
    assert set(package.__all__) == set(package._HOME)
    assert set(package.__all__) <= set(dir(package))
    for name in package.__all__:
        found = getattr(package, name)
        assert found.__doc__, name
        assert found.__module__.startswith(("planner.", "pricing.")), name


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_an_unknown_name_is_an_attribute_error(package):
    with pytest.raises(AttributeError, match=rf"module '{package.__name__}' has no attribute 'estimat'"):
        package.estimat  # noqa: B018  the look-up is what is tested
    with pytest.raises(ImportError):
        importlib.import_module(f"{package.__name__}.estimat")


@pytest.mark.parametrize("package", ["planner", "pricing"])
def test_importing_a_package_loads_none_of_its_modules(package):
    code = f"import sys, {package}; print([m for m in sys.modules if m.startswith(('planner.', 'pricing.', 'numpy'))])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("package", ["planner", "pricing"])
def test_type_checkers_see_the_annotations(package):
    assert importlib.resources.files(package).joinpath("py.typed").is_file()
