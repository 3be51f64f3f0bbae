#!/bin/sh
# wheel_tests.sh PYTHON DIST: installs the wheel of DIST that PYTHON takes into a new
# environment and runs the package's tests there, with nothing of a build in sight.
set -eu

python=$1
dist=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$python" -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check \
  --requirement "$here/requirements.txt"
venv/bin/pip install --quiet --disable-pip-version-check --no-index \
  --find-links "$dist" shardine
# The stub is compared where it is written, by nanobind. There is no Pillow 13,
# whose pixels ours are, for Python 3.10.
without=the_stub_is_what_the_module_says
if ! venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  without="$without or pillow_s_of_the_same_array or resize_makes_arrays_of_arrays"
fi
echo "not run: $without"
SHARDINE=$folder/venv/bin/shardine PYTHONPATH=$here/../support venv/bin/python -B -m pytest -q -p no:cacheprovider \
  -k "not ($without)" "$here/../python"
