# Each target makes what it needs; `make demo` and `make test` are all a newcomer types.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
XDIST  ?= -n auto

.PHONY: demo test test-all test-spark check format bench docs wheel clean

demo: $(READY)
	$(BIN)/python -m cautious demo

test: $(READY)
	$(BIN)/python -m pytest $(XDIST) --cov --cov-report=term

test-all: $(READY)
	$(BIN)/python -m pytest $(XDIST) -m "" --cov --cov-report=term

# Spark needs Java, and versions of its own.
test-spark: .venv-spark/.ready
	.venv-spark/bin/python -m pytest -o addopts="--import-mode=importlib -ra" tests/spark

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python -m benchmarks

docs: $(VENV)/.docs
	$(BIN)/sphinx-build -W --keep-going -q docs docs/_build/html
	@echo "docs/_build/html/index.html"

wheel: $(READY)
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

# The environment is rebuilt only when the declared dependencies change. `--group` needs pip 25.1.
$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

.venv-spark/.ready: pyproject.toml
	$(PYTHON) -m venv .venv-spark
	.venv-spark/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-spark/bin/python -m pip install --quiet --editable ".[spark]" pytest
	touch $@

$(VENV)/.docs: $(READY)
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

clean:
	rm -rf $(VENV) .venv-spark dist .pytest_cache .mypy_cache .ruff_cache .coverage
