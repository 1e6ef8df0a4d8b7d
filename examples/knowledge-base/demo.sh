#!/usr/bin/env bash
# Entity resolution with rules: examples/knowledge-base/demo.sh [CROFT]
set -euo pipefail
cd "$(dirname "$0")"
croft=$(realpath "${1:-../../build/release/croft}") model=$(mktemp)
"$croft" train --quiet --model graph --spec people.toml --database train/record.csv -o "$model"
"$croft" inspect -m "$model" --weights
"$croft" predict -m "$model" --database test/record.csv
rm "$model"
