# Everything a newcomer needs: make demo, make test. Only Python (>= 3.11), pip and make must be there.
PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Without kept bytecode every process of the tests would translate the package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo studio test test-long lint docs bench clean

help:
	@echo "make demo       set up and run the main job on example data, into ./tarnkappe-demo"
	@echo "make studio     set up and open the web studio in a browser"
	@echo "make test       set up and run the tests"
	@echo "make test-long  the long property runs"
	@echo "make lint       ruff, mypy (strict), import contracts"
	@echo "make docs       build the manual into docs/_build/html; warnings are errors"
	@echo "make bench      measure beside the peers; see benchmarks/README.md"

.venv/bin/python:
	@echo "==> creating .venv"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Tarnkappe needs Python 3.11 or newer"; exit 1; }
	@$(PYTHON) -m venv .venv

.venv/.run: pyproject.toml | .venv/bin/python
	@echo "==> installing tarnkappe with its charts"
	@$(BIN)/python -m pip install --quiet --editable '.[charts]'
	@touch $@

.venv/.studio: pyproject.toml | .venv/bin/python
	@echo "==> installing tarnkappe with its studio"
	@$(BIN)/python -m pip install --quiet --editable '.[all]'
	@touch $@ .venv/.run

.venv/.develop: pyproject.toml | .venv/bin/python
	@echo "==> installing tarnkappe with what its tests, checks and manual need"
	@$(BIN)/python -m pip install --quiet --editable '.[all,test,lint,docs]'
	@touch $@ .venv/.run .venv/.studio

demo: .venv/.run
	@echo "==> tarnkappe demo"
	@$(BIN)/tarnkappe demo

studio: .venv/.studio
	@$(BIN)/tarnkappe studio

test: .venv/.develop
	@echo "==> pytest"
	@$(BIN)/python -m pytest

test-long: .venv/.develop
	@echo "==> pytest, long property runs"
	@$(BIN)/python -m pytest -m long

lint: .venv/.develop
	@echo "==> ruff"
	@$(BIN)/ruff check src tests benchmarks docs
	@$(BIN)/ruff format --check src tests benchmarks docs
	@echo "==> mypy"
	@$(BIN)/mypy
	@echo "==> import contracts"
	@$(BIN)/lint-imports --no-cache

docs: .venv/.develop
	@echo "==> manual"
	@$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --builder html docs docs/_build/html
	@echo "docs/_build/html/index.html"

bench: .venv/.develop
	@$(BIN)/python -m benchmarks

clean:
	rm -rf .venv docs/_build tarnkappe-demo
