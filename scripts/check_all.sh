#!/usr/bin/env bash
# What takes longer than continuous integration has: every file compiled by itself, all tests under the sanitizers, the
# long ones too, clang-tidy over everything, fuzzing by time, packages in a clean Debian.  Hours on 2 processors; run it
# at the end of a large change.  Exit status 0 when all pass.
#   scripts/check_all.sh [STAGE…]    some of: long alone asan tsan tidy fuzz packages
#   FUZZ_SECONDS=30                  of each fuzz target
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. scripts/stages.sh

# The tests that the suite shortens: processes of MPI in all numbers, headers by themselves.
long() {
  release_build && CROFT_LONG_TESTS=1 ctest --preset release --tests-regex '_work_test|distributed_test' &&
    tests/consumer/headers.sh g++ include each
}
# Without precompiled headers and groups of sources: what a file needs it includes.
alone() {
  cmake -G Ninja -S . -B build/alone -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCROFT_WERROR=ON \
    -DCROFT_PYTHON=ON -DCROFT_MPI=ON -DCROFT_ALONE=ON >build/alone.configure.log && compile alone
}
asan() {
  configure asan -DCMAKE_CXX_FLAGS_DEBUG=-O1 -DCROFT_PYTHON=ON -DCROFT_LONG_TESTS=ON &&
    compile asan unit_tests fuzzers && run_tests asan '.'
}
tsan() {
  configure tsan -DCMAKE_CXX_FLAGS_DEBUG=-O1 && compile tsan thread_tests && ctest --preset tsan --parallel "$(nproc)"
}
fuzz() { scripts/fuzz.sh build/asan "${FUZZ_SECONDS:-30}"; }
packages() { make package package-check; }

stage "packages" scripts/install_dependencies.sh --developer
for name in "${@:-long alone asan tsan tidy fuzz packages}"; do
  for part in $name; do
    case $part in
      long) stage "tests that the suite shortens" long ;;
      alone) stage "every file by itself" alone ;;
      asan) stage "all tests under address and undefined-behaviour sanitizers" asan ;;
      tsan) stage "all tests of threads under the thread sanitizer" tsan ;;
      tidy) stage "clang-tidy" scripts/tidy.sh ;;
      fuzz) stage "fuzz targets" fuzz ;;
      packages) stage "packages, in a clean Debian" packages ;;
      *) echo "check_all.sh: no stage $part; long alone asan tsan tidy fuzz packages" >&2; exit 2 ;;
    esac
  done
done
report
[ ${#failed[@]} -eq 0 ]
