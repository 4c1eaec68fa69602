# From a clean clone, with only Python (3.11 or newer) and make:
#   make demo      set up, score a sample photo, write the picture with its score
#   make test      set up and run the tests of the program
#   make test-more install torch and run the tests of rendering, training, measuring and robustness
#   make check     all that a change must pass: format, lint, types, all tests
#   make model     train the networks and write models/        make bench   time the parts
#   make robustness   the robustness tests in full (an hour)
#   make results   measure the shipped networks: models/results, model card, README (hours; try make quick first)
#   make docs      build the API reference into out/site   make aims    count lines, constants and names
#   make install-check   build the wheel and install it, where nothing else is, on every Python here
#
# Another interpreter: make test PYTHON=python3.12      Another torch: make test-more TORCH=torch==2.6.0

PYTHON ?= python3
TORCH ?= torch==2.13.0
VENV := .venv$(patsubst %,-%,$(notdir $(filter-out python3,$(PYTHON))))
LAB := $(VENV)/.lab-$(subst =,-,$(TORCH))
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
DEMO ?= samples/demo.jpg

export PYTHONUTF8 := 1
export PYTHONDONTWRITEBYTECODE :=  # each process of the tests would compile all of them again

.PHONY: demo test test-more check model results quick robustness bench aims docs install-check format clean

demo: $(VENV)/.core
	@mkdir -p out
	$(BIN)/kdvision score $(DEMO) --overlay out/demo.png
	@echo "The picture with its score: out/demo.png"

# The folders whose tests wait for servers and processes come first: other tests use the cores meanwhile. Each worker has
# one core, so each network gets one thread.
FIRST_TESTS := tests/browser tests/web tests/batch
MORE_TESTS := tests/evaluate tests/lab tests/robustness
TESTS := $(FIRST_TESTS) $(filter-out $(FIRST_TESTS) $(MORE_TESTS) tests/__pycache__,$(patsubst %/,%,$(wildcard tests/*/)))
PYTEST := KDVISION_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

test: $(VENV)/.dev
	$(PYTEST) $(TESTS)

test-more: $(LAB)
	$(PYTEST) $(MORE_TESTS)

check: $(LAB)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(MAKE) test
	$(MAKE) test-more

model: $(LAB)
	$(BIN)/python -m kdvision.lab.train
	$(BIN)/python -m kdvision.lab.calibrate
	$(BIN)/python -m kdvision.lab.card.card

results: $(LAB)
	$(BIN)/python -m kdvision.lab.experiments

robustness: $(VENV)/.dev
	KDVISION_LONG_TESTS=1 $(BIN)/python -m pytest tests/robustness

quick: $(LAB)
	$(BIN)/python -m kdvision.lab.experiments --quick

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

aims: $(VENV)/.core
	$(BIN)/python -m scripts.measure_code

docs: $(VENV)/.docs
	$(BIN)/mkdocs build --strict --quiet
	@echo "The API reference: out/site/index.html"

install-check: $(VENV)/.dev
	$(BIN)/python -m scripts.install_check $(CHECK)

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .venv-* .work out build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

# Each stamp says that one set of dependencies is in the environment; a changed pyproject.toml renews them.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "kdvision needs Python 3.11 or newer; name one, for example: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(VENV)/bin/python
	$(PIP) install -e .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(PIP) install -e '.[dev]'
	@touch $@ $(VENV)/.core

$(VENV)/.docs: pyproject.toml | $(VENV)/bin/python
	$(PIP) install -e '.[docs]'
	@touch $@ $(VENV)/.core

$(LAB): $(VENV)/.dev
	$(PIP) install '$(TORCH)'
	$(PIP) install -e '.[dev,lab]'
	@rm -f $(VENV)/.lab-*
	@touch $@
