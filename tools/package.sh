#!/bin/bash
# package.sh [--only TARGET | --test | --twice | --host]: makes the release files, in
# dist/: a source distribution; from that, wheels for CPython 3.10, for 3.11, and for
# all from 3.12 on, that run on glibc 2.28 and later; and Debian packages. A wheel
# needs its own Python, found by PATH as python3.10 and so on: a missing one is
# reported, and the rest is made.
#
# --only x86_64: makes the wheels of that target alone.
#
# --test: then installs them on bare machines and uses them
# (tests/package/bare_machine.sh), runs the package's tests with every Python that is
# there, and does the work of --twice.
#
# --twice: builds the wheel of python3 in two folders, in the second without the
# compiler's cache. The two files are equal, byte for byte.
#
# --host: makes one wheel, for the Python and from the objects of build/dev, in
# build/distribution/host; checks its contents, and uses it in a virtual environment.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
case $#$* in
  0 | 1--test | 1--twice | 1--host | '2--only x86_64') ;;
  *)
    echo "usage: package.sh [--only x86_64 | --test | --twice | --host]" >&2
    exit 2
    ;;
esac
dist=$root/dist
work=$root/build/distribution
missing=()
# The time of the commit, for all files in the packages.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

# The Python NAME, if PATH has one that runs.
find_python() {
  command -v "$1" >/dev/null && "$1" -c 'import sys' 2>/dev/null
}

# Makes wheels with PYTHON: prints the PYTHON of an environment with the pinned
# tools.
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

# build_wheel SOURCE TOOLS OUT PLATFORM [option...]: a checked wheel in the folder OUT,
# by Python's build with its options. The compiler has the name by which other builds
# call it, not Python's.
build_wheel() {
  local source=$1 tools=$2 out=$3 platform=$4
  shift 4
  mkdir -p "$out"
  (
    cd "$source"
    CXX=$(command -v c++)
    # A compiler that was installed again is the same.
    export CCACHE_COMPILERCHECK=content
    export CXX CCACHE_BASEDIR=$source CCACHE_NOHASHDIR=1 CCACHE_IGNOREOPTIONS=-Werror
    "$tools/python" -m build --wheel --no-isolation --outdir "$out/raw" "$@" . \
      >"$out/build.txt" || { cat "$out/build.txt"; return 1; }
  )
  PATH=$tools:$PATH "$tools/auditwheel" repair --only-plat --plat "$platform" \
    --wheel-dir "$out" "$out"/raw/*.whl >"$out/repair.txt" 2>&1 ||
    { cat "$out/repair.txt"; return 1; }
  python3 -B tests/package/wheel_contents.py "$out"/*.whl "$root" "$source" "$HOME" \
    "$tools"
}

# build_release_wheel SOURCE TOOLS OUT TARGET: by the compiler and the libraries that
# tools/wheel/prefix.sh keeps in the cache.
build_release_wheel() {
  local prefix=${SHARDINE_CACHE:-$HOME/.cache/shardine}/wheel/$4
  mkdir -p "${prefix%/*}"
  tools/wheel/prefix.sh "$4" "$prefix"
  build_wheel "$1" "$2" "$3" "manylinux_2_28_$4" \
    -C "cmake.define.CMAKE_TOOLCHAIN_FILE=$root/tools/wheel/toolchain.cmake" \
    -C "cmake.define.SHARDINE_PREFIX=$prefix"
}

# Every wheel is built from the source distribution, which thereby is known to build.
make_wheel() {
  local source
  source=$(echo "$work"/shardine-*)
  build_release_wheel "$source" "$(tools_of "$1")" "$work/$1" x86_64
  mv "$work/$1"/*.whl "$dist"
}

# The same wheel once more, in a folder with a longer path.
compare_wheels() {
  local folder=$work/the-same-in-another-folder tools once
  tools=$(tools_of python3)
  mkdir -p "$folder"
  cp -r "$work"/shardine-* "$folder/source"
  rm -rf "$folder/source/build"
  CCACHE_DISABLE=1 build_release_wheel "$folder/source" "$tools" "$folder/wheel" x86_64
  for once in "$folder"/wheel/*.whl; do
    cmp "$once" "$dist/${once##*/}" && continue
    python3 -m zipfile -e "$once" "$folder/a"
    python3 -m zipfile -e "$dist/${once##*/}" "$folder/b"
    diff -rq "$folder/a" "$folder/b"
    return 1
  done
  echo "two folders give the same wheel"
}

# The compiled files come from build/dev; scikit-build-core adds the rest.
make_host_wheel() {
  local out=$work/host python glibc
  rm -rf "$out"
  mkdir -p "$out"
  { cmake --preset dev && cmake --build --preset dev --target python_package &&
    cmake --install build/dev --component python --strip --prefix "$out/tree"; } \
    >"$out/dev.txt" || { cat "$out/dev.txt"; return 1; }
  python=$(sed -n 's/^Python_EXECUTABLE:FILEPATH=//p' build/dev/CMakeCache.txt)
  # The oldest system that it can run on is the one that it was built on.
  glibc=$(getconf GNU_LIBC_VERSION | tr . _)
  build_wheel "$root" "$(tools_of "$python")" "$out" \
    "manylinux_${glibc#* }_$(uname -m)" -C wheel.cmake=false \
    -C wheel.platlib=true -C "wheel.force-include.${out#"$root/"}/tree/shardine=shardine" \
    -C "wheel.force-include.${out#"$root/"}/tree/share=\${SKBUILD_DATA_DIR}/share"
  tests/package/use_in_venv.sh "$python" "$out"/*.whl
  echo "the wheel works: $(echo "$out"/*.whl)"
}

make_debian_packages() {
  cmake --preset package >"$work/deb.txt" &&
    cmake --build --preset package >>"$work/deb.txt" &&
    cpack -G DEB --config build/package/CPackConfig.cmake -B "$work/deb" \
      >>"$work/deb.txt" || { cat "$work/deb.txt"; return 1; }
  mv "$work"/deb/*.deb "$dist"
}

if [ "${1:-}" = --host ]; then
  make_host_wheel
  exit
fi
tools/install_deps.sh --package
rm -rf "$dist" "$work"
mkdir -p "$dist" "$work"
echo "== source distribution"
make_source_distribution
if [ "${1:-}" = --twice ]; then
  make_wheel python3
  compare_wheels
  exit
fi
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
if [ "${1:-}" != --only ]; then
  echo "== Debian packages"
  CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_IGNOREOPTIONS=-Werror \
    make_debian_packages
fi
(cd "$dist" && wc -c -- *)
if [ "${1:-}" = --test ]; then
  echo "== the same wheel in another folder"
  compare_wheels
  for kind in wheel unpacked deb container; do
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
