# make demo         diagnose a bundled run
# make test         everything CI checks
# make bench        memory, time, server cost
# make zerobench    are the causes right?
# make conformance  what others say of protocol, skills and packages: the official suite, linters, hosts
# make lock         pin dependencies again (needs uv)

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PYTEST_ARGS ?= -q

PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
INSTALL := $(PIP) install --require-hashes --only-binary :all:
COMPILE := uv pip compile --quiet --universal --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links --no-emit-build-options
LOCK := $(COMPILE) --python-version 3.11 pyproject.toml
LAB_LOCK := $(COMPILE) --python-version 3.12

.DEFAULT_GOAL := help
.PHONY: help demo test bench zerobench conformance lock clean

help:
	@head -n 6 Makefile | cut -c 3-

# The exit code of diagnose says what was found: 1 is what a demo of a failed run must end with.
demo: $(VENV)/.runtime
	@$(BIN)/whyzero diagnose examples/harbor-job || test $$? -eq 1

test: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest $(PYTEST_ARGS)

bench: $(VENV)/.runtime
	$(BIN)/python benchmarks/bench_read.py $(BENCH_ARGS)
	$(BIN)/python benchmarks/bench_server.py

zerobench: $(VENV)/.runtime
	$(BIN)/python -m benchmarks.zerobench $(ZEROBENCH_ARGS)

# Installs its checkers into .cache/checkers; CONFORMANCE_ARGS="--strict" fails where one cannot be had.
conformance: $(VENV)/.dev
	$(BIN)/python tests/conformance/run.py $(CONFORMANCE_ARGS)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "whyzero needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..." >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: $(VENV)/bin/python requirements.lock pyproject.toml
	$(INSTALL) -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.lock
	$(INSTALL) -r requirements-dev.lock
	@touch $@

lock:
	$(LOCK) --group dev --output-file requirements-dev.lock
	$(LOCK) --group build --constraint requirements-dev.lock --output-file requirements.lock
	$(LAB_LOCK) tests/lab/osmosis/requirements.in --output-file tests/lab/osmosis/requirements.lock
	$(LAB_LOCK) tests/lab/harbor/requirements.in --output-file tests/lab/harbor/requirements.lock

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
