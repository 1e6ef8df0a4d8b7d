#!/usr/bin/env bash
# Installs the Debian 12 packages that Croft is built with and that this machine lacks.
# Quick when nothing is missing: it asks dpkg and does not touch the network.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: scripts/install_dependencies.sh [--developer] [--java] [--mpi] [--package] [--check]
  --developer  also what the sanitizers, fuzzing and the checks of format need, and the two below
  --java       also a JDK, for libwapiti.so
  --mpi        also Open MPI, for training on several machines
  --package    what make package and make package-check need, without what the suite needs
  --check      say what is missing, and install nothing; exit status 1 if something is
TEXT
}

build=(g++ cmake ninja-build pkg-config)
libraries=(libhwy-dev libxxhash-dev libfmt-dev libcli11-dev nlohmann-json3-dev libre2-dev
           libutf8proc-dev libsqlite3-dev libtomlplusplus-dev libexpat1-dev libboost-dev zlib1g-dev liblzma-dev libzstd-dev)
python=(pybind11-dev python3-dev python3-venv python3-numpy)
tests=(libgtest-dev librapidcheck-dev python3 python3-pytest python3-scipy python3-sklearn
       python3-pandas python3-matplotlib python3-pil python3-networkx mypy)
developer=(clang-16 lld-16 clang-tidy-16 libclang-rt-16-dev clang-format shellcheck pyflakes3
           pycodestyle chromium chromium-driver)

java=(default-jdk-headless)
mpi=(openmpi-bin libopenmpi-dev python3-mpi4py)
package=(build-essential debhelper dh-python lintian mmdebstrap python3-pip)

wanted=("${build[@]}" "${libraries[@]}" "${python[@]}")
tests_wanted=
check_only=no
axe_wanted=no
for option in "$@"; do
  case "$option" in
    --developer) wanted+=("${developer[@]}" "${java[@]}" "${mpi[@]}"); axe_wanted=yes; tests_wanted=yes ;;
    --java) wanted+=("${java[@]}") ;;
    --mpi) wanted+=("${mpi[@]}") ;;
    --package) wanted+=("${package[@]}"); tests_wanted=${tests_wanted:-no} ;;
    --check) check_only=yes ;;
    --help) usage; exit 0 ;;
    *) echo "install_dependencies.sh: unknown option $option" >&2; usage >&2; exit 2 ;;
  esac
done
if [ "${tests_wanted:-yes}" = yes ]; then
  wanted+=("${tests[@]}")
fi

# Rules of accessibility, for the tests of the page, which do without where there is no network.
axe="axe-core@4.14.1"
fetch_axe() {
  cd "$(dirname "$0")/.."
  [ -f build/axe/node_modules/axe-core/axe.min.js ] && return
  if command -v npm >/dev/null; then
    timeout 60 npm install --silent --no-save --prefix build/axe "$axe" >/dev/null 2>&1 && return
  fi
  echo "install_dependencies.sh: no $axe: the tests of the page have its rules in part only" >&2
}
if [ "$axe_wanted" = yes ] && [ "$check_only" = no ]; then
  trap fetch_axe EXIT
fi

if ! command -v dpkg-query >/dev/null; then
  echo "install_dependencies.sh: this is not a Debian system, so nothing is checked or installed;" >&2
  echo "if the build misses something: on Debian 12 it is in ${wanted[*]}" >&2
  exit 0
fi

# `ii`: installed and configured.  dpkg-query fails when it does not know one of the packages.
installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "${wanted[@]}" 2>/dev/null |
  sed -n 's/^ii *//p' || true)
missing=()
for package in "${wanted[@]}"; do
  grep -qxF "$package" <<<"$installed" || missing+=("$package")
done

if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi
if [ "$check_only" = yes ]; then
  echo "missing: ${missing[*]}"
  exit 1
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install_dependencies.sh: these packages are missing, and installing them needs root:" >&2
    echo "  ${missing[*]}" >&2
    echo "there is no sudo here; as root, run: apt-get update && apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "installing: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}"
