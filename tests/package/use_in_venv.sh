#!/bin/bash
# use_in_venv.sh PYTHON WHEEL: installs the wheel into a new virtual environment and
# uses all of it there, with nothing of a build in sight.
set -euo pipefail

python=$1
wheel=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
photos=$here/../../testdata/photos
. "$here/use_programs.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
unset PYTHONPATH SHARDINE
"$python" -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check \
  "$(grep '^numpy' "$here/requirements.txt")" "$wheel"
PATH=$folder/venv/bin:$PATH
use_package "$here/epoch.py"
