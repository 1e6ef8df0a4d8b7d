#!/usr/bin/env bash
# Labels papers by their words and by the papers that cite them: four ways, over several seeds.
#   examples/citations/demo.sh [CROFT [OUTPUT_FOLDER [SEEDS]]]
set -euo pipefail
cd "$(dirname "$0")/../.."

croft=${1:-build/release/croft}
output=${2:-build/citations}
seeds=${3:-10}
here=examples/citations
if [ ! -x "$croft" ]; then
  echo "demo.sh: there is no program $croft; build it with: make" >&2
  exit 1
fi
mkdir -p "$output"

show() {
  printf "\n$ %s\n" "$*" >&2
  "$@"
}

echo "1. One graph to train on, another one to test."
show python3 -B $here/database.py "$output/train.sqlite" --seed 1
show python3 -B $here/database.py "$output/test.sqlite" --seed 1001
show "$croft" train --quiet --model graph --spec $here/citations.toml \
  --database "$output/train.sqlite" --objective piecewise -o "$output/citations.croft"
show "$croft" predict -m "$output/citations.croft" --database "$output/test.sqlite" \
  --decode marginal --method belief-propagation > "$output/predicted.tsv"
head -n 3 "$output/predicted.tsv"

echo
echo "2. The same where the fields of some papers are known."
show "$croft" predict -m "$output/citations.croft" --database "$output/test.sqlite" \
  --spec $here/known.toml --use-known --decode marginal --method gibbs \
  --inference-iterations 1000 > "$output/predicted.tsv"
head -n 3 "$output/predicted.tsv"

echo
echo "3. All ways, over $seeds pairs of graphs."
show python3 -B $here/compare.py "$croft" "$output" --seeds "$seeds"
