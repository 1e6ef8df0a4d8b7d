#!/usr/bin/env bash
# A perceptron whose search for the best labelling is approximate, on graphs that exact search can learn.
#   examples/perceptron/demo.sh [CROFT [OUTPUT_FOLDER]]
set -euo pipefail
cd "$(dirname "$0")/../.."

croft=${1:-build/release/croft}
output=${2:-build/perceptron}
here=examples/perceptron
if [ ! -x "$croft" ]; then
  echo "demo.sh: there is no program $croft; build it with: make" >&2
  exit 1
fi

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

echo "1. Two triangles, and grids."
show python3 -B $here/cases.py "$output"

echo
echo "2. The triangles: mistakes of the weights after so many passes."
for search in junction-tree max-product trw-s; do
  show python3 -B $here/passes.py "$croft" "$output/triangles" $search 1,2,3,4,5,6,7,8,9,10,11,12,100,1000
done

echo
echo "3. What max-product answers for the first triangle, by the weights after 1,000 passes."
show "$croft" predict -m "$output/triangles/max-product.croft" --search max-product --no-probabilities \
  --database "$output/triangles/spin.csv" --database "$output/triangles/pair.csv"

echo
echo "4. 30 grids, and 100 others to test."
for search in junction-tree max-product trw-s; do
  show python3 -B $here/passes.py "$croft" "$output/grids" $search 1,2,3,5,10,20 "$output/grids-test"
done

echo
echo "5. Other ways to learn, all of them tested by exact search: wrong of 30 grids, and of 100 others."
wrong() {
  "$croft" evaluate --json -m "$output/other.croft" --search junction-tree \
    --database "$output/$1/spin.csv" --database "$output/$1/pair.csv" 2> /dev/null |
    python3 -c 'import json, sys
instances = json.load(sys.stdin)["instances"]
print(instances["count"] - instances["correct"])'
}
while read -r options; do
  # shellcheck disable=SC2086
  "$croft" train --quiet --model graph --spec $here/spins.toml --database "$output/grids/spin.csv" \
    --database "$output/grids/pair.csv" $options -o "$output/other.croft"
  printf '%5s %5s   %s\n' "$(wrong grids)" "$(wrong grids-test)" "$options"
done <<'END'
--objective perceptron --optimizer perceptron --search junction-tree --max-iterations 20
--objective perceptron --optimizer perceptron --search max-product --max-iterations 20
--objective perceptron --optimizer perceptron --search max-product --max-iterations 20 --damping 0.5
--objective perceptron --optimizer averaged-perceptron --search junction-tree --max-iterations 20
--objective perceptron --optimizer averaged-perceptron --search max-product --max-iterations 20
--objective perceptron --optimizer averaged-perceptron --search trw-s --max-iterations 20
--objective max-margin --search junction-tree --l2 0.01
--objective max-margin --search trw-s --l2 0.01
--objective likelihood --l2 0.01
--objective pseudolikelihood --l2 0.01
--objective piecewise --l2 0.01
END
