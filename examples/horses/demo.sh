#!/usr/bin/env bash
# Figure and ground: each pixel by itself, a grid CRF, and a Potts model with mixtures.
#   examples/horses/demo.sh [CROFT [OUTPUT_FOLDER [IMAGES]]]
# IMAGES: a folder with gray/ and mask/; without: images that images.py makes.
set -euo pipefail
cd "$(dirname "$0")/../.."

croft=${1:-build/release/croft}
output=${2:-build/horses}
images=${3:-}
here=examples/horses
if [ ! -x "$croft" ]; then
  echo "demo.sh: there is no program $croft; build it with: make" >&2
  exit 1
fi
python=python3
"$python" -c 'import numpy, PIL' 2>/dev/null || python=/usr/bin/python3
if ! "$python" -c 'import numpy, PIL' 2>/dev/null; then
  echo "demo.sh: Python has no numpy or PIL: apt-get install python3-numpy python3-pil" >&2
  exit 1
fi
mkdir -p "$output"

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

echo "1. Images as tables: the first half to train on, the second to test."
if [ -z "$images" ]; then
  images=$output/images
  show "$python" -B $here/images.py "$images"
fi
count=$(find "$images/gray" -type f | wc -l)
show "$python" -B $here/database.py "$output/train.sqlite" "$images" --images 1:$((count / 2))
show "$python" -B $here/database.py "$output/test.sqlite" "$images" \
  --images $((count / 2 + 1)):"$count"

echo
echo "2. Three models by pseudolikelihood, labellings by graph cut."
for model in independent grid potts; do
  show "$croft" train --quiet --model graph --spec $here/$model.toml \
    --database "$output/train.sqlite" --objective pseudolikelihood -o "$output/$model.croft"
  show "$croft" predict -m "$output/$model.croft" --database "$output/test.sqlite" \
    --search graph-cut --no-probabilities --table=$model
done
show "$python" -B $here/score.py "$output/test.sqlite" independent grid potts

echo
echo "3. What neighbours weigh."
for model in grid potts; do
  printf '\n$ %s\n' "$croft inspect -m $output/$model.croft --weights | grep pair"
  "$croft" inspect -m "$output/$model.croft" --weights | grep pair
done

echo
echo "4. Side by side."
show "$python" -B $here/picture.py "$output/horses.png" "$output/test.sqlite" 6 \
  independent grid potts
