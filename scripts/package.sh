#!/usr/bin/env bash
# Makes the source archive, the wheel and the Debian packages, in build/package.  They are built from the archive,
# unpacked there, so that the checkout stays as it is; their version is that of CMakeLists.txt.
#   package.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
folder=$PWD/build/package

if ! command -v dpkg-buildpackage >/dev/null; then
  echo "package.sh: there is no dpkg-buildpackage: Debian packages are built on Debian" >&2
  exit 1
fi

rm -rf "$folder"
mkdir -p "$folder"
archive=$(PYTHONPATH=python/backend /usr/bin/python3 -B -c \
  'import croft_build, sys; print(croft_build.build_sdist(sys.argv[1]))' "$folder")
tar -C "$folder" -xf "$folder/$archive"
source=$folder/${archive%.tar.gz}
version=${source##*/croft-}

# The date of the last commit: the same sources give the same packages.
seconds=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CMakeLists.txt)
cat >"$source/debian/changelog" <<TEXT
croft ($version) unstable; urgency=medium

  * CHANGELOG.md of the sources says what is new.

 -- $(sed -n 's/^Maintainer: //p' debian/control)  $(date -Ru -d "@$seconds")
TEXT

# debhelper gives the build a home of its own, where ccache would find nothing.
if [ -z "${CCACHE_DIR:-}" ] && command -v ccache >/dev/null; then
  CCACHE_DIR=$(ccache --get-config cache_dir)
  export CCACHE_DIR
fi
cd "$source"
DEB_BUILD_OPTIONS="terse parallel=$jobs" CMAKE_BUILD_PARALLEL_LEVEL=$jobs dpkg-buildpackage -us -uc -b
cd "$folder"
mv "$source"/obj-*/croft-*.whl .
rm -rf "$source"

echo
echo "in build/package:"
du -h --apparent-size -- *
