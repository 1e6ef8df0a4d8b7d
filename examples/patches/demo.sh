#!/usr/bin/env bash
# Associative Markov networks: max-margin training and graph cuts, beside likelihoods.
#   examples/patches/demo.sh [CROFT [OUTPUT_FOLDER]]
set -euo pipefail
cd "$(dirname "$0")/../.."

croft=${1:-build/release/croft}
output=${2:-build/patches}
here=examples/patches
if [ ! -x "$croft" ]; then
  echo "demo.sh: there is no program $croft; build it with: make" >&2
  exit 1
fi

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}
train() {  # NAME SPEC DATA options
  local name=$1 spec=$2 data=$3
  shift 3
  show "$croft" train --quiet --model graph --spec "$here/$spec.toml" \
    --database "$output/$data-train.sqlite" -o "$output/$name.croft" "$@"
}
predict() {  # NAME DATA options
  local name=$1 data=$2
  shift 2
  show "$croft" predict -m "$output/$name.croft" --database "$output/$data-test.sqlite" \
    --table="$name" "$@"
}

echo "1. Grids of patches."
show python3 -B $here/patches.py "$output"

echo
echo "2. Grass or not: two weights, by three objectives."
train likelihood grass grass --objective likelihood
train pseudo grass grass --objective pseudolikelihood
train margin grass grass --objective max-margin --search graph-cut
for name in likelihood pseudo margin; do
  predict $name grass --search graph-cut --marginals
  show "$croft" inspect -m "$output/$name.croft" --weights
done

echo
echo "3. The same features, and the colour is a variable: other weights."
train joint grass-joint grass --objective likelihood
show "$croft" inspect -m "$output/joint.croft" --weights
predict joint grass --spec $here/grass-joint-given.toml --use-known --search graph-cut --marginals
show python3 -B $here/score.py "$output/grass-test.sqlite" likelihood pseudo margin joint

echo
echo "4. Four labels: an associative network, by alpha-expansion."
train alone land-alone land --objective pseudolikelihood
train land_pseudo land land --objective pseudolikelihood
train land_bethe land land --objective bethe --max-iterations 20
train land_margin land land --objective max-margin --search alpha-expansion
for name in alone land_pseudo land_bethe land_margin; do
  predict $name land --search alpha-expansion --no-probabilities
done
show python3 -B $here/score.py "$output/land-test.sqlite" alone land_pseudo land_bethe land_margin
for name in land_pseudo land_margin; do
  printf '\n$ %s\n' "$croft inspect -m $output/$name.croft --weights | grep pair"
  "$croft" inspect -m "$output/$name.croft" --weights | grep pair
done
