#!/usr/bin/env bash
# The checks of .clang-tidy over src and include, by clang-tidy-16.  Sources are read in the groups in which
# they are compiled, so that a header is read once a group.  Exit status 1 if anything is found.
#   scripts/tidy.sh [FOLDER…]          e.g. src/app; without: all
#   scripts/tidy.sh --changed [BASE]   the groups with a source that differs from the commit BASE, and those of the
#                                      sources beside changed headers; without BASE: from where main was half a day ago
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
mkdir -p build

cmake --preset asan >build/tidy.log || { cat build/tidy.log; exit 1; }
mapfile -t sources < <(grep -o '"file": "[^"]*"' build/asan/compile_commands.json | cut -d '"' -f 4 | sort -u)

# Paths that a unit may hold, one a line.
if [ "${1:-}" = --changed ]; then
  base=${2:-$(git merge-base HEAD origin/main 2>/dev/null)}
  if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
    base=$(git rev-list -1 --before='12 hours ago' HEAD)
  fi
  what="what changed since ${base:-nothing}"
  wanted=$(git diff --name-only --diff-filter=d ${base:+"$base"} -- 'src/*.cc' 'src/*.h' |
    sed 's/\.h$/.cc/' | sort -u | sed "s|^|$PWD/|")
else
  what="${*:-src}"
  folders=("${@:-src}")
  wanted=$(printf "$PWD/%s/\n" "${folders[@]}")
fi
# A group is read if it holds one of the sources; a source that is compiled alone, if it is one.
mapfile -t units < <(
  if [ -n "$wanted" ]; then
    printf '%s\n' "${sources[@]}" | grep -v '/unity_' | grep -F "$wanted"
    printf '%s\n' "${sources[@]}" | grep '/unity_' | tr '\n' '\0' | xargs -0 grep -lF "$wanted"
  fi | sort -u)
if [ ${#units[@]} -eq 0 ]; then
  if [ "${1:-}" = --changed ]; then
    echo "clang-tidy: no source in $what"
    exit 0
  fi
  echo "tidy.sh: no source in $what; name folders below src, e.g. src/app" >&2
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
echo "clang-tidy finds nothing in ${#units[@]} groups of sources: $what"
