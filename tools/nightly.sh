#!/bin/bash
# nightly.sh fuzz [RUNS [TARGET...]] | tidy|pixels|loaders|losses|field|many|s3|tasks|forks|threads|bits|engines|package|python|browser|hashes|train
#
# Checks that are not in check.sh.
#
# tasks: the tasks of a plan by processes, in 100 choices and orders, and with
# 1,500 of them killed.
#
# losses: all commands, Writers among them, meet all states of an output, whole, hurt
# and the user's own, here and on S3, killed, interrupted and out of room at many
# points: no file is lost.
#
# field: the release build is tested against faults reported by people and
# reviewers: the tests of the program, of the package and of servers.
#
# engines: the tests of tests/engines on all of them: Ray's and Spark's, and all of
# Slurm's, too; as root on two hosts, of which one is lost. Ends with the first that
# fails.
#
# package: wheels and Debian packages, made twice and used on bare machines; and
# the package's tests on the result of `pip install .`.
#
# browser: reports and pages of the viewer in Chromium: no request leaves the machine,
# names are text, the keyboard reaches everything, and axe-core's serious rules hold.
#
# hashes: near pairs among a million hashes of images, beside a comparison of 13,333
# of them with all. Longer than a quarter of an hour.
#
# python: the package's tests under the address sanitizer.
#
# forks: 20,000 of a process whose other threads look at datasets, and of one that
# asks for statistics; 100 during the first read of a server.
#
# threads: the environment changes for ten minutes while a loader opens shards, here
# and on S3, under the thread sanitizer.
#
# s3: a pack to a bucket is killed at each of its requests, and goes on; so is a
# writer.
#
# bits: each 5th bit and length of a shard of each format (of HDF5 each 83rd), each
# bit of a dataset, and all operations on large hostile images, of which the suite
# takes fewer.
#
# many: 10,000,000 samples through a Writer, in bounded memory.
#
# pixels: 2,000 crops through each operation, beside torchvision's kernels.
#
# loaders: 20,000 loaders of any options, handed from ranks to ranks.
#
# tidy: clang-tidy over all sources.
#
# train: the example of CIFAR-10 reaches its accuracy, undisturbed, killed, by HTTP,
# and while it packs: one curve, whose picture is python/examples/cifar.svg. An hour.
#
# fuzz: each fuzzer, or those named (forged_sidecar), for RUNS executions
# (default: 1,000,000) under the address and undefined behaviour sanitizers,
# from the seeds in testdata/seeds; the next campaign continues from this one's
# findings. Ends at the first failure, with the input that made it in
# build/campaign/found. SHARDINE_JOBS: how many at a time (default: all
# processors).
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/campaign
python_path=$root/build/dev/python:$root/tests/support
jobs=${SHARDINE_JOBS:-$(nproc)}

usage() {
  sed -n '2s/^# /usage: /p' "$0" >&2
  exit 2
}

# run_fuzzer RUNS TARGET: prints how many executions there were. Entropic
# scheduling costs several times an execution here, and so do whole stacks of
# each allocation.
run_fuzzer() {
  local found=$build/found/$2
  mkdir -p "$found"
  ASAN_OPTIONS=malloc_context_size=2:max_malloc_fill_size=0 \
    "$build/tests/fuzz/$2_fuzz" -runs="$1" -entropic=0 -timeout=60 \
    -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$found-" \
    "$found" "$root/testdata/seeds/$2" >"$found.log" 2>&1 ||
    { tail -40 "$found.log"; echo "$2: failed, see $found.log"; return 1; }
  echo "$2: $(sed -n 's/^stat::number_of_executed_units: *//p' "$found.log")" \
    "executions, no finding"
}

fuzz() {
  local runs=${1:-1000000} targets=()
  [ $# -eq 0 ] || shift
  (cd "$root" && cmake --preset campaign >/dev/null)
  if [ $# -gt 0 ]; then
    targets=("$@")
  else
    mapfile -t targets < <(cd "$root/tests/fuzz" && ls ./*_fuzz.cc |
      sed 's|^\./||; s|_fuzz\.cc$||')
  fi
  (cd "$root" && cmake --build --preset campaign \
    --target "${targets[@]/%/_fuzz}") >&2
  export -f run_fuzzer
  export build root
  printf '%s\n' "${targets[@]}" |
    xargs -P "$jobs" -I{} bash -c "run_fuzzer $runs {} || exit 255"
}

pixels() {
  cd "$root"
  cmake --preset dev >/dev/null
  cmake --build --preset dev
  SHARDINE_CROPS=2000 ctest --test-dir build/dev --output-on-failure -R '^interop_torchvision$'
}

loaders() {
  cd "$root"
  cmake --preset dev >/dev/null
  cmake --build --preset dev --target unit_load
  SHARDINE_SEEDS=20000 build/dev/tests/unit/unit_load '[combined]'
}

package() {
  cd "$root"
  tools/package.sh --test
  cmake --preset dev >/dev/null
  cmake --build --preset dev
  sh tests/python/pip_install.sh "$(sh tests/interop/venv.sh python)" \
    "$root/build/dev/bin/shardine" c++
}

python() {
  cd "$root"
  cmake --preset asan -DSHARDINE_PYTHON=ON >/dev/null
  cmake --build --preset asan --target shardine_cli _core \
    interruptible_probe
  ctest --test-dir build/asan --output-on-failure -R '^python_'
}

browser() {
  cd "$root"
  tools/install_deps.sh --browser
  cmake --preset dev >/dev/null
  cmake --build --preset dev --target shardine_cli _core
  ctest --test-dir build/dev --output-on-failure -L '^browser$'
}

s3() {
  cd "$root"
  cmake --preset dev >/dev/null
  cmake --build --preset dev
  # Not by ctest, which gives a test no more time than its short form has.
  SHARDINE_SWEEP=whole SHARDINE=$root/build/dev/bin/shardine \
    PYTHONPATH=$python_path \
    "$(sh tests/interop/venv.sh s3)" -B -m pytest -q -p no:cacheprovider \
    --durations=5 tests/remote/test_s3_writing.py
}

bits() {
  cd "$root"
  cmake --preset dev >/dev/null
  cmake --build --preset dev --target format_bits_test
  for format in recordio tfrecord lmdb webdataset hdf5; do
    SHARDINE_FORMAT=$format SHARDINE_STEP=$([ $format = hdf5 ] && echo 83 || echo 5) \
      build/dev/tests/corruption/format_bits_test
  done
  cmake --build --preset dev
  SHARDINE_STEP=1 build/dev/tests/corruption/verify_bits_test
  SHARDINE_SWEEP=whole ctest --test-dir build/dev -R '^hostile_operations$' \
    --output-on-failure
}

tasks() {
  cd "$root"
  cmake --preset dev >/dev/null
  cmake --build --preset dev --target shardine_cli
  SHARDINE_SWEEP=whole python3 -B tests/cli/programs/tasks_test.py build/dev/bin -v
}

losses() {
  cd "$root"
  cmake --preset dev >/dev/null
  cmake --build --preset dev --target shardine_cli _core
  SHARDINE_SWEEP=whole SHARDINE_PYTHON=$(sh tests/interop/venv.sh python) \
    PYTHONPATH=$python_path \
    python3 -B tests/cli/programs/promise_test.py build/dev/bin -v
  SHARDINE_SWEEP=whole SHARDINE=$root/build/dev/bin/shardine \
    PYTHONPATH=$python_path \
    "$(sh tests/interop/venv.sh s3)" -B -m pytest -q -p no:cacheprovider \
    tests/remote/test_s3_promise.py
}

field() {
  cd "$root"
  cmake --preset dev >/dev/null
  cmake --build --preset dev
  ctest --test-dir build/dev --output-on-failure -j "$jobs" -L '^(cli|python|remote)$'
}

forks() {
  cd "$root"
  cmake --preset dev >/dev/null
  cmake --build --preset dev --target shardine_cli _core
  export SHARDINE_FORKS=20000 SHARDINE=$root/build/dev/bin/shardine \
    PYTHONPATH=$python_path
  "$(sh tests/interop/venv.sh python)" -B -m pytest -q -rP -p no:cacheprovider \
    tests/python/test_forks.py -k child
  "$(sh tests/interop/venv.sh s3)" -B -m pytest -q -p no:cacheprovider \
    tests/remote/test_remote_waits.py -k fork
}

# The interpreter has no sanitizer: its runtime comes first.
threads() {
  cd "$root"
  cmake --preset tsan -DSHARDINE_PYTHON=ON >/dev/null
  cmake --build --preset tsan --target shardine_cli _core
  SHARDINE_SECONDS=300 SHARDINE=$root/build/tsan/bin/shardine \
    PYTHONPATH=$root/build/tsan/python:$root/tests/support \
    LD_PRELOAD=$(g++ -print-file-name=libtsan.so) \
    "$(sh tests/interop/venv.sh s3)" -B -m pytest -q -rP -p no:cacheprovider \
    tests/remote/test_remote_waits.py -k environment
}

engines() {
  local pair
  cd "$root"
  cmake --preset dev >/dev/null
  cmake --build --preset dev --target shardine_cli _core
  for pair in local:python mpi:python slurm:python dask:dask ray:ray spark:spark; do
    echo "${pair%:*}"
    ENGINE=${pair%:*} SHARDINE=$root/build/dev/bin/shardine \
      PYTHONPATH=$python_path \
      "$(sh tests/interop/venv.sh "${pair#*:}")" -B -m pytest -q -rs \
      -p no:cacheprovider --durations=3 tests/engines
  done
}

many() {
  local out status=0
  cd "$root"
  cmake --preset bench >/dev/null
  cmake --build --preset bench --target _core
  out=$(mktemp -d)
  PYTHONPATH=$root/build/bench/python "$(sh tests/interop/venv.sh python)" -B \
    tests/bench/write_many.py 10000000 "$out" || status=$?
  rm -rf "$out"
  return $status
}

train() {
  local status=0
  cd "$root"
  tools/install_deps.sh --interop
  tools/install_deps.sh --remote
  cmake --preset dev >/dev/null
  cmake --build --preset dev --target shardine_cli _core
  PYTHONPATH=$python_path:$root/tests/remote \
    "$(sh tests/interop/venv.sh torch-debian)" -B \
    tests/interop/torch/cifar_curves.py build/dev/bin/shardine \
    ../shared/reference/cifar-duplicates python/examples/cifar.svg || status=$?
  [ $status -ne 77 ] || return 0
  return $status
}

[ $# -ge 1 ] || usage
case $1 in
  fuzz) shift && fuzz "$@" ;;
  pixels) pixels ;;
  loaders) loaders ;;
  many) many ;;
  s3) s3 ;;
  bits) bits ;;
  tasks) tasks ;;
  losses) losses ;;
  field) field ;;
  forks) forks ;;
  threads) threads ;;
  engines) engines ;;
  package) package ;;
  python) python ;;
  browser) browser ;;
  hashes)
    cd "$root"
    cmake --preset dev >/dev/null
    cmake --build --preset dev --target unit_source
    build/dev/tests/unit/unit_source '[.near_pairs_of_many]' -d yes
    ;;
  train) train ;;
  tidy)
    cd "$root"
    tools/tidy.sh --all
    ;;
  *) usage ;;
esac
