#!/bin/bash
# bench.sh NAME [argument...]: builds the bench preset and runs the benchmark
# tests/bench/NAME.sh or NAME.py on it. SHARDINE_BIN names the folder of the
# binaries for it.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
benches=$root/tests/bench

usage() {
  echo "usage: bench.sh NAME [argument...]; NAME is one of:" >&2
  find "$benches" -maxdepth 1 \( -name '*.sh' -o -name '*.py' \) \
    -printf '  %f\n' | sed 's/\.[a-z]*$//' | sort >&2
  exit 2
}

[ $# -ge 1 ] || usage
name=$1
shift
case $name in
  */*) usage ;;
esac

(cd "$root" && cmake --preset bench && cmake --build --preset bench) >&2
export SHARDINE_BIN=$root/build/bench/bin
if [ -f "$benches/$name.sh" ]; then
  exec bash "$benches/$name.sh" "$@"
elif [ -f "$benches/$name.py" ]; then
  exec python3 "$benches/$name.py" "$@"
fi
usage
