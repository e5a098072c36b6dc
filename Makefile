# The two commands that do all the set-up: `make plan` (the base, a minute at most) and `make test` (everything).
# They need make and a Python >= 3.11 with venv, and say so in one line where it is not there.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
PLAN ?= examples/stability-converged.yaml
REPORT ?= out/report.html
VENV := .venv
BIN := $(VENV)/bin

.PHONY: plan test check lint types books bench golden lock clean

plan: $(VENV)/.base  ## install the base, print a comparison, write its HTML page
	@mkdir -p $(dir $(REPORT))
	@$(BIN)/planner compare $(PLAN)
	@$(BIN)/planner report $(PLAN) -o $(REPORT)

test: $(VENV)/.dev lint types  ## install everything and run every check
	@$(BIN)/python -m pytest -n auto

check: test

lint: $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/.dev
	@$(BIN)/basedpyright --pythonpath $(BIN)/python

bench: $(VENV)/.dev  ## measure against references in the same run
	@$(BIN)/python -m benchmarks

golden: $(VENV)/.dev  ## rewrite the golden files after a change that is meant
	@$(BIN)/python -m pytest -q tests/report --update-golden

books: $(VENV)/.base  ## build the price books of the standard dates: make books SOURCE=folder
	@$(BIN)/python -m pricing.build $(SOURCE)

lock: $(VENV)/.dev  ## resolve the locked versions anew
	@$(BIN)/python tools/lock.py

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "needs Python 3.11 or newer (python3.11, python3.12, python3.13 or python3 on PATH)"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "needs Python's venv module: on Debian, apt-get install python3-venv"; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.base: requirements/base.txt pyproject.toml | $(VENV)/bin/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/base.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.base
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

clean:
	rm -rf $(VENV) out .pytest_cache .ruff_cache .hypothesis
