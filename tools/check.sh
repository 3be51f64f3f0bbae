#!/bin/bash
# check.sh: everything that must hold before a change goes in. Installs what it
# needs; builds with GCC and runs all tests; then with Clang and its sanitizers,
# where they can find more in a test, and the fuzzers; then with threads
# watched; ends with the newcomer's one command. Stops at the first stage that fails. Prints the time of each stage.
set -euo pipefail

cd "$(dirname "$0")/.."
# Builds of one kind share what the compiler's cache has: the tests', pip's, a
# consumer's and the newcomer's. The first of them is the strict one.
# Lines of a stack may name the folder that an object was compiled in first.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_IGNOREOPTIONS=-Werror
logs=build/check
mkdir -p "$logs"
times=()

# stage NAME command...
stage() {
  local name=$1 begin=$SECONDS
  shift
  echo "== $name"
  "$@"
  times+=("$(printf '%5d s  %s' $((SECONDS - begin)) "$name")")
}

# Counts what ctest ran, and gives the closing line in one form.
report() {
  local status=$? passed failed
  printf '%s\n' "${times[@]}"
  passed=$(cat "$logs"/*.log | grep -cE '^ *[0-9]+/[0-9]+ Test .* Passed ' ||
    true)
  failed=$(cat "$logs"/*.log |
    grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*(Failed|Timeout|Exception|Not Run)' ||
    true)
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ] || exit 1
  exit "$status"
}

style() {
  git ls-files '*.h' '*.cc' | xargs clang-format-14 --dry-run -Werror
  local python
  python=$(sh tests/interop/venv.sh lint)
  "$python" -m ruff check --no-cache python tests tools
  "$python" -m mypy --cache-dir build/mypy
}

# build PRESET [target...]
build() {
  local preset=$1
  shift
  cmake --preset "$preset" >"$logs/$preset-configure.txt" ||
    { cat "$logs/$preset-configure.txt"; return 1; }
  cmake --build --preset "$preset" ${1:+--target "$@"}
}

# run_tests PRESET [ctest option...]
run_tests() {
  local preset=$1
  shift
  ctest --test-dir "build/$preset" -j"$(nproc)" --timeout 600 \
    --output-on-failure --no-tests=error "$@" | tee "$logs/$preset.log"
}

rm -f "$logs"/*.log
trap report EXIT
stage 'install' tools/install_deps.sh
stage 'style' style
stage 'build dev' build dev all bench_programs
stage 'test dev' run_tests dev
# With Clang: the fuzzers, too.
stage 'build asan' build asan
stage 'clang-tidy of the last changes' tools/tidy.sh
stage 'test asan' run_tests asan -LE 'interop|slow'
# Only what has threads.
stage 'build tsan' build tsan unit_remote unit_io unit_pipeline unit_shard unit_dataset \
  unit_pack unit_load conformance shardine_cli
stage 'test tsan' run_tests tsan \
  -R '^(unit_(remote|io|pipeline|shard|dataset|pack|load):|cli_(pack|convert|resize)|conformance:.*side by side)'
stage 'quickstart' tools/quickstart.sh
