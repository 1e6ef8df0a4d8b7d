# Shortcuts; the build itself is CMakeLists.txt with CMakePresets.json.  `make help` lists them.
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
# Of each fuzz target, by `make fuzz`.
SECONDS ?= 60

BUILD = cmake --build --parallel $(JOBS) --preset
# One more than there are processors: some tests wait for mpirun, a browser or a signal most of the time.
TEST = ctest --parallel $(shell expr $(JOBS) + 1) --preset

.PHONY: release demo test check lint tidy format bench study install python asan tsan fuzz \
        package package-check check-all dependencies clean help

release: build/release/build.ninja
	$(BUILD) release

help:
	@echo 'make                      build croft, the Python package and the tests into build/release'
	@echo 'make demo                 install what is missing, build croft, train and try a tagger'
	@echo 'make test                 install what is missing, build, run all tests'
	@echo 'make check FOLDER=DIR     build and run the tests of one folder, e.g. inference/chain, cli/train'
	@echo 'make python               the Python package, in the environment build/venv'
	@echo 'make install PREFIX=DIR   the program, the library, its headers (default /usr/local)'
	@echo 'make package              Debian packages, a wheel and a source archive, in build/package'
	@echo 'make package-check        lintian; the packages installed and used in a clean Debian (needs root)'
	@echo 'make bench PEERS=DIR      benchmarks; DIR holds the programs to compare with'
	@echo 'make study PEERS=DIR      docs/study.md: objectives and optimizers compared (an hour)'
	@echo 'make lint, make format    check formats, layers, scripts and Python; format the C++'
	@echo 'make tidy                 clang-tidy over src and include (needs clang-tidy-16)'
	@echo 'make asan                 unit tests and fuzz targets under address and undefined sanitizers'
	@echo 'make tsan                 the tests of threads under the thread sanitizer'
	@echo 'make check-all            all of the above and more, by the hour (scripts/check_all.sh)'
	@echo 'make fuzz SECONDS=60      fuzz each reader, and the Python package, for so long (needs clang-16)'
	@echo 'make clean                remove build/'

demo: dependencies build/release/build.ninja
	@$(BUILD) release --target croft_cli
	@examples/ingredients/demo.sh build/release/croft build/demo

test: dependencies build/release/build.ninja
	$(BUILD) release
	$(TEST) release

# tests/cli and tests/python need the program and the extension; the tests of a layer are a program, of which those run
# that stand in the folder.
LAYER = $(firstword $(subst /, ,$(FOLDER)))
PROGRAM = $(if $(filter cli golden,$(LAYER)),croft_cli,$(if $(filter python,$(LAYER)),croft_cli croft_python,$(LAYER)_tests))

check: build/release/build.ninja
	@$(if $(FOLDER),,$(error FOLDER names a folder of tests/: make check FOLDER=inference/chain))
	$(BUILD) release --target $(PROGRAM)
	@if [ -x build/release/tests/$(LAYER)/$(LAYER)_tests ]; then \
	  build/release/tests/$(LAYER)/$(LAYER)_tests --gtest_brief=1 --gtest_filter="$$(scripts/tests_of.sh tests/$(FOLDER))"; \
	else $(TEST) release --tests-regex '^$(FOLDER)(/.*|)$$'; fi

lint:
	@scripts/lint.sh

tidy:
	@scripts/tidy.sh

format:
	git ls-files '*.cc' '*.h' | xargs clang-format -i

bench: release
	$(BUILD) release --target benches
	python3 bench/bench.py --croft build/release/croft $(if $(PEERS),--peers $(PEERS))
	PYTHONPATH=build/release/python $(PYTHON) bench/one_label.py
	python3 bench/graphs.py --croft build/release/croft $(if $(PEERS),--peers $(PEERS))

study: dependencies build/release/build.ninja
	@$(BUILD) release --target croft_cli label_set_bench
	$(PYTHON) bench/study.py --croft build/release/croft $(if $(PEERS),--peers $(PEERS))

install: release
	cmake --install build/release --prefix $(PREFIX)

# Takes the extension from build/release.  Debian's interpreter forbids pip to touch its own packages; the
# environment sees them.
python: dependencies build/release/build.ninja
	@$(BUILD) release --target croft_python
	@test -x build/venv/bin/python || $(PYTHON) -m venv --system-site-packages build/venv
	build/venv/bin/python -m pip install --quiet --disable-pip-version-check --force-reinstall \
	  --config-settings=build=build/release .
	@cd build && venv/bin/python -c 'import croft; print("croft", croft.__version__, "is installed: . build/venv/bin/activate")'

package:
	@scripts/install_dependencies.sh --package
	@scripts/package.sh $(JOBS)

# PARTS: some of lintian, chroot, image, sdist, build; tests/package/check.sh says what they are.
package-check:
	@tests/package/check.sh build/package $(PARTS)

asan: build/asan/build.ninja
	$(BUILD) asan
	$(TEST) asan

tsan: build/tsan/build.ninja
	$(BUILD) tsan
	$(TEST) tsan

fuzz: build/asan/build.ninja
	$(BUILD) asan --target fuzzers
	scripts/fuzz.sh build/asan $(SECONDS)

check-all:
	@scripts/check_all.sh

dependencies:
	@scripts/install_dependencies.sh

# Configured once; afterwards ninja sees by itself when a CMake file has changed.
build/%/build.ninja: CMakePresets.json
	cmake --preset $*

build/asan/build.ninja: CMakePresets.json
	@scripts/install_dependencies.sh --developer
	cmake --preset asan

clean:
	cmake -E rm -rf build
