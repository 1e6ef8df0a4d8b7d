#!/usr/bin/env bash
# Draws samples from an Ising model, and recovers it from them: a few seconds.
#   examples/ising/demo.sh [CROFT]        the program; build/release/croft without
set -e
croft=${1:-build/release/croft}
example=$(dirname "$0")
folder=build/ising
train=(--model graph --spec "$example/ising.toml" --database "$folder/spin.csv" --l2 0)
run() { echo "\$ $*"; "$@"; echo; }

run python3 "$example/ising.py" make "$folder" 5 1
echo "\$ $croft infer --task sample --samples 2000 --json $folder/truth.uai > $folder/samples.json"
"$croft" infer --quiet --task sample --samples 2000 --json "$folder/truth.uai" > "$folder/samples.json"
run python3 "$example/ising.py" tables "$folder"

for objective in pseudolikelihood likelihood; do
  run "$croft" train --quiet "${train[@]}" --database "$folder/edge.csv" --objective $objective -o "$folder/$objective.croft"
  echo "\$ $croft inspect -m $folder/$objective.croft --weights > $folder/$objective.tsv"
  "$croft" inspect -m "$folder/$objective.croft" --weights > "$folder/$objective.tsv"
  run python3 "$example/ising.py" compare "$folder" "$folder/$objective.tsv"
done

run "$croft" train --quiet "${train[@]}" --database "$folder/pairs/edge.csv" --objective pseudolikelihood --l1 300 -o "$folder/sparse.croft"
echo "\$ $croft inspect -m $folder/sparse.croft --weights > $folder/sparse.tsv"
"$croft" inspect -m "$folder/sparse.croft" --weights > "$folder/sparse.tsv"
run python3 "$example/ising.py" select "$folder" "$folder/sparse.tsv"
run "$croft" train --quiet "${train[@]}" --database "$folder/found/edge.csv" --objective pseudolikelihood -o "$folder/refitted.croft"
echo "\$ $croft inspect -m $folder/refitted.croft --weights > $folder/refitted.tsv"
"$croft" inspect -m "$folder/refitted.croft" --weights > "$folder/refitted.tsv"
run python3 "$example/ising.py" significant "$folder" "$folder/refitted.tsv"
