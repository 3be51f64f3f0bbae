#!/bin/bash
# package.sh [--test]: makes what is handed out, in dist/: a source distribution;
# from that, wheels for CPython 3.10, for 3.11, and for all from 3.12 on; and Debian
# packages. A wheel needs its own Python, found by PATH as python3.10 and so on: one
# that is not there is said, and the rest is made. --test: then installs them
# on bare machines and uses them (tests/package/bare_machine.sh), and runs the
# package's tests with every Python that is there.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
if [ $# -gt 1 ] || { [ $# -eq 1 ] && [ "$1" != --test ]; }; then
  echo "usage: package.sh [--test]" >&2
  exit 2
fi
dist=$root/dist
work=$root/build/distribution
missing=()

# The Python NAME, if PATH has one that runs.
find_python() {
  command -v "$1" >/dev/null && "$1" -c 'import sys' 2>/dev/null
}

# Makes wheels with PYTHON: prints that of an environment with the pinned tools.
tools_of() {
  local python=$1 sum venv
  sum=$(cat tools/requirements-package.txt <("$python" -VV) | sha256sum)
  venv=${SHARDINE_CACHE:-$HOME/.cache/shardine}/venvs/package-${sum:0:16}
  if [ ! -e "$venv/complete" ]; then
    rm -rf "$venv"
    "$python" -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check \
      --requirement tools/requirements-package.txt >&2
    touch "$venv/complete"
  fi
  echo "$venv/bin"
}

make_source_distribution() {
  local tools
  tools=$(tools_of python3)
  "$tools/python" -m build --sdist --no-isolation --outdir "$dist" . \
    >"$work/sdist.txt" || { cat "$work/sdist.txt"; return 1; }
  tar -C "$work" -xzf "$dist"/shardine-*.tar.gz
}

# Every wheel is built from the source distribution, which thereby is known to
# build. Names in it are relative to it, in the compiler's cache and in what the
# compiler writes into its output.
make_wheel() {
  local python=$1 tools source glibc raw
  tools=$(tools_of "$python")
  source=$(echo "$work"/shardine-*)
  raw=$work/raw-$python
  (
    cd "$source"
    # The compiler by the name that other builds call it by, not Python's.
    CXX=$(command -v c++)
    export CXX CCACHE_BASEDIR=$source CCACHE_NOHASHDIR=1 CCACHE_IGNOREOPTIONS=-Werror
    command -v ccache >/dev/null ||
      export CXXFLAGS="${CXXFLAGS:-} -ffile-prefix-map=$source=."
    "$tools/python" -m build --wheel --no-isolation --outdir "$raw" . \
      >"$work/$python.txt" || { cat "$work/$python.txt"; return 1; }
  )
  # The oldest system that it can run on is the one that it was built on.
  glibc=$(getconf GNU_LIBC_VERSION | tr . _)
  PATH=$tools:$PATH "$tools/auditwheel" repair --only-plat \
    --plat "manylinux_${glibc#* }_$(uname -m)" --wheel-dir "$work/repaired-$python" \
    "$raw"/*.whl >"$work/repair-$python.txt" 2>&1 ||
    { cat "$work/repair-$python.txt"; return 1; }
  python3 -B tests/package/wheel_contents.py "$work/repaired-$python"/*.whl \
    "$root" "$HOME" "$tools"
  mv "$work/repaired-$python"/*.whl "$dist"
}

make_debian_packages() {
  cmake --preset package >"$work/deb.txt" &&
    cmake --build --preset package >>"$work/deb.txt" &&
    cpack -G DEB --config build/package/CPackConfig.cmake -B "$work/deb" \
      >>"$work/deb.txt" || { cat "$work/deb.txt"; return 1; }
  mv "$work"/deb/*.deb "$dist"
}

tools/install_deps.sh --package
rm -rf "$dist" "$work"
mkdir -p "$dist" "$work"
echo "== source distribution"
make_source_distribution
for wheel in python3.10 python3.11 'python3.12 python3.13'; do
  for python in $wheel; do
    if find_python "$python"; then
      echo "== wheel by $python"
      make_wheel "$python"
      continue 2
    fi
  done
  missing+=("no wheel by $wheel, which PATH does not have")
done
echo "== Debian packages"
CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_IGNOREOPTIONS=-Werror make_debian_packages
(cd "$dist" && wc -c -- *)
if [ "${1:-}" = --test ]; then
  for kind in wheel deb; do
    echo "== test of the $kind on a bare machine"
    tests/package/bare_machine.sh "$kind" "$dist"
  done
  for python in python3.10 python3.11 python3.12 python3.13; do
    if find_python "$python"; then
      echo "== tests of the package by $python"
      tests/package/wheel_tests.sh "$python" "$dist"
    else
      missing+=("not tested by $python, which PATH does not have")
    fi
  done
fi
for line in "${missing[@]}"; do
  echo "package.sh: MISSING: $line" >&2
done
