#!/usr/bin/env bash
# What can be checked without building: the folders, the formats, shell and Python.  Exit status 1 if
# anything is found.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

failed=()
check() {
  local name=$1
  shift
  "$@" || failed+=("$name")
}

mapfile -t sources < <(git ls-files '*.cc' '*.h')
mapfile -t scripts < <(git ls-files '*.sh' .ci/run)
mapfile -t python < <(git ls-files '*.py')

check layers scripts/check_layers.py
check clang-format clang-format --dry-run -Werror "${sources[@]}"
check shellcheck shellcheck "${scripts[@]}"
check pyflakes pyflakes3 "${python[@]}"
check pycodestyle pycodestyle --max-line-length=120 --select=E501 "${python[@]}"
check mypy mypy --no-error-summary --cache-dir=build/mypy

if [ ${#failed[@]} -gt 0 ]; then
  echo "lint: failed: ${failed[*]}" >&2
  exit 1
fi
echo "lint: layers, clang-format, shellcheck, pyflakes, pycodestyle and mypy find nothing"
