#!/usr/bin/env bash
# In a clean Debian, by check.sh: installs the packages and uses each of them.
set -euo pipefail
cd /srv

# Quiet, unless it fails.
install() {
  apt-get install -y -qq --no-install-recommends "$@" >install.log 2>&1 || { cat install.log >&2; exit 1; }
}

same() {
  [ "$2" = "$3" ] && return
  printf '%s: expected\n%s\nand there is\n%s\n' "$1" "$2" "$3" >&2
  exit 1
}

cat >words.txt <<'TEXT'
2 QTY
cups UNIT
flour NAME

100 QTY
g UNIT
sugar NAME

1 QTY
onion NAME
TEXT
printf '2\ncups\nsugar\n' >new.txt
labelled=$'2 QTY\ncups UNIT\nsugar NAME'

install ./croft_*.deb ./libcroft0_*.deb ./python3-croft_*.deb
croft train --quiet -o words.croft words.txt
same "croft predict" "$labelled" "$(croft predict -m words.croft new.txt)"
croft evaluate -m words.croft words.txt | grep -q 'accuracy 100.00 %'
echo "croft $(croft --version): trains, predicts and evaluates"

install bash-completion fish man-db zsh
man croft-train | grep -q -- '--l2'
same "bash" 'evaluate' "$(bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader croft || true
  COMP_WORDS=(croft eval); COMP_CWORD=1; _croft; echo "${COMPREPLY[@]}"')"
same "zsh" _croft "$(zsh -fc 'autoload -U compinit; compinit -u -D; print $_comps[croft]')"
fish -c 'complete -C "croft eval"' | grep -q '^evaluate'
echo "manual pages; bash, zsh and fish complete"

same "python3-croft" "[['QTY', 'UNIT', 'NAME']] $(croft --version)" "$(cd / && python3 -c '
import croft, importlib.metadata
X = [[["2"], ["cups"], ["flour"]], [["100"], ["g"], ["sugar"]], [["1"], ["onion"]]]
y = [["QTY", "UNIT", "NAME"], ["QTY", "UNIT", "NAME"], ["QTY", "NAME"]]
crf = croft.ChainCRF(format="columns").fit(X, y)
same = croft.load("/srv/words.croft").predict([[["2"], ["cups"], ["sugar"]]])
assert crf.predict([[["2"], ["cups"], ["sugar"]]]) == same
print(same, importlib.metadata.version("croft"))')"
echo "python3-croft: trains and predicts"

install ./libcroft-dev_*.deb gcc libc6-dev
gcc -Wall -Werror /usr/share/doc/libcroft-dev/examples/c/label.c -lcroft -lm -o label
same "C" "$labelled" "$(./label words.croft 2 cups sugar | sed -n 's/^\(\w*\)\t\(\w*\)\t0.*/\1 \2/p')"
echo "libcroft0, libcroft-dev: label from C"

install cmake g++ make
cmake -S consumer -B consumer/build >cmake.log
cmake --build consumer/build >>cmake.log
same "C++" $'QTY\nUNIT\nNAME\nNAME\nOTHER\nPREP' \
  "$(consumer/build/tag train.txt consumer.croft 2 cups whole-wheat flour , sifted)"
echo "libcroft-dev: trains and labels from C++, by find_package(croft)"
