#!/usr/bin/env bash
# Trains a tagger on the ingredient lines of this folder, labels new ones, and measures it.
#   examples/ingredients/demo.sh [CROFT [OUTPUT_FOLDER]]
set -euo pipefail
cd "$(dirname "$0")/../.."

croft=${1:-build/release/croft}
output=${2:-build/demo}
data=examples/ingredients
if [ ! -x "$croft" ]; then
  echo "demo.sh: there is no program $croft; build it with: make" >&2
  exit 1
fi
mkdir -p "$output"

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

echo "Lines of recipe ingredients, each word with its role: QTY, UNIT, NAME, PREP, COMMENT, OTHER."
echo "The training file has one word a line, its label beside it, an empty line between ingredients:"
show head -n 6 $data/train.txt

echo
echo "1. Learn from 573 labelled lines."
show "$croft" train -o "$output/ingredients.croft" $data/train.txt

echo
echo "2. Label 12 lines that have no labels (the first two are shown)."
printf '\n$ %s\n' "$croft predict -m $output/ingredients.croft $data/new.txt > $output/new.labelled.txt"
"$croft" predict -m "$output/ingredients.croft" $data/new.txt > "$output/new.labelled.txt"
awk '/^$/ { if (++lines == 2) exit } { print }' "$output/new.labelled.txt"

echo
echo "3. How good is it?  On 145 lines that it has not seen:"
show "$croft" evaluate -m "$output/ingredients.croft" $data/test.txt

echo
echo "4. What has it learnt?  For each label the features that speak most for and against it:"
show "$croft" inspect -m "$output/ingredients.croft" --top 3

echo
echo "The model and the labelled lines are in $output.  All verbs: $croft --help"
