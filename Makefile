# Every task of the project; `make` alone lists them. It needs make and Python 3.11, nothing else:
# each target brings what it uses, into .venv or, as root, from the system's packages.

PYTHON ?= python3
PROMETHEUS_LISTEN ?= 127.0.0.1:9090
PYTEST_ARGS ?= -n auto --dist loadgroup
# What measures, or plays for minutes, does so on the compiled core; CORE=interpreted where no C compiler is.
CORE ?= compiled

VENV := .venv
BIN := $(VENV)/bin

COMPILED := .cache/core
ON_COMPILED := PYTHONPATH=$(CURDIR)/$(COMPILED)/site
ifeq ($(CORE),compiled)
CORE_STAMP := $(COMPILED)/.complete
ON_CORE := $(ON_COMPILED)
else ifneq ($(CORE),interpreted)
$(error CORE=$(CORE): it is compiled or interpreted)
endif

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:

.PHONY: help
help: # List the targets
	@awk -F ': .*# ' '/^[a-z-]+:.* # / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

.PHONY: run
run: $(VENV)/.installed # Serve config/default.toml, from nothing
	@$(BIN)/goodputd serve --config config/default.toml

.PHONY: demo
demo: $(VENV)/.installed need-prometheus # The same with a real Prometheus that scrapes it
	@tests/tools/demo.sh $(VENV) $(PROMETHEUS_LISTEN)

.PHONY: test
test: $(VENV)/.installed-test need-prometheus need-chromium # Run the tests, from nothing
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

.PHONY: check
check: $(VENV)/.installed-dev # Everything a change must pass: format, lint, types, imports, tests
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/hadolint Dockerfile
	$(BIN)/shellcheck .ci/run tests/tools/*.sh tests/container/*.sh tests/look/*.sh
	@$(MAKE) --no-print-directory test

.PHONY: format
format: $(VENV)/.installed-dev # Format the code and apply the safe fixes of the linter
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

.PHONY: core
core: $(COMPILED)/.complete # Compile the core from the same files, into .cache/core (takes a C compiler)

.PHONY: core-test
core-test: $(VENV)/.installed-test $(COMPILED)/.complete # Run the tests of the model on the compiled core (minutes)
	@$(ON_COMPILED) $(BIN)/python -m pytest $(PYTEST_ARGS) \
	  tests/sim tests/detectors tests/policies tests/metrics tests/studies

.PHONY: bench
bench: $(VENV)/.installed-test $(CORE_STAMP) # Measure the budgets on this machine
	@$(ON_CORE) $(BIN)/python -m tests.bench

.PHONY: validate
validate: $(VENV)/.installed-test $(CORE_STAMP) # Play every published case, compare, and show it in the README (minutes)
	@$(ON_CORE) $(BIN)/python -m tests.validation --write

.PHONY: golden
golden: $(VENV)/.installed-test # Write the golden files anew; read the diff before committing it
	@$(BIN)/python -m pytest --update-golden -q

.PHONY: dashboards
dashboards: $(VENV)/.installed-test # Write grafana/dashboards/*.json anew
	@$(BIN)/python -m grafana.build

.PHONY: picture
picture: $(VENV)/.installed-test need-chromium # Draw the status page for the README
	@$(BIN)/python -m tests.browser.picture

.PHONY: rules
rules: $(VENV)/.installed # Write the rule files in config/prometheus/ anew
	@$(BIN)/goodputd rules --speedup 1440 --out config/prometheus/accelerated.rules.yml
	@$(BIN)/goodputd rules --speedup 1 --scrape-interval 60s --out config/prometheus/realtime.rules.yml

.PHONY: look
look: $(VENV)/.installed need-prometheus # Draw the dashboards with Grafana's libraries, into .cache/look
	@tests/tools/need.sh node:nodejs npm:npm chromium:chromium
	@tests/look/run.sh

.PHONY: container-test
container-test: $(VENV)/.installed # Build the image, run it without privileges, scrape it, stop it (root)
	@tests/container/run.sh

.PHONY: lock
lock: # Write constraints.txt anew from the newest releases that pyproject.toml admits
	@tests/tools/lock.sh $(PYTHON)

.PHONY: clean
clean: # Remove everything that make and the tools left behind
	rm -rf $(VENV) .cache dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: need-prometheus
need-prometheus:
	@tests/tools/need.sh prometheus:prometheus promtool:prometheus

.PHONY: need-chromium
need-chromium:
	@tests/tools/need.sh chromium:chromium

$(BIN)/python:
	@tests/tools/venv.sh $(PYTHON) $(VENV)

# $(1): the extra to install; what it includes is then installed too, hence the stamps of the others.
define install
@echo "Installing goodputd$(1) into $(VENV) ..."
@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.$(1)'
@touch $(2)
endef

$(COMPILED)/.complete: pyproject.toml daemon/build_core.py $(shell find daemon/goodputd -type f ! -name '*.pyc') | $(BIN)/python
	@tests/tools/core.sh $(BIN)/python $(COMPILED)
	@touch $@

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(call install,,$@)

$(VENV)/.installed-test: pyproject.toml constraints.txt | $(BIN)/python
	$(call install,[test],$@ $(VENV)/.installed)

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	$(call install,[dev],$@ $(VENV)/.installed-test $(VENV)/.installed)
