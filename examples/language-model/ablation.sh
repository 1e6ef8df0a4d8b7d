#!/usr/bin/env bash
# The perplexity of the model without some of its templates: which feature gives what.
#   examples/language-model/ablation.sh [CROFT [OUTPUT_FOLDER]]    (after demo.sh)
set -euo pipefail
cd "$(dirname "$0")/../.."
croft=${1:-build/release/croft}
output=${2:-build/language-model}

# try NAME TEMPLATES: the templates whose names match the pattern
try() {
  grep -E "^($2)[: ]" examples/language-model/words.template > "$output/some.template"
  local classes=()
  if grep -q '%y\[class\]' "$output/some.template"; then
    classes=(--label-classes "$output/classes.tsv")
  fi
  "$croft" train --quiet --model maxent --joint-template "$output/some.template" "${classes[@]}" \
    --l2 1.5 --tolerance 1e-3 --threads 2 -o "$output/some.croft" "$output/train.txt"
  printf '%-40s%8.2f\n' "$1" \
    "$("$croft" evaluate -m "$output/some.croft" "$output/test.txt" |
       awk '/^perplexity/ { print $2 }')"
}

try 'word' 'u0'
try '+ bigram' 'u[01]'
try '+ trigram' 'u[0-2]'
try '+ skip' 'u[0-3]'
try '+ class of the words before' 'u[0-5]'
try '+ suffix' 'u[0-7]'
try '+ class of the next word' 'u[0-9]'
try '+ occurs earlier' 'u([0-9]|[a-c])'
try '+ not seen before: all' 'u[0-9a-d]'
