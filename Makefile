# Two commands for a fresh machine (Python 3.11 or later, make and apt): `make demo`, `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)

SYSTEM_PACKAGES := g++ gcc-arm-none-eabi libnewlib-arm-none-eabi \
  libstdc++-arm-none-eabi-newlib qemu-system-arm

.PHONY: demo test quick lint types imports bench clean

demo: $(VENV)/demo-ready  ## set up, then fit a real model on a board
	$(BIN)/tinykit fit models/digits_int8.tflite --board cortex-m7

test: $(VENV)/test-ready lint types imports  ## set up, then every check and every test
	$(BIN)/pytest

quick: $(VENV)/test-ready  ## the tests that take less than a second each
	$(BIN)/pytest -m "not slow"

lint: $(VENV)/test-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/test-ready
	$(BIN)/mypy

imports: $(VENV)/test-ready
	$(BIN)/lint-imports

bench: $(VENV)/test-ready  ## CPU seconds as CSV
	$(BIN)/python benchmarks/fit.py

clean:
	rm -rf $(VENV) dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

# Debian's python3 comes without ensurepip; python3-venv brings it.
$(VENV)/bin/pip:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tinykit needs Python 3.11")'
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  $(SUDO) apt-get update -q && $(SUDO) apt-get install -qy python3-venv && \
	  $(PYTHON) -m venv $(VENV); }
	$(BIN)/pip install --quiet --upgrade pip

$(VENV)/demo-ready: pyproject.toml | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --editable .
	touch $@

$(VENV)/test-ready: pyproject.toml | $(VENV)/bin/pip $(VENV)/system-ready
	$(BIN)/pip install --quiet --editable '.[verify,flash]' --group dev
	touch $@ $(VENV)/demo-ready

# What the firmware tests build and run with; nothing is installed where it is there already.
$(VENV)/system-ready: | $(VENV)/bin/pip
	command -v arm-none-eabi-g++ qemu-system-arm g++ > $(VENV)/system-programs \
	  && test $$(wc -l < $(VENV)/system-programs) = 3 \
	  && echo 'int main(){}' | arm-none-eabi-g++ -x c++ --specs=nano.specs --specs=nosys.specs - -o /dev/null \
	  || { $(SUDO) apt-get update -q && $(SUDO) apt-get install -qy $(SYSTEM_PACKAGES); }
	touch $@
