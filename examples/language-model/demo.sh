#!/usr/bin/env bash
# Predicts the next word: a smoothed trigram model, and a maximum-entropy model with joint features.
#   examples/language-model/demo.sh [CROFT [OUTPUT_FOLDER [TEXT]]]
set -euo pipefail
cd "$(dirname "$0")/../.."

croft=${1:-build/release/croft}
output=${2:-build/language-model}
text=${3:-examples/language-model/text.txt}
here=examples/language-model
if [ ! -x "$croft" ]; then
  echo "demo.sh: there is no program $croft; build it with: make" >&2
  exit 1
fi

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

echo "1. The text as columns: word, class of the word, and the word again, which is the label."
show python3 $here/columns.py "$text" "$output"
head -n 5 "$output/train.txt"

echo
echo "2. Trigram models, smoothed and interpolated."
show python3 $here/trigram.py "$output"

echo
echo "3. A maximum-entropy model: $(grep -c '^u' $here/words.template) templates over the history and the next word."
show "$croft" train --quiet --model maxent --joint-template $here/words.template \
  --label-classes "$output/classes.tsv" --l2 1.5 --tolerance 1e-3 --threads 2 \
  -o "$output/words.croft" "$output/train.txt"
printf '\n$ %s\n' "$croft evaluate -m $output/words.croft $output/test.txt"
"$croft" evaluate -m "$output/words.croft" "$output/test.txt" | grep -E 'perplexity|log-loss'

echo
echo "4. What speaks for a word, whatever it is: the weights of parts of it."
printf '\n$ %s\n' "$croft inspect -m $output/words.croft --top 2 | sed -n '/^%y\$/,\$p'"
"$croft" inspect -m "$output/words.croft" --top 2 | sed -n '/^%y$/,$p'
