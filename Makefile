# `make plan` needs a minute at most, `make test` some minutes. Each installs what it needs into .venv/; the machine needs
# make and a Python >= 3.11 with venv, and gets a one-line message where it has not.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
PLAN ?= examples/multimodal-p5.yaml
REPORT ?= out/report.html
# tests wait for browsers, servers and commands half of the time
CORES := $(shell nproc 2>/dev/null || echo 2)
WORKERS := $(shell echo $$(($(CORES) * 2)))
REAL_WORKERS := $(shell echo $$(($(CORES) + 1)))
VENV := .venv
BIN := $(VENV)/bin

# compiled modules are kept, also where the environment says otherwise: tests start some hundred commands
export PYTHONDONTWRITEBYTECODE :=

.PHONY: plan deploy test test-real launch-real torch-real check tools bundle dist lint types books bench golden docs pictures mutants \
  rehearsal pool-faults soak faults lock clean

plan: $(VENV)/.base  ## install the base, print a comparison, write its HTML page
	@mkdir -p $(dir $(REPORT))
	@$(BIN)/planner compare $(PLAN)
	@$(BIN)/planner report $(PLAN) -o $(REPORT)

deploy: $(VENV)/.deploy  ## install what `pulumi up`, `planner preview` and `planner lint` need, at locked versions
	@command -v pulumi >/dev/null || echo "The Pulumi engine is not on PATH; \`preview\` and \`lint\` work without it. \`pulumi up\` needs version $$($(BIN)/python -c 'from importlib.metadata import version; print(version("pulumi"))'): https://www.pulumi.com/docs/install/"
	@echo "Next: $(BIN)/planner preview PLAN --scenario best; docs/operations.md leads from there to \`pulumi up\`."

test: $(VENV)/.dev lint  ## every check that needs no built program: at most four minutes on 2 cores
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || echo "tests/browser is skipped: no Chromium found (Debian: apt-get install chromium)"
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m "not real and not thorough"

test-real: $(VENV)/.dev types  ## types, and the tests that need real programs: engine, AWS provider, pool, nodes, client; samples of the campaigns
	@echo "make test-real takes about 40 minutes on 2 cores: the Pulumi engine, the AWS provider's code, AIStore pools,"
	@echo "booted nodes, the pool client, and a sample of both fault campaigns (all of them: make faults, make pool-faults)."
	@$(BIN)/python -m tools.gotools --where | grep -q "not built" && echo "It first builds the programs: about 7 minutes, once." || true
	@$(BIN)/python -m tools.gotools || echo "tests that need one of these programs are skipped, with the reason"
	@$(BIN)/python -m pytest -n $(REAL_WORKERS) --dist loadgroup -m "real or thorough" \
	  || { echo "What failed runs again, alone: some of these tests measure time, and fail where others take the machine."; \
	       $(BIN)/python -m pytest -n 1 --dist loadgroup --last-failed --last-failed-no-failures none -m "real or thorough"; }

launch-real: $(VENV)/.dev tools  ## run torchrun on three nodes (namespaces), lose one, resume: installs PyTorch into .tools/torch, 2.4 GB (root)
	@$(BIN)/python -m tools.torch_cpu
	@$(BIN)/python -m pytest -n 0 tests/launch/test_torchrun.py

torch-real: $(VENV)/.dev tools  ## run PyTorch's checkpoints and data loaders on the pool: installs PyTorch into .tools/torch, 2.4 GB (root)
	@$(BIN)/python -m tools.torch_cpu
	@$(BIN)/python -m pytest -n 0 tests/pool/doors tests/cluster/test_examples.py

check: test test-real  ## everything that decides whether a change lands

tools: $(VENV)/.dev  ## build the real programs that tests run into .tools/: seven minutes the first time
	@$(BIN)/python -m tools.gotools || echo "tests that need one of these programs are skipped, with the reason"

bundle: $(VENV)/.dev  ## build what pool nodes download, into out/bundle/: two minutes the first time
	@$(BIN)/python -m tools.bundle

dist: $(VENV)/.dev  ## build the wheels and source distributions of planner and fleet-pool into dist/
	@$(BIN)/python -m tools.dist

lint: $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/.dev
	@$(BIN)/basedpyright --pythonpath $(BIN)/python

bench: $(VENV)/.dev  ## run the benchmarks, each beside a reference measured in the same run
	@$(BIN)/python -m benchmarks

mutants: $(VENV)/.dev  ## change operators and numbers in models, purchase and infra; list the changes that no test notices
	@$(BIN)/python -m tools.mutate

golden: $(VENV)/.dev  ## rewrite the golden files after an intended change
	@$(BIN)/python -m pytest -q tests/report --update-golden

docs: $(VENV)/.dev  ## regenerate the generated pages and schemas
	@$(BIN)/python -m tools.docs

pictures: $(VENV)/.dev  ## retake the README's picture of the report (needs Chromium)
	@$(BIN)/python -m tools.pictures

rehearsal: $(VENV)/.dev tools  ## start the small example's pool on this machine, break it, restore it, remove it (root)
	@$(BIN)/python -m tests.pool.rehearsal

pool-faults: $(VENV)/.dev tools  ## inject every known fault into a pool, forty minutes; writes docs/pool-faults.md (root)
	@$(BIN)/python -m tests.pool.campaign --publish

soak: $(VENV)/.dev tools  ## inject random faults into a pool for an hour (root)
	@$(BIN)/python -m tests.pool.soak --minutes 60

faults: tools  ## inject every fault into real deployments, about 20 minutes; writes docs/faults.md
	@$(BIN)/python -m tests.engine.campaign

books: $(VENV)/.base  ## build the price books of the standard dates: make books SOURCE=folder
	@$(BIN)/python -m pricing.build $(SOURCE)

lock: $(VENV)/.dev  ## resolve the locked versions again
	@$(BIN)/python tools/lock.py

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "needs Python 3.11 or newer (python3.11, python3.12, python3.13 or python3 on PATH)"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "needs Python's venv module: on Debian, apt-get install python3-venv"; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.base: requirements/base.txt pyproject.toml | $(VENV)/bin/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/base.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.deploy: requirements/deploy.txt $(VENV)/.base
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/deploy.txt
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.base
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

clean:
	rm -rf $(VENV) out .pytest_cache .ruff_cache .hypothesis
