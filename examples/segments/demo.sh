#!/bin/sh
# Phases of a washing machine: a chain, which knows no durations, and segments, which do; some seconds.
#   examples/segments/demo.sh [CROFT]        the program; build/release/croft without
set -e
croft=${1:-build/release/croft}
example=$(dirname "$0")
folder=build/segments
run() { echo "\$ $*"; "$@"; }
score() { "$croft" evaluate -m "$1" --json "$folder/test.columns" | python3 -c 'import json, sys; d = json.load(sys.stdin); print("minutes right: {:.1%}, log-loss {:.3f}".format(d["tokens"]["accuracy"], d["log_loss"]))'; echo; }

run python3 "$example/washing.py" make "$folder"
run "$croft" train --quiet --template "$example/noise.template" -o "$folder/chain.croft" "$folder/train.columns"
score "$folder/chain.croft"
run "$croft" train --quiet --model segment --template "$example/noise.template" --segment-template "$example/length.template" -o "$folder/segments.croft" "$folder/train.columns"
score "$folder/segments.croft"
run "$croft" inspect -m "$folder/segments.croft" --top 4
