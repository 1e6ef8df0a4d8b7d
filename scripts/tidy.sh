#!/usr/bin/env bash
# The checks of .clang-tidy over src and include, by clang-tidy-16.  Sources are read in the groups in which
# they are compiled, so that a header is read once a group.  Exit status 1 if anything is found.
#   scripts/tidy.sh [FOLDER…]    e.g. src/app; without: all
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

cmake --preset asan >build/tidy.log || { cat build/tidy.log; exit 1; }
folders=("${@:-src}")
mapfile -t sources < <(grep -o '"file": "[^"]*"' build/asan/compile_commands.json | cut -d '"' -f 4 | sort -u)
# A group is read if one of its sources stands in the folder; a source that is compiled alone, if it stands there.
mapfile -t units < <(for folder in "${folders[@]}"; do
  printf '%s\n' "${sources[@]}" | grep "^$PWD/$folder/"
  printf '%s\n' "${sources[@]}" | grep '/unity_' | tr '\n' '\0' | xargs -0 grep -l "\"$PWD/$folder/"
done | sort -u)
if [ ${#units[@]} -eq 0 ]; then
  echo "tidy.sh: no source in ${folders[*]}; name folders below src, e.g. src/app" >&2
  exit 2
fi
# A fault in a header is found once a group, and said once.
printf '%s\0' "${units[@]}" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy-16 --quiet -p build/asan >build/tidy.log 2>build/tidy.progress
status=$?
grep -E -A 3 '(warning|error):' build/tidy.log | awk '!seen[$0]++'
if [ $status -ne 0 ]; then
  echo "tidy.sh: something was found (above)" >&2
  exit 1
fi
echo "clang-tidy finds nothing in ${#units[@]} groups of sources"
