#!/usr/bin/env bash
# Runs every fuzz target that a build has for some seconds each.
#   scripts/fuzz.sh BUILD_FOLDER SECONDS_EACH
# New inputs are kept in BUILD_FOLDER/fuzz/found/TARGET, an input that fails in the folder beside it.
set -euo pipefail

if [ $# -ne 2 ]; then
  echo "usage: scripts/fuzz.sh BUILD_FOLDER SECONDS_EACH" >&2
  exit 2
fi
source_folder=$(cd "$(dirname "$0")/.." && pwd)
build_folder=$1
seconds_each=$2

failed=()
for program in "$build_folder"/fuzz/fuzz_*; do
  if [ ! -f "$program" ] || [ ! -x "$program" ]; then continue; fi
  for target in $("$program" --list); do
    found="$build_folder/fuzz/found/$target"
    mkdir -p "$found"
    echo "== $target, $seconds_each s"
    "$program" --target="$target" -max_total_time="$seconds_each" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
      -artifact_prefix="$found-" "$found" "$source_folder/fuzz/corpus/$target" || failed+=("$target")
  done
done

echo "== python, $seconds_each s"
"$build_folder/fuzz/python" --seconds "$seconds_each" --seed "$(date +%s)" || failed+=("python")

if [ ${#failed[@]} -gt 0 ]; then
  echo "failed: ${failed[*]}; the inputs are in $build_folder/fuzz/found" >&2
  exit 1
fi
