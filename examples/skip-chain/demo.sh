#!/usr/bin/env bash
# Named entities by a plain chain and by a skip chain, on a corpus made up at random; with a folder of
# CoNLL-2002 (esp.train.txt, esp.testa.txt, esp.testb.txt) on that: minutes.
#   examples/skip-chain/demo.sh [CROFT [OUTPUT_FOLDER [CONLL2002]]]
set -euo pipefail
cd "$(dirname "$0")/../.."

croft=${1:-build/release/croft}
output=${2:-build/skip-chain}
data=${3:-}
here=examples/skip-chain
if [ ! -x "$croft" ]; then
  echo "demo.sh: there is no program $croft; build it with: make" >&2
  exit 1
fi
mkdir -p "$output"

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

# train SPEC DATABASE MODEL
train() {
  show "$croft" train --quiet --model graph --spec "$here/$1.toml" --database "$2" -o "$3" \
    --objective bethe --inference-iterations 10 --features observed --max-iterations 100
}

# chunks MODEL DATABASE: the line of all chunks of croft evaluate
chunks() {
  "$croft" predict -m "$1" --database "$2" --table --no-probabilities --search max-product
  python3 -B $here/columns.py "$2" | "$croft" evaluate | grep -E '^(chunk|all chunks)'
}

if [ -z "$data" ]; then
  for part in train test; do
    seed=1; [ $part = test ] && seed=2
    show python3 -B $here/corpus.py "$output/$part.txt" --documents 60 --seed $seed
    show python3 -B $here/database.py "$output/$part.sqlite" --group 6 "$output/$part.txt"
  done
  for spec in chain skip; do
    train "$spec" "$output/train.sqlite" "$output/$spec.croft"
    chunks "$output/$spec.croft" "$output/test.sqlite"
  done
  echo
  echo "Weights of the template skip: both words have this label."
  "$croft" inspect -m "$output/skip.croft" --weights | awk '$2 == "skip"'
  exit
fi

for n in 20 10 40; do
  for part in train testa testb; do
    python3 -B $here/database.py "$output/$part.$n.sqlite" --group $n "$data/esp.$part.txt"
  done
  specs=skip
  if [ $n = 20 ]; then specs="chain skip"; fi  # the plain chain has no use for documents
  for spec in $specs; do
    train "$spec" "$output/train.$n.sqlite" "$output/$spec.$n.croft"
    for part in testa testb; do
      echo "$spec, N = $n, $part"
      chunks "$output/$spec.$n.croft" "$output/$part.$n.sqlite"
    done
  done
done
