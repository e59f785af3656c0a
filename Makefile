# The most common targets are `make play` and `make test`. Every target first installs what it needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
ARGS ?=

# On a Pi, picamera2 and lgpio come from apt and are visible through the system's site packages.
SITE := $(shell $(PYTHON) -c 'import importlib.util as u; print("--system-site-packages" if u.find_spec("picamera2") else "")' 2>/dev/null)

# If that picamera2 is built for numpy 1 (bookworm), OpenCV has to be as well.
OLD := $(shell $(PYTHON) -c 'import importlib.util as u, numpy; print("-c constraints-bookworm.txt" if u.find_spec("picamera2") and numpy.__version__ < "2" else "")' 2>/dev/null)

.PHONY: help play test test-all short long soak test-pi lint types bench accuracy pictures locks release clean
help:
	@echo "make play     run Traykeeper, on a computer other than a Pi with simulated dice"
	@echo "make test     run lint, types and the tests, which takes some minutes"
	@echo "make test-all run the long tests as well, as CI does"
	@echo "make soak     run every long campaign: kills, power cuts, matches, fuzzing (some hours)"
	@echo "make test-pi  test the service and the camera on a virtual Pi (as root)"
	@echo "make locks    update the list of packages that the install uses"
	@echo "make release  build a release, try it, and print what to upload"
	@echo "make bench    run the benchmarks"

play: $(VENV)/play
	@$(BIN)/traykeeper play $(ARGS)

test: lint types short

test-all: test long

# Everything whose prose follows CONTRIBUTING.md. The names of tests are not checked.
PLAIN := bench calibration device docs game integrations scripts systemd/watch training vision web \
	CHANGELOG.md CONTRIBUTING.md README.md SECURITY.md

lint: $(VENV)/dev
	@echo "== lint"
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/typos
	@$(BIN)/python scripts/prose.py $(PLAIN)

types: $(VENV)/dev
	@echo "== types"
	@$(BIN)/mypy

# Tests spend time waiting for browsers and brokers, so there is one more worker than there are cores. An idle
# worker takes over half of the tests that another one has left.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
PYTEST := $(BIN)/pytest -q -n $(WORKERS) --dist worksteal --durations 10

short: $(VENV)/dev
	@echo "== tests"
	@$(PYTEST) -m "not long" $(ARGS)

# Campaigns, installs, sets of pictures and further cases of other tests, which a change needs only once.
long: $(VENV)/dev
	@echo "== long tests"
	@$(PYTEST) -m long $(ARGS)

# The long campaigns, of which `make test-all` runs a small part. Each prints how much it did; SHARE=0.1 runs a tenth.
soak: SHARE ?= 1
soak: $(VENV)/dev
	@TRAYKEEPER_SOAK=$(SHARE) $(BIN)/pytest -q -s -m campaign --timeout 7200 $(ARGS)

# With real kernel interfaces and a real systemd, as root. It prints what it skipped and why.
test-pi: $(VENV)/release
	@TRAYKEEPER_VIRTUAL_PI=1 $(BIN)/pytest -q -rs tests/virtual_pi $(ARGS)

bench: $(VENV)/play
	@$(BIN)/traykeeper bench all

# Write docs/accuracy.md from the labelled pictures in the folder TRAYKEEPER_PICTURES.
accuracy: $(VENV)/dev
	@PYTHONPATH=. $(BIN)/python scripts/accuracy.py

# Make the pictures of the README and the docs, from the simulated tray in a real browser.
pictures: $(VENV)/dev
	@$(BIN)/python scripts/pictures.py
	@PYTHONPATH=. $(BIN)/python scripts/club_pictures.py

# Update the list of packages that the install uses; ARGS="numpy" updates only that one.
locks: $(VENV)/release
	@$(BIN)/python scripts/locks.py $(ARGS)

release: $(VENV)/release
	@$(BIN)/python scripts/release.py $(ARGS)

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Traykeeper needs Python 3.11 or newer, this is $$($(PYTHON) -V 2>&1): try make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "python3 -m venv is missing: run sudo apt install python3-venv"; exit 1; }
	@echo "Setting up $(VENV) (only once, about a minute)"
	@$(PYTHON) -m venv $(SITE) $(VENV)

$(VENV)/play: $(VENV)/bin/python pyproject.toml
	@$(BIN)/pip install --disable-pip-version-check --progress-bar on -q $(OLD) --editable . && touch $@

$(VENV)/dev: $(VENV)/bin/python pyproject.toml
	@echo "Installing what the tests need"
	@$(BIN)/pip install --disable-pip-version-check --progress-bar on -q $(OLD) --editable ".[dev]" && touch $@ $(VENV)/play

$(VENV)/release: $(VENV)/dev
	@$(BIN)/pip install --disable-pip-version-check -q --editable ".[release]" && touch $@
