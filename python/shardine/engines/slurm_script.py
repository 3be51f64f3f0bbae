"""The batch script of an array of tasks."""

from __future__ import annotations

import math
import shlex
from typing import List

from .task import Job, command

# A task that may succeed next time goes back to Slurm, which counts the starts of a job
# and lets it wait for two minutes. A task ended by a signal: 128 and its number.
_TEXT = """#!/bin/sh
#SBATCH --job-name=shardine --output=/dev/null --requeue
#SBATCH --array=0-{last}{at_a_time} --cpus-per-task={cpus}
set -- {groups}
[ "$SLURM_ARRAY_TASK_ID" -ge {first_wave} ] ||
  sleep "$(awk "BEGIN {{ print $SLURM_ARRAY_TASK_ID * {stagger} }}")"
shift "$SLURM_ARRAY_TASK_ID"
worst=0 again=
for task in $1; do
  {run_task} "$task"
  code=$?
  case $code in
    0 | 3) ;;
    5 | 6 | 12[89] | 1[3-9]?) again=$code ;;
    *) worst=$code ;;
  esac
done
if [ "$again" ] && [ "${{SLURM_RESTART_COUNT:-0}}" -lt {retries} ]; then
  scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID" && sleep 60
fi
exit "${{again:-$worst}}"
"""


def grouped(tasks: List[int], most: int) -> List[List[int]]:
    """Neighbours together, so that there are at most so many groups."""
    size = math.ceil(len(tasks) / most)
    return [tasks[at : at + size] for at in range(0, len(tasks), size)]


def array_script(
    job: Job, groups: List[List[int]], retries: int, workers: int, stagger: float
) -> str:
    """Index i does groups[i]; `workers` of them at a time, 0: as Slurm likes. The first
    ones start `stagger` seconds one after the other."""
    words = command(job, "run-task", "--quiet", f"--jobs={job.cpus}")
    return _TEXT.format(
        last=len(groups) - 1,
        at_a_time=f"%{workers}" if workers else "",
        cpus=job.cpus,
        groups=" ".join(f"'{' '.join(map(str, group))}'" for group in groups),
        first_wave=min(len(groups), workers or 100),
        stagger=stagger,
        run_task=shlex.join(words),
        retries=retries,
    )
