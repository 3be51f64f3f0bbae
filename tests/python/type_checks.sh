#!/bin/sh
# type_checks.sh PYTHON PACKAGE: checks by type checkers beside mypy.
# basedpyright checks the examples and calls that are right or refused: an
# ignored error that does not occur is itself an error. stubtest checks the
# extension module in the folder PACKAGE and its stub.
set -eu

python=$1
package=$2
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$python" -m basedpyright --project "$here/pyrightconfig.json"

# nanobind's types are its own: its classes have a metaclass, its functions are
# no functions, and an __init__ that it lacks takes anything.
printf '[mypy]\nignore_missing_imports = true\n' >"$folder/mypy.ini"
cd "$folder"
PYTHONPATH=$package "$python" -m mypy.stubtest shardine._core --concise \
  --mypy-config-file mypy.ini >said 2>&1 || true
grep -q 'metaclass differs$' said || { cat said; exit 1; }
if grep -vE 'metaclass differs$|is not a function$|argument "args"$|staticmethod but runtime is not$' said; then
  echo "the stub says other things than the module" >&2
  exit 1
fi
