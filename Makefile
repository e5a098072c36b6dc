# The two commands that do all the set-up: `make plan` (the base, a minute at most) and `make test` (everything).
# They need make and a Python >= 3.11 with venv, and say so in one line where it is not there.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
PLAN ?= examples/stability-converged.yaml
REPORT ?= out/report.html
VENV := .venv
BIN := $(VENV)/bin

.PHONY: plan test tools bundle check lint types books bench golden docs pictures \
  rehearsal pool-faults soak faults lock clean

plan: $(VENV)/.base  ## install the base, print a comparison, write its HTML page
	@mkdir -p $(dir $(REPORT))
	@$(BIN)/planner compare $(PLAN)
	@$(BIN)/planner report $(PLAN) -o $(REPORT)

test: $(VENV)/.dev lint types tools  ## install everything and run every check
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || echo "no Chromium here: tests/browser is skipped; on Debian, apt-get install chromium"
	@$(BIN)/python -m pytest -n auto --dist loadgroup

check: test

tools: $(VENV)/.dev  ## build the real programs that tests run: seven minutes when cold, kept in .tools/
	@$(BIN)/python -m tools.gotools || echo "tests that need one of them are skipped and say so"

bundle: $(VENV)/.dev  ## build what the nodes of a pool fetch, into out/bundle/: two minutes when cold
	@$(BIN)/python -m tools.bundle

lint: $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/.dev
	@$(BIN)/basedpyright --pythonpath $(BIN)/python

bench: $(VENV)/.dev  ## measure against references in the same run
	@$(BIN)/python -m benchmarks

golden: $(VENV)/.dev  ## rewrite the golden files after a change that is meant
	@$(BIN)/python -m pytest -q tests/report --update-golden

docs: $(VENV)/.dev  ## write the generated pages and schemas anew
	@$(BIN)/python -m tools.docs

pictures: $(VENV)/.dev  ## take the picture of the report anew (needs Chromium)
	@$(BIN)/python -m tools.pictures

rehearsal: $(VENV)/.dev tools  ## the small example's pool on this machine: stood up, broken, restored, taken down (root)
	@$(BIN)/python -m tests.pool.rehearsal

pool-faults: $(VENV)/.dev tools  ## break the pool in every way that is known, half an hour; writes docs/pool-faults.md (root)
	@$(BIN)/python -m tests.pool.campaign --publish

soak: $(VENV)/.dev tools  ## break the pool at random for an hour (root)
	@$(BIN)/python -m tests.pool.soak --minutes 60

faults: tools  ## run the whole campaign of faults under the real engine and write docs/faults.md: some twenty minutes
	@$(BIN)/python -m tests.engine.campaign

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
