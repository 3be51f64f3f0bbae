#!/bin/sh
# pip_install.sh PYTHON SHARDINE COMPILER: the result of `pip install .` passes
# the tests of the package, with nothing of this build in sight but the program
# SHARDINE.
set -eu

python=$1
tests=$(cd "$(dirname "$0")" && pwd)
site=$(mktemp -d)
trap 'rm -rf "$site"' EXIT

# Pip's own build lies beside ours, and calls the compiler by the same name: the
# compiler's cache serves both.
cd "$tests/../.."
CXX=$3 CCACHE_BASEDIR=$PWD CCACHE_IGNOREOPTIONS=-Werror "$python" -m pip install --quiet --no-deps \
  --disable-pip-version-check --target "$site" .
cd "$site"
for file in py.typed _core.pyi libexec/shardine/shardine-hdf5-scan; do
  test -e "shardine/$file"
done
for program in shardine im2rec folder2lmdb; do
  PYTHONPATH=$site "bin/$program" --help >/dev/null
done
# One test needs an extension of the build.
SHARDINE=$2 PYTHONPATH=$site:$tests/../support "$python" -B -m pytest -q -p no:cacheprovider \
  --ignore="$tests/test_interruptible.py" "$tests"
