# shellcheck shell=bash
# Stages of a check, each timed: .ci/run and scripts/check_all.sh read this file.
mkdir -p build
failed=()
times=()

# stage NAME COMMAND…: the command, timed; the next stages run even where it fails.
stage() {
  local name=$1 began=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  "$@" || failed+=("$name")
  times+=("$(printf '%5d s  %s' $((SECONDS - began)) "$name")")
}

# configure PRESET [-DOPTION…]: a warning is an error.
configure() {
  local preset=$1
  shift
  cmake --preset "$preset" -DCROFT_WERROR=ON "$@" >"build/$preset.configure.log" 2>&1 ||
    { cat "build/$preset.configure.log"; return 1; }
}

# compile PRESET [TARGET…]; ninja's lines go into a file, and are shown where it fails.
compile() {
  local preset=$1
  shift
  cmake --build "build/$preset" --parallel "$(nproc)" --target "${@:-all}" >"build/$preset.build.log" 2>&1 ||
    { grep -v '^\[[0-9]*/[0-9]*\] ' "build/$preset.build.log"; return 1; }
}

# run_tests PRESET REGEX: of the entries of ctest.
run_tests() {
  ctest --test-dir "build/$1" --parallel "$(nproc)" --output-on-failure --no-tests=error --tests-regex "$2"
}

release_build() {
  configure release -DCROFT_WAPITI_JNI=ON -DCROFT_MPI=ON && compile release
}

report() {
  printf '\n%s\n' "${times[@]}" "$(printf '%5d s  in all' "$SECONDS")"
  if [ ${#failed[@]} -gt 0 ]; then
    printf 'failed: %s\n' "${failed[@]}"
  fi
}
