#!/usr/bin/env bash
# In a clean Debian, by check.sh: runs the commands of the Dockerfile's last stage, then the program as its user.
set -euo pipefail
cp /srv/croft_*.deb /tmp
sh -exc "$(cat /srv/commands)" >/srv/log 2>&1 || { cat /srv/log >&2; exit 1; }

printf '2 QTY\ncups UNIT\nflour NAME\n' >/home/croft/words.txt
cd /home/croft
setpriv --reuid croft --regid croft --clear-groups croft train --quiet -o words.croft words.txt
echo "Dockerfile: the last stage's commands give croft $(croft --version), with which the user croft trains"
