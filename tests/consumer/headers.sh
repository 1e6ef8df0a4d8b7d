#!/usr/bin/env bash
# Compiles croft.h with the public headers alone, and sees that it includes all others.
#   headers.sh COMPILER FOLDER_OF_HEADERS [each]    each: every header by itself, too
set -euo pipefail
compiler=$1
cd "$2"
wanted=(croft/croft.h croft/c.h)
if [ "${3:-}" = each ]; then
  mapfile -t wanted < <(find croft -name '*.h' | sort)
fi
printf '%s\n' "${wanted[@]}" | xargs -P "$(nproc)" -I '{}' \
  "$compiler" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -x c++ -include '{}' -I . /dev/null
diff <(find croft -name '*.h' ! -path croft/croft.h ! -path croft/c.h | sort) \
  <(sed -n 's/^#include "\(.*\)"$/\1/p' croft/croft.h | sort)
