#!/bin/bash
# scale_plan.sh [TREE [ENTRIES]]: the cost of planning, finding a task, status
# and finalize at ImageNet-21k's size, beside its bounds. The images are made
# up; sidecars and notes are real. With TREE every hundredth task is done, where
# each file is a photo of TREE, and the time of 64 workers follows: makespan_64,
# in seconds. Needs 5 GB in TMPDIR. One line of JSON a step.
set -euo pipefail

tree=${1:-}
entries=${2:-14197122}
bin=${SHARDINE_BIN:?the folder of the binaries}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# timed NAME COMMAND...: seconds, CPU seconds and peak memory of the command.
timed() {
  python3 - "$@" <<'PYTHON'
import json
import resource
import subprocess
import sys
import time

name, *command = sys.argv[1:]
begin = time.monotonic()
done = subprocess.run(command, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({
    "step": name, "exit": done.returncode,
    "seconds": round(time.monotonic() - begin, 3),
    "cpu_seconds": round(used.ru_utime + used.ru_stime, 3),
    "peak_mib": round(used.ru_maxrss / 1024, 1)}))
PYTHON
}

"$bin/bench_scale_plan" plan "$work" "$entries"
timed status-of-nothing "$bin/shardine" status "$work/plan" --json
"$bin/bench_scale_plan" notes "$work"
timed run-task-done "$bin/shardine" run-task "$work/plan" 7
timed status "$bin/shardine" status "$work/plan" --json
timed finalize "$bin/shardine" finalize "$work/plan"
timed finalize-again "$bin/shardine" finalize "$work/plan"
timed run-task-finalized "$bin/shardine" run-task "$work/plan" 7
if [ -n "$tree" ]; then
  rm -rf "${work:?}"/*
  "$bin/bench_scale_plan" run "$work" "$tree" "$entries"
fi
echo '{"may": {"plan_seconds": 60, "plan_mib": 1536, "plan_bytes": 450000000,
  "run_task_seconds": 0.05, "run_task_mib": 32, "status_seconds": 2,
  "finalize_seconds": 60, "finalize_mib": 512}}'
