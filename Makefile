# Needs Python 3.11 or newer, git, make, and a package index that pip can reach.  `make PYTHON=python3.13 test` picks
# an interpreter; everything is installed into .venv and nowhere else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2

.DEFAULT_GOAL := help

.PHONY: help
help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

# The stamps make a second call quick.  Both depend on what decides what is installed; the code itself is installed in
# place, so that editing it asks for nothing.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/installed-dev.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/installed.stamp

.PHONY: demo
demo: $(VENV)/installed.stamp ## Install, and lint a small training program that holds each kind of trouble
	$(BIN)/jaxlint check --no-project --exit-zero examples/train.py

.PHONY: lint
lint: $(VENV)/installed-dev.stamp ## Check style, formatting and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

.PHONY: test
test: lint ## Install with everything, check style and types, run all tests
	$(BIN)/python -m pytest -n $(JOBS)

# The environments are kept in build/jax; `make test-matrix JAX=0.6.2` tests with one of them.
JAX ?= 0.4.38 0.6.2 0.8.2 0.10.2 newest

build/jax/%/installed.stamp: Makefile
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade \
		$(if $(filter newest,$*),jax,jax==$*) dm-haiku equinox flax optax
	@touch $@

.PHONY: always
build/jax/newest/installed.stamp: always

.PHONY: test-matrix
test-matrix: $(VENV)/installed-dev.stamp $(JAX:%=build/jax/%/installed.stamp) ## Measure the ground truth and prove testdata under several versions of jax
	@failed=; for version in $(JAX); do \
		echo "jax $$version"; \
		$(BIN)/python -m pytest -q -n $(JOBS) -k "jax_does or goldens_show" --python $(CURDIR)/build/jax/$$version/bin/python \
			tests/test_ground_truth.py tests/test_testdata.py || failed="$$failed $$version"; \
	done; test -z "$$failed" || { echo "failed under jax:$$failed"; exit 1; }

# The oldest versions that pyproject.toml allows, of what jaxlint itself needs; the newest are those of `make test`.
build/floors/installed.stamp: pyproject.toml tests/floors.py | $(BIN)/python
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade \
		$$($(BIN)/python tests/floors.py) pytest hypothesis pyyaml jsonschema
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

.PHONY: test-floors
test-floors: build/floors/installed.stamp ## Test with the oldest libcst, flake8, pathspec and shtab that are allowed
	build/floors/bin/python -m pytest -q tests/doors/test_flake8.py tests/doors/test_completion.py \
		tests/doors/test_check.py tests/doors/test_fix.py tests/test_discovery.py tests/test_config.py tests/test_noqa.py \
		tests/facts/test_nodes.py
	build/floors/bin/python -m pytest -q -k "not under_jax" tests/fixes/test_goldens.py

.PHONY: dist
dist: $(VENV)/installed-dev.stamp ## Build the wheel and the sdist, and try the wheel in an environment without jax
	$(BIN)/python -m tests.distribution

.PHONY: test-page
test-page: $(VENV)/installed-dev.stamp ## Open the page of a run in headless Chromium; screenshots go to build/page
	$(BIN)/python -m tests.browser

.PHONY: test-editors
test-editors: $(VENV)/installed-dev.stamp ## Start the language server from headless Neovim and Emacs, which must be installed
	$(BIN)/python -m tests.editors

.PHONY: docs
docs: $(VENV)/installed-dev.stamp ## Write docs/rules from the rules' docstrings
	$(BIN)/python docs/generate.py

$(VENV)/installed-docs.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

.PHONY: site
site: $(VENV)/installed-docs.stamp ## Build the documentation as a site in build/site; a warning is an error
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/site
	@echo "open build/site/index.html"

.PHONY: goldens
goldens: $(VENV)/installed-dev.stamp ## Write down what the fixes make of testdata; read the difference before you keep it
	PYTHONPATH=. $(BIN)/python -m tests.goldens

.PHONY: bench
bench: $(VENV)/installed-dev.stamp ## Measure the time that linting and verifying take
	$(BIN)/python bench/bench.py
	$(BIN)/python bench/verify.py
	$(BIN)/python bench/run.py
	$(BIN)/python bench/log.py
	$(BIN)/python bench/lsp.py

# `make lintcheck SAMPLE=60 SEED=0` prints 60 findings to judge as well.
SAMPLE ?= 0
SEED ?= 0

.PHONY: attack
attack: $(VENV)/installed.stamp ## Fix public packages and hostile programs, and see whether they still do the same
	$(BIN)/python attack/attack.py
	JAXLINT_ATTACK_SEED=$$(date +%j) JAXLINT_ATTACK_COUNT=1000 $(BIN)/python -m pytest -q tests/fixes/test_behaviour.py

# `make agreement FOLDERS="a b"` asks about other code.
FOLDERS ?= testdata

.PHONY: agreement
agreement: $(VENV)/installed-dev.stamp ## See whether all doors, caches and settings show the same findings
	$(BIN)/python lintcheck/agreement.py $(FOLDERS)

# `make fuzz FUZZ="--seed 7 --files 500"` takes other seeds and fewer files.
FUZZ ?=

.PHONY: fuzz
fuzz: $(VENV)/installed-dev.stamp ## Lint Python's library, all packages, damaged testdata and programs by a grammar
	$(BIN)/python -m tests.fuzz $(FUZZ)

.PHONY: lintcheck
lintcheck: $(VENV)/installed.stamp ## Lint published packages, and write down what was found in lintcheck/
	$(BIN)/python lintcheck/lintcheck.py --sample $(SAMPLE) --seed $(SEED)
