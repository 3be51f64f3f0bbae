"""`shardine run`: the program has read the options, which are given as one JSON object:
the options of distribute(), "quiet", and "json": whether the result is printed as
JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, Dict

from ..errors import ShardineError
from . import TaskFailed, TaskProgress, distribute
from .report import exit_code
from .task import Job, command

_INTERRUPTED = 130


def _text(result: Any) -> str:
    end = "finished" if result.finished else "not finished: shardine finalize does that"
    left_out = ", but some inputs were left out" if result.rejected else ""
    return f"{result.run} of {result.tasks} tasks run by {result.engine}; {end}{left_out}"


def _show(now: TaskProgress) -> None:
    failed = f", {now.failed} failed" if now.failed else ""
    print(f"\r{now.tasks} of {now.tasks_total} tasks{failed} ", end="", file=sys.stderr)
    if now.tasks + now.failed == now.tasks_total:
        print(file=sys.stderr)


def main(given: Dict[str, Any]) -> int:
    """The exit code."""
    as_json, quiet = given.pop("json"), given.pop("quiet")
    is_watched = sys.stderr.isatty() and not quiet
    try:
        result = distribute(**given, progress=_show if is_watched else False)
    except TaskFailed as error:
        print(f"shardine: {error}", file=sys.stderr)
        return error.failures[0].code if error.failures[0].code in range(1, 8) else 1
    except (ShardineError, ImportError, TypeError, ValueError) as error:
        print(f"shardine: {error}", file=sys.stderr)
        return 2 if isinstance(error, (TypeError, ValueError)) else 1
    except KeyboardInterrupt:
        print("shardine: interrupted; run the same command again to go on", file=sys.stderr)
        return _INTERRUPTED
    print(json.dumps(result.to_dict()) if as_json else _text(result), flush=True)
    if result.verified is None:
        return 3 if result.rejected else 0
    if not as_json:  # the report, in the words of the program
        job = Job(result.plan, given["program"], given["cpus"])
        subprocess.call(command(job, "finalize", "--quiet"), stdin=subprocess.DEVNULL)
    return exit_code(result.verified.findings)


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
