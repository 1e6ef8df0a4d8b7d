# Shortcuts; the build itself is CMakeLists.txt with CMakePresets.json.  `make help` lists them.
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
# Of each fuzz target, by `make fuzz`.
SECONDS ?= 60

BUILD = cmake --build --parallel $(JOBS) --preset
TEST = ctest --parallel $(JOBS) --preset

.PHONY: release demo test bench study install python asan tsan fuzz dependencies clean help

release: build/release/build.ninja
	$(BUILD) release

help:
	@echo 'make                      build everything into build/release'
	@echo 'make demo                 install what is missing, build croft, train and try a tagger'
	@echo 'make test                 install what is missing, build, run all tests'
	@echo 'make bench PEERS=DIR      benchmarks; DIR holds the programs to compare with'
	@echo 'make study PEERS=DIR      docs/study.md: objectives and optimizers compared (an hour)'
	@echo 'make install PREFIX=DIR   the program, the library, its headers (default /usr/local)'
	@echo 'make python               the Python package, in the environment build/venv'
	@echo 'make asan, make tsan      all tests under address and undefined, or thread, sanitizer'
	@echo 'make fuzz SECONDS=60      fuzz each reader for so long (needs clang-16)'
	@echo 'make clean                remove build/'

demo: dependencies build/release/build.ninja
	@$(BUILD) release --target croft_cli
	@examples/ingredients/demo.sh build/release/croft build/demo

# The suite has a short run of every fuzz target; its last lines are ctest's.
test: dependencies build/release/build.ninja
	$(BUILD) release
	@$(MAKE) --no-print-directory fuzz SECONDS=5
	$(TEST) release

bench: release
	python3 bench/bench.py --croft build/release/croft $(if $(PEERS),--peers $(PEERS))
	PYTHONPATH=build/release/python $(PYTHON) bench/one_label.py
	python3 bench/graphs.py --croft build/release/croft $(if $(PEERS),--peers $(PEERS))

study: dependencies build/release/build.ninja
	@$(BUILD) release --target croft_cli
	$(PYTHON) bench/study.py --croft build/release/croft $(if $(PEERS),--peers $(PEERS))

install: release
	cmake --install build/release --prefix $(PREFIX)

# Debian's interpreter forbids pip to touch its own packages; the environment sees them.
python: dependencies
	@test -x build/venv/bin/python || $(PYTHON) -m venv --system-site-packages build/venv
	CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) build/venv/bin/python -m pip install --quiet --disable-pip-version-check --force-reinstall .
	@cd build && venv/bin/python -c 'import croft; print("croft", croft.__version__, "is installed: . build/venv/bin/activate")'

asan: build/dev/build.ninja
	$(BUILD) dev
	$(TEST) dev

tsan: build/tsan/build.ninja
	$(BUILD) tsan
	$(TEST) tsan

fuzz: build/fuzz/build.ninja
	$(BUILD) fuzz --target fuzzers
	scripts/fuzz.sh build/fuzz $(SECONDS)

dependencies:
	@scripts/install_dependencies.sh

# Configured once; afterwards ninja sees by itself when a CMake file has changed.
build/%/build.ninja: CMakePresets.json
	cmake --preset $*

build/fuzz/build.ninja: CMakePresets.json
	@scripts/install_dependencies.sh --developer
	cmake --preset fuzz

clean:
	cmake -E rm -rf build
