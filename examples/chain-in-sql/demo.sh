#!/usr/bin/env bash
# A linear chain declared in SQL has the weights of --model chain.
#   examples/chain-in-sql/demo.sh [CROFT [OUTPUT_FOLDER]]
set -euo pipefail
cd "$(dirname "$0")/../.."

croft=${1:-build/release/croft}
output=${2:-build/demo}
here=examples/chain-in-sql
if [ ! -x "$croft" ]; then
  echo "demo.sh: there is no program $croft; build it with: make" >&2
  exit 1
fi
mkdir -p "$output"

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

exact=(--tolerance 0 --gradient-tolerance 1e-9 --max-iterations 2000 --l2 1)
for part in train test; do
  show python3 -B $here/database.py examples/ingredients/$part.txt "$output/$part.sqlite" "$output/$part.attributes"
done
show "$croft" train --quiet --model graph --spec $here/chain.toml --database "$output/train.sqlite" \
  -o "$output/graph.croft" "${exact[@]}"
show "$croft" train --quiet --format attributes --features all --precision double \
  -o "$output/chain.croft" "${exact[@]}" "$output/train.attributes"
show python3 -B $here/compare.py "$croft" "$output/chain.croft" "$output/graph.croft"
show "$croft" evaluate -m "$output/graph.croft" --database "$output/test.sqlite"
show "$croft" predict -m "$output/graph.croft" --database "$output/test.sqlite" --table
show python3 -B -c "
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for row in db.execute('''select word, t.label, p.label, round(p.probability, 3)
                         from token t join predictions p on p.id = t.id limit 6'''):
    print(*row, sep='\t')" "$output/test.sqlite"
