# Every target sets itself up: `.venv` from requirements.lock, made again when the lock or pyproject.toml changes.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup demo test check bench lock record

setup: .venv/.installed

.venv/.installed: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index -e .
	@touch $@

demo: setup
	$(BIN)/verdict demo

test: setup
	$(BIN)/python -m pytest

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/python -m pytest

bench: setup
	$(BIN)/python -m tests.bench

# Records the shipped samples again from the real lab service; needs prometheus and prometheus-alertmanager.
record: setup
	$(BIN)/python -m tests.lab.record

# Needs uv. Versions and hashes only, for every Python from 3.11 on.
lock:
	uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes \
	  --no-annotate --no-emit-index-url --no-emit-find-links --no-header --upgrade -o requirements.lock
