#!/usr/bin/env bash
# Checks what `make package` made.  Needs root, and the package sources that the machine's apt has.
#   check.sh FOLDER [PART …]
# lintian  finds no error and no warning in the Debian packages
# chroot   the packages, installed in a clean Debian, work: the program, completions, Python, C and C++
# image    the commands of the Dockerfile's last stage give a user's program in a clean Debian
# sdist    pip builds the source archive in a clean Debian with a compiler, CMake and the libraries
# build    the commands of the Dockerfile's first stage make the packages in a clean Debian
# Without a PART: the first three; the others compile everything.
set -euo pipefail
shopt -s nullglob
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$1
shift
parts=("$@")
[ $# -gt 0 ] || parts=(lintian chroot image)

changes=("$folder"/croft_*.changes)
if [ ${#changes[@]} -ne 1 ]; then
  echo "packages are not there: \`make package\` makes them in $folder"
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "packages are not checked: a clean Debian is made by root"
  exit 1
fi
for program in lintian mmdebstrap; do
  if ! command -v "$program" >/dev/null; then
    echo "packages are not checked: scripts/install_dependencies.sh --package installs $program"
    exit 1
  fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What the machine's apt has of Debian, and how it reaches it.
apt-get indextargets --format "deb \$(REPO_URI) \$(RELEASE) \$(COMPONENT)" \
  'Created-By: Packages' 'Origin: Debian' | sort -u >"$work/sources.list"
if [ ! -s "$work/sources.list" ]; then
  echo "check.sh: apt has no list of Debian's packages: \`apt-get update\` fetches it" >&2
  exit 1
fi
apt-config dump | grep -E '^Acquire::(Check-|https?::)' >"$work/apt.conf" || true
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)

# clean SCRIPT: runs the script in a new Debian that has the folder $work/srv as /srv, and nothing of it stays.
# Without this machine's variables, which may name compilers and folders.
clean() {
  local variables="PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive"
  cp "$here/$1" "$work/srv"
  mmdebstrap --quiet --variant=minbase --aptopt="$work/apt.conf" \
    --customize-hook="copy-in $work/srv /" \
    --customize-hook="chroot \"\$1\" env -i $variables http_proxy=\"\${http_proxy:-}\" bash /srv/$1" \
    "$suite" /dev/null "$work/sources.list"
  rm -rf "$work/srv"
}

# commands AWK_CONDITION: what RUN says in those stages of the Dockerfile, a line a command.
commands() {
  sed -e ':more' -e '/\\$/{N;s/\\\n//;b more' -e '}' "$root/Dockerfile" |
    awk "/^FROM/ {stage++} $1 && /^RUN/ {sub(/^RUN /, \"\"); print}"
}

check_lintian() {
  lintian --allow-root --fail-on error,warning "${changes[@]}"
  echo "lintian: no error and no warning"
}

check_chroot() {
  mkdir "$work/srv"
  cp "$folder"/*.deb "$work/srv"
  cp -r "$root/tests/consumer" "$root/examples/ingredients/train.txt" "$work/srv"
  clean installed.sh
}

check_image() {
  mkdir "$work/srv"
  cp "$folder"/croft_*.deb "$work/srv"
  commands 'stage == 2' >"$work/srv/commands"
  clean image.sh
}

check_sdist() {
  mkdir "$work/srv"
  cp "$folder"/croft-*.tar.gz "$work/srv"
  clean sdist.sh
}

check_build() {
  mkdir "$work/srv"
  cp "$folder"/croft-*.tar.gz "$work/srv"
  commands 'stage == 1' >"$work/srv/commands"
  clean build.sh
}

for part in "${parts[@]}"; do
  if ! declare -F "check_$part" >/dev/null; then
    echo "check.sh: there is no part $part; parts are lintian, chroot, image, sdist and build" >&2
    exit 2
  fi
done
for part in "${parts[@]}"; do
  "check_$part"
done
