#!/usr/bin/env bash
# Compiles each public header by itself, with the public ones alone, and sees that croft.h includes all others.
#   headers.sh COMPILER FOLDER_OF_HEADERS
set -euo pipefail
compiler=$1
cd "$2"
find croft -name '*.h' | sort | xargs -P "$(nproc)" -I '{}' \
  "$compiler" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -x c++ -include '{}' -I . /dev/null
diff <(find croft -name '*.h' ! -path croft/croft.h ! -path croft/c.h | sort) \
  <(sed -n 's/^#include "\(.*\)"$/\1/p' croft/croft.h | sort)
