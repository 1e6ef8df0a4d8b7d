#!/usr/bin/env bash
# Parts of speech and chunks of CoNLL-2000: one after the other by two chains, and jointly.
#   examples/factorial/demo.sh [CROFT [OUTPUT_FOLDER [CONLL2000 [SENTENCES]]]]
# CONLL2000: a folder with train.txt and test.txt; SENTENCES: how many of train.txt are learnt from.
set -euo pipefail
cd "$(dirname "$0")/../.."

croft=${1:-build/release/croft}
output=${2:-build/factorial}
data=${3:-../shared/data/conll2000}
sentences=${4:-500}
here=examples/factorial
if [ ! -x "$croft" ]; then
  echo "demo.sh: there is no program $croft; build it with: make" >&2
  exit 1
fi
if [ ! -f "$data/train.txt" ]; then
  echo "demo.sh: there is no $data/train.txt; give the folder of CoNLL-2000 as the third argument" >&2
  exit 1
fi
mkdir -p "$output"

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

# train SPEC
train() {
  show "$croft" train --quiet --model graph --spec "$here/$1.toml" --database "$output/train.sqlite" \
    -o "$output/$1.croft" --objective bethe --inference-iterations 5 --features observed --max-iterations 100
}

show python3 -B $here/database.py "$output/train.sqlite" "$data/train.txt" --limit "$sentences"
show python3 -B $here/database.py "$output/test.sqlite" "$data/test.txt"

echo
echo "1. The cascade: parts of speech, then chunks that see the parts of speech that were predicted."
train pos
train chunk
show "$croft" predict -m "$output/pos.croft" --database "$output/test.sqlite" \
  --table=pos_predictions --no-probabilities
show "$croft" predict -m "$output/chunk.croft" --database "$output/test.sqlite" \
  --spec $here/chunk-predicted.toml --table=chunk_predictions --no-probabilities
show python3 -B $here/score.py "$output/test.sqlite" pos_predictions chunk_predictions

echo
echo "2. Both jointly."
train factorial
show "$croft" predict -m "$output/factorial.croft" --database "$output/test.sqlite" \
  --table --no-probabilities --search max-product
show python3 -B $here/score.py "$output/test.sqlite"
