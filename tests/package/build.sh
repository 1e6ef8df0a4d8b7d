#!/usr/bin/env bash
# In a clean Debian, by check.sh: runs the commands of the Dockerfile's first stage in the unpacked source archive.
set -euo pipefail
mkdir /croft
tar -C /croft --strip-components=1 -xf /srv/croft-*.tar.gz
cd /croft
while IFS= read -r command; do
  sh -exc "$command" >/srv/log 2>&1 || { tail -n 100 /srv/log >&2; exit 1; }
done </srv/commands
echo "Dockerfile: the first stage's commands make"
sed -n '/^in build.package/,$p' /srv/log | grep -v '^make'
