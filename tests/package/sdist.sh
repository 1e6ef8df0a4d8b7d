#!/usr/bin/env bash
# In a clean Debian, by check.sh: pip makes a wheel of the source archive, with what debian/control has of compilers and
# libraries and without the network; the wheel works.
set -euo pipefail
cd /srv
tar -xf croft-*.tar.gz
mapfile -t libraries < <(sed -n '/^Build-Depends:/,/^[^B ]/s/^ \([a-z0-9.+-]*\).*/\1/p' croft-*/debian/control |
  grep -vE '^(debhelper|dh-|ninja|libcli11|libsqlite3)')
apt-get install -y -qq --no-install-recommends g++ make python3-pip "${libraries[@]}" >log 2>&1 ||
  { cat log >&2; exit 1; }
python3 -m pip wheel --no-build-isolation --no-deps --no-index ./croft-*.tar.gz >log 2>&1 || { cat log >&2; exit 1; }
python3 -m pip install --no-index --break-system-packages --root-user-action=ignore --quiet ./croft-*.whl
cd /
python3 -W error -c '
import croft
X, y = [[["2"], ["cups"]], [["100"], ["g"]]], [["QTY", "UNIT"], ["QTY", "UNIT"]]
assert croft.ChainCRF(format="columns").fit(X, y).predict(X) == y'
echo "sdist: pip builds $(cd /srv && echo croft-*.whl), which works"
