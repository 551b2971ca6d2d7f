# Each target makes what it needs; `make demo` and `make test` are all a newcomer types.
# What stands behind ## is what `make help` says.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
XDIST  ?= -n auto --dist worksteal

# The tests start many programs: what Python has compiled once is kept.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test coverage test-all test-spark test-elsewhere test-oldest test-newest test-python honesty check format \
	bench bench-peers reproduction docs wheel release-check types changelog one-section lint-workflows lock clean

help:  ## what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-16s%s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(READY)  ## the main job on real data; writes report.html
	$(BIN)/python -m cautious demo

test: $(READY)  ## the test suite, doctests included
	$(BIN)/python -m pytest $(XDIST)

# The same tests, and which lines they reach; tracing takes half as long again.
coverage: $(READY)  ## the same, and which lines it reaches
	$(BIN)/python -m pytest $(XDIST) --cov --cov-report=term

test-all: $(READY)  ## the tests plus the slow ones
	$(BIN)/python -m pytest $(XDIST) -m "" --cov --cov-report=term

# Spark needs Java, and versions of its own.
test-spark: .venv-spark/.ready  ## the Spark engine, in an environment of its own; needs Java
	.venv-spark/bin/python -m pytest -o addopts="--import-mode=importlib -ra" tests/spark

# Other libraries that rules and measures travel into; they bring many packages of their own.
test-elsewhere: .venv-elsewhere/.ready  ## MLflow, skore, ONNX, river and polars, in an environment of their own
	.venv-elsewhere/bin/python -m pytest -o addopts="--import-mode=importlib -ra" tests/integrations \
	    "tests/package/test_docs.py::test_blocks_do_what_they_show[docs/elsewhere.md]"

# The ends of the declared ranges, each in an environment of its own; no coverage, no slow checks.
# What old releases of others warn about among themselves is not ours to mend.
OLD_WARNINGS := \
	-W "ignore:Values in x were outside bounds:RuntimeWarning:scipy.optimize._slsqp_py" \
	-W "ignore:The ThresholdFallbackClassifier:FutureWarning:sklearn.utils._tags" \
	-W "ignore:The AnomalyFallbackClassifier:FutureWarning:sklearn.utils._tags"
# scikit-learn 1.6 cannot be asked for its checks beside array-api-strict otherwise.
test-oldest: .venv-oldest/.ready  ## the oldest versions declared
	SCIPY_ARRAY_API=1 .venv-oldest/bin/python -m pytest $(XDIST) $(OLD_WARNINGS)

test-newest: pyproject.toml  ## the newest versions there are
	$(call install,.venv-newest)
	.venv-newest/bin/python -m pytest $(XDIST)

# Every supported Python that is on the path; PYTHONS="python3.13 /opt/python3.14" names others.
PYTHONS ?= python3.11 python3.12 python3.13 python3.14
test-python:  ## every supported Python on the path
	@for python in $(PYTHONS); do \
	    version=$$($$python -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) \
	        || { echo "$$python: not here, left out"; continue; }; \
	    echo "Python $$version"; \
	    $(MAKE) --no-print-directory .venv-$$version/.ready PYTHON=$$python \
	        && .venv-$$version/bin/python -m pytest $(XDIST) || exit 1; \
	done

# How often intervals cover, tests reject and budgets are kept; rewrites the numbers in the docs.
honesty: $(READY)  ## how often intervals cover and tests reject; writes docs/honesty.md
	$(BIN)/python -m pytest $(XDIST) tests/statistics -m slow -q --honesty docs/honesty.md

check: $(READY)  ## ruff, mypy and the import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)  ## what ruff can mend by itself
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)  ## measurements as ratios; writes BENCHMARKS.md
	$(BIN)/python -m benchmarks --write BENCHMARKS.md

bench-peers: .venv-peers/.ready  ## ours beside other programs, in an environment of their own
	.venv-peers/bin/python -m benchmarks peers measures guarantees

# The extra brings WEKA, which runs the papers' own learners, and a Java. Whatever is missing is
# said, and the rest is done. A run that was stopped goes on from build/reproduction. All cores are
# used; fewer with JOBS=2.
JOBS ?= -1
reproduction: $(READY)  ## the four papers in full; writes docs/reproduction.md
	@$(BIN)/python -m pip install --quiet --editable "./reproduction[weka]" \
	    || echo "WEKA could not be installed; its learners are left out."
	PYTHONPATH=reproduction $(BIN)/python -m cautious_reproduction all -o build/reproduction --jobs $(JOBS) --docs docs

# The gallery's examples are run while the pages are built.
docs: $(READY)  ## the site: gallery, pages and API; warnings are errors
	$(BIN)/sphinx-build -W --keep-going -q docs docs/_build/html
	@echo "docs/_build/html/index.html"

wheel: .venv-release/.ready  ## wheel and source archive in dist/, built twice and compared
	.venv-release/bin/python tools/build_release.py

release-check: wheel  ## the same, then the wheel used bare and with each extra alone
	.venv-release/bin/python tools/try_release.py

types: wheel  ## how much of the public names has a known type, by pyright
	.venv-release/bin/python tools/type_completeness.py

# VERSION is read from pyproject.toml; FINAL=--yes writes the section and removes the fragments.
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
FINAL  ?= --draft
changelog: one-section .venv-release/.ready  ## the next section of CHANGELOG.md, from changes/
	.venv-release/bin/towncrier build --version $(VERSION) $(FINAL)

# A version has one section. The first was written by hand, before the fragments.
one-section:
	@test "$(FINAL)" = --draft || ! grep -q '^## $(subst .,\.,$(VERSION)) ' CHANGELOG.md || { \
	    echo "CHANGELOG.md has a section $(VERSION) already: set the next version in pyproject.toml, or move"; \
	    echo "what is in changes/ into that section by hand, remove the files and write the date."; exit 1; }

lint-workflows: .venv-release/.ready  ## workflows, templates and citation against their schemas, and for holes
	.venv-release/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	.venv-release/bin/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/w*.yml
	.venv-release/bin/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	.venv-release/bin/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	.venv-release/bin/zizmor --offline --quiet .github

# An environment is rebuilt only when the declared dependencies change. The usual one has exact versions, each
# archive checked against its digest; `make lock` takes newer ones. Nothing is compiled but what is imported: to compile
# all of it takes longer than the rest. The others are resolved anew, which uv does in
# seconds and pip in minutes.
define install
	$(PYTHON) -m venv --clear $(1)
	$(1)/bin/python -m pip install --quiet uv
	$(1)/bin/python -m uv pip install --quiet --python $(1) --editable . --group dev $(2)
endef

$(READY): pyproject.toml constraints/development.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --require-hashes --no-deps -r constraints/development.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

lock:  ## newer exact versions of the environment
	$(PYTHON) -m venv --clear build/.venv-lock
	build/.venv-lock/bin/python -m pip install --quiet uv
	PATH="$(CURDIR)/build/.venv-lock/bin:$$PATH" $(PYTHON) tools/lock_environment.py

.venv-oldest/.ready: pyproject.toml constraints/oldest.txt
	$(call install,.venv-oldest,--constraint constraints/oldest.txt)
	touch $@

.venv-3.%/.ready: pyproject.toml
	$(call install,.venv-3.$*)
	touch $@

.venv-release/.ready: pyproject.toml
	$(PYTHON) -m venv .venv-release
	.venv-release/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-release/bin/python -m pip install --quiet --group release
	touch $@

.venv-spark/.ready: pyproject.toml
	$(PYTHON) -m venv .venv-spark
	.venv-spark/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-spark/bin/python -m pip install --quiet --editable ".[spark,cli]" psutil pytest
	touch $@

.venv-elsewhere/.ready: pyproject.toml
	$(PYTHON) -m venv .venv-elsewhere
	.venv-elsewhere/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-elsewhere/bin/python -m pip install --quiet --editable ".[mlflow,skore,onnx,river,parquet,cli]" \
	    onnxruntime polars pytest
	touch $@

# One by one, since not every one installs everywhere.
PEERS = 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["peers"])'
.venv-peers/.ready: pyproject.toml
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-peers/bin/python -m pip install --quiet --editable ".[all]"
	for peer in $$(.venv-peers/bin/python -c $(PEERS)); do \
	    .venv-peers/bin/python -m pip install --quiet $$peer || echo "left out: $$peer"; done
	touch $@

clean:  ## remove what the others made
	rm -rf $(VENV) .venv-* build dist docs/_build docs/generated docs/gallery docs/sg_execution_times.rst
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .coverage
