#!/bin/bash
# check.sh [all | STAGE... | --from STAGE | quick [PATH...] | --list | --help]
#
# Without arguments: style and dev, which need no foreign program. `all` runs
# every stage, as continuous integration does; --from STAGE runs that stage and
# those after it. `quick` checks the changed files, or PATHs, and the rooms that
# include them. Each stage installs its packages and stops at its first failing
# step. Logs are in build/check. The last line is "N passed, N failed".
set -euo pipefail

cd "$(dirname "$0")/.."
# Builds in several folders share one compiler cache: names are relative, the
# build that treats warnings as errors comes first, and ctest sets no language.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_IGNOREOPTIONS=-Werror
export CCACHE_SLOPPINESS=locale
logs=build/check
stages=(style dev interop remote engines package asan tsan quickstart)
# Minutes of each stage on two processors, from nothing.
declare -A minutes=([style]=1 [dev]=28 [interop]=9 [remote]=7 [engines]=2
  [package]=1 [asan]=24 [tsan]=15 [quickstart]=2)
declare -A about=(
  [style]='clang-format, ruff, mypy'
  [dev]='build by GCC; all tests that need no foreign program or server'
  [interop]='the formats'\'' own programs, frameworks, recipes; NAME... selects'
  [remote]='nginx, a server with faults, services that speak S3'
  [engines]='tasks by Dask, Slurm, Open MPI, and on two hosts'
  [package]='a wheel for this machine: made twice, checked, used'
  [asan]='address and undefined behaviour: parsers, memory, fuzzers; clang-tidy'
  [tsan]='thread sanitizer over what has threads'
  [quickstart]='the newcomer'\''s command'
)
times=()
memory=  # a folder in memory, removed at the end

usage() {
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
}

list_stages() {
  local stage
  for stage in "${stages[@]}"; do
    printf '%-11s %2d min  %s\n' "$stage" "${minutes[$stage]}" "${about[$stage]}"
  done
}

# follow STAGE STEP command...: keeps the output in a log and shows one line of
# progress, and whatever is neither a step done nor a test passed.
follow() {
  local log=$logs/$1-$2.log stage=$1 step=$2
  shift 2
  "$@" 2>&1 | tee "$log" |
    /usr/bin/python3 -B tools/check/progress.py "$stage" "$step" \
      $((SECONDS - begin)) "${minutes[$stage]:-5}"
}

configure() {
  cmake --preset "$1" >"$logs/$1-configure.log" 2>&1 ||
    { cat "$logs/$1-configure.log"; return 1; }
}

# build STAGE PRESET [target...]
build() {
  local stage=$1 preset=$2
  shift 2
  configure "$preset"
  follow "$stage" build cmake --build --preset "$preset" ${1:+--target "$@"}
}

# make_memory: tests sync their files, which takes no time in memory. If there
# is plenty of it, and the caller has no TMPDIR, it is where tests write. They
# run programs there, which some containers forbid, and some as another user.
make_memory() {
  if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ] &&
    [ "$(df --output=avail -k /dev/shm | tail -1)" -gt 8000000 ] &&
    ! grep -q '^[^ ]* /dev/shm [^ ]* [^ ]*noexec' /proc/mounts &&
    awk '/^MemAvailable/ {exit $2 < 12000000}' /proc/meminfo; then
    memory=$(mktemp -d /dev/shm/shardine-XXXXXX)
    chmod 1777 "$memory"
  fi
}

# run_tests STAGE PRESET [ctest option...]: the last -j counts.
run_tests() {
  local stage=$1 preset=$2
  shift 2
  TMPDIR=${memory:-${TMPDIR:-/tmp}} follow "$stage" test \
    ctest --test-dir "build/$preset" -j"$(nproc)" \
    --timeout 600 --output-on-failure --no-tests=error "$@"
}

check_python_style() {
  local python
  python=$(sh tests/interop/venv.sh lint)
  "$python" -m ruff check --no-cache "$@"
  "$python" -m mypy --cache-dir build/mypy
}

stage_style() {
  tools/install_deps.sh --check
  git ls-files '*.h' '*.cc' | xargs clang-format-14 --dry-run -Werror
  check_python_style python tests tools
}

stage_dev() {
  tools/install_deps.sh --check
  build dev dev all bench_programs
  run_tests dev dev -LE 'interop|remote|engines|browser' -j$(($(nproc) + 1))  # some wait
  tools/check/count_cases.py build/dev tests/case_counts.tsv
}

# The programs and the module that Python tests use.
build_programs() {
  build "$1" dev shardine_cli im2rec folder2lmdb _core shardine_hdf5_scan \
    "${@:2}"
}

stage_interop() {
  local names
  names=$(IFS='|'; echo "$*")
  tools/install_deps.sh --interop
  build "interop" dev
  run_tests interop dev -L interop ${names:+-R "interop_.*($names)"}
}

stage_remote() {
  tools/install_deps.sh --remote
  build_programs remote fault_server
  run_tests remote dev -L remote -j$((2 * $(nproc)))  # they wait, mostly
}

stage_engines() {
  tools/install_deps.sh --engines
  build_programs engines
  run_tests engines dev -L engines
}

stage_package() {
  tools/install_deps.sh --package
  build_programs package
  follow package wheel tools/package.sh --host
}

# Under strace, by which the slow tests kill, the leak sanitizer cannot work.
stage_asan() {
  tools/install_deps.sh --check
  build asan asan
  run_tests asan asan -L 'unit|conformance|corruption|hostile|fuzz' -LE slow
  follow asan tidy tools/tidy.sh
}

stage_tsan() {
  tools/install_deps.sh --check
  build tsan tsan unit_remote unit_io unit_pipeline unit_shard unit_dataset \
    unit_pack unit_load conformance shardine_cli
  run_tests tsan tsan -R \
    '^(unit_(remote|io|pipeline|shard|dataset|pack|load):|cli_(pack|convert|resize)|conformance:(region_threads|format_threads)_test)'
}

stage_quickstart() {
  follow quickstart run tools/quickstart.sh
}

# quick [PATH...]: changed_tests.py prints the targets, then a pattern of tests.
quick() {
  local paths=("$@") targets tests sources scripts
  [ $# -gt 0 ] || mapfile -t paths < <(
    { git diff --name-only HEAD; git ls-files -o --exclude-standard; } | sort -u)
  [ ${#paths[@]} -gt 0 ] || mapfile -t paths < <(git diff --name-only HEAD~1)
  { read -r targets; read -r tests; } < <(
    /usr/bin/python3 -B tools/check/changed_tests.py . "${paths[@]}")
  tools/install_deps.sh --check
  mapfile -t sources < <(printf '%s\n' "${paths[@]}" | grep -E '\.(h|cc)$')
  mapfile -t scripts < <(printf '%s\n' "${paths[@]}" | grep -E '\.pyi?$')
  [ ${#sources[@]} -eq 0 ] || clang-format-14 --dry-run -Werror "${sources[@]}"
  [ ${#scripts[@]} -eq 0 ] || check_python_style "${scripts[@]}"
  # shellcheck disable=SC2086
  build quick dev $targets
  run_tests quick dev -R "$tests" -LE 'interop|remote|engines|browser|slow'
}

# Prints the times, and counts the tests that ctest ran, in the form of its
# closing line.
report() {
  local status=$? passed failed
  rm -rf "$memory"
  printf '%s\n' "${times[@]}"
  passed=$(cat "$logs"/*-test.log 2>/dev/null |
    grep -cE '^ *[0-9]+/[0-9]+ Test .* Passed ' || true)
  failed=$(cat "$logs"/*-test.log 2>/dev/null |
    grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*(Failed|Timeout|Exception|Not Run)' ||
    true)
  [ "$status" -eq 0 ] || echo "check.sh: stage $current failed; logs: $PWD/$logs"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ] || exit 1
  exit "$status"
}

# run_stage NAME command...
run_stage() {
  local name=$1
  begin=$SECONDS
  current=$name
  shift
  echo "== $name: ${about[$name]:-the changed files}"
  "$@"
  times+=("$(printf '%5d s  %s' $((SECONDS - begin)) "$name")")
}

is_stage() {
  [ -n "${about[$1]:-}" ]
}

# Announces the stages, then runs each.
run_stages() {
  local stage sum=0
  for stage in "$@"; do sum=$((sum + minutes[$stage])); done
  echo "check.sh: $* (about $sum minutes on two processors without a compiler" \
    "cache); logs: $PWD/$logs"
  for stage in "$@"; do run_stage "$stage" "stage_$stage"; done
}

selected=()
case ${1:-} in
  --help | -h) usage; exit ;;
  --list) list_stages; exit ;;
  quick) ;;
  '') selected=(style dev) ;;
  all) selected=("${stages[@]}") ;;
  --from)
    for stage in "${stages[@]}"; do
      [ "$stage" != "${2:-}" ] && [ ${#selected[@]} -eq 0 ] ||
        selected+=("$stage")
    done
    [ ${#selected[@]} -gt 0 ] ||
      { echo "check.sh: no stage '${2:-}'; stages: ${stages[*]}" >&2; exit 2; }
    ;;
  *)
    # The words after interop name tests of it.
    for stage in "$@"; do
      is_stage "$stage" || { [ "$1" = interop ] && continue; }||
        { echo "check.sh: no stage '$stage'; stages: ${stages[*]}" >&2; exit 2; }
      selected+=("$stage")
    done
    ;;
esac

mkdir -p "$logs"
rm -f "$logs"/*.log
current=
trap report EXIT
make_memory
if [ "${1:-}" = quick ]; then
  run_stage quick quick "${@:2}"
elif [ "${1:-}" = interop ]; then
  run_stage interop stage_interop "${@:2}"
else
  run_stages "${selected[@]}"
fi
