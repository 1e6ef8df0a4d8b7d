#!/usr/bin/env bash
# The filter of GoogleTest for the tests in a folder and below: their suites, joined by colons.
#   scripts/tests_of.sh tests/inference/chain
set -euo pipefail
grep -rhoP --include='*.cc' '^\s*(?:TYPED_)?(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*\K\w+' "$1" |
  sort -u | sed 's|.*|&.*:&/*.*:*/&.*|' | paste -sd:
