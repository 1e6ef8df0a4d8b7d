#!/usr/bin/env bash
# Gestures of hidden postures: a plain CRF against a hidden-state CRF, by the gradient and by EM; a minute.
#   examples/hidden-state/demo.sh [CROFT]        the program; build/release/croft without
set -e
croft=${1:-build/release/croft}
example=$(dirname "$0")
folder=build/hidden-state
run() { echo "\$ $*"; "$@"; }
last() { tail -n 1 "$1" | python3 -c 'import json, sys; d = json.load(sys.stdin); print("objective {objective:.3f}, {evaluations} evaluations".format(**d))'; echo; }

run python3 "$example/gestures.py" make "$folder"
echo
run "$croft" train --quiet --model graph --spec "$example/plain.toml" --database "$folder/train/frame.csv" --l2 0.1 -o "$folder/plain.croft"
echo "\$ $croft predict -m $folder/plain.croft --database $folder/test/frame.csv | python3 $example/gestures.py score $folder/test"
"$croft" predict -m "$folder/plain.croft" --database "$folder/test/frame.csv" | python3 "$example/gestures.py" score "$folder/test"
echo
for by in direct em; do
  options=()
  [ $by = em ] && options=(--em-iterations 300)
  run "$croft" train --quiet --model graph --spec "$example/hidden.toml" --database "$folder/train/frame.csv" --database "$folder/train/gesture.csv" --l2 0.1 --tolerance 1e-3 "${options[@]}" --log "$folder/$by.jsonl" -o "$folder/$by.croft"
  last "$folder/$by.jsonl"
  echo "\$ $croft predict -m $folder/$by.croft --decode marginal --database $folder/test/frame.csv --database $folder/test/gesture.csv | python3 $example/gestures.py score $folder/test"
  "$croft" predict -m "$folder/$by.croft" --decode marginal --database "$folder/test/frame.csv" --database "$folder/test/gesture.csv" | python3 "$example/gestures.py" score "$folder/test"
  echo
done
